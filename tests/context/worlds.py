"""Random lives of a chat: what people and providers do to it, one operation after the other."""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st
from msgspec import Struct, structs

from tests.context.histories import (
    KEEP_ALL,
    MODEL,
    budget,
    given,
    message,
    text,
    tool_round,
    turn,
)
from windowpane.context.changes import Change, effect_of
from windowpane.context.given import ActiveSummary, Overflow, PlanInput, PlanSettings
from windowpane.messages import Message
from windowpane.parts import Reasoning
from windowpane.turns import TurnContent, TurnState
from windowpane.usage import TokenUsage

Outcome = Literal["complete", "failed", "stopped"]


class Append(Struct, frozen=True):
    """What is asked comes to its end: with reasoning, tools, a reported size, well or badly."""

    tokens: int
    reasoning: int
    tool: int
    outcome: Outcome
    reported: int | None


class Mark(Struct, frozen=True):
    """A turn, counted from the newest, is pinned, skipped or starred, or not any more."""

    kind: Literal["pin", "skip", "star"]
    back: int


class Delete(Struct, frozen=True):
    back: int


class Filter(Struct, frozen=True):
    """Show starred turns only, or all; under a filter the summary's card is on or off."""

    is_on: bool
    has_card: bool


class ChangeModel(Struct, frozen=True):
    usable: int | None
    allowance: int


class Summarise(Struct, frozen=True):
    """A summary of all but the newest turns, from an old turn on; or none at all."""

    first: int
    kept: int | None


class Configure(Struct, frozen=True):
    settings: PlanSettings
    system: int
    prefill: int = 0


class Write(Struct, frozen=True):
    """What is being asked: a draft of some size, or a running turn with tool rounds.

    ``sent``: the project words it otherwise for the model, in so many characters.
    """

    tokens: int
    rounds: int
    sent: int | None = None


class Refuse(Struct, frozen=True):
    overflow: Overflow


Operation = Append | Mark | Delete | Filter | ChangeModel | Summarise | Configure | Write | Refuse

sizes = st.integers(0, 400)
back = st.integers(0, 12)
kept_turns = st.none() | st.integers(0, 6)
appends = st.builds(
    Append,
    tokens=st.integers(20, 200),
    reasoning=st.just(0) | sizes,
    tool=st.just(0) | sizes,
    outcome=st.sampled_from(["complete", "complete", "complete", "failed", "stopped"]),
    reported=st.none() | st.integers(1, 300),
)
settings = st.builds(
    PlanSettings,
    reasoning_turns=kept_turns,
    tool_turns=kept_turns,
    cache_mode=st.sampled_from(["all-off", "system", "cached", "cached"]),
    when_full=st.sampled_from(["compress", "slide", "ask"]),
)
operations: st.SearchStrategy[Operation] = st.one_of(
    appends,
    appends,
    appends,
    st.builds(Mark, kind=st.sampled_from(["pin", "skip", "star"]), back=back),
    st.builds(Delete, back=back),
    st.builds(Filter, is_on=st.booleans(), has_card=st.booleans()),
    st.builds(ChangeModel, usable=st.none() | st.integers(0, 1500), allowance=st.integers(0, 120)),
    st.builds(Summarise, first=st.integers(0, 2), kept=st.none() | st.integers(0, 5)),
    st.builds(Configure, settings=settings, system=sizes, prefill=st.just(0) | st.integers(1, 90)),
    st.builds(
        Write,
        tokens=st.integers(5, 300),
        rounds=st.integers(0, 4),
        sent=st.none() | st.integers(1, 400),
    ),
    st.builds(
        Refuse,
        overflow=st.builds(
            Overflow,
            trims=st.integers(0, 3),
            limit_tokens=st.none() | st.integers(100, 1500),
        ),
    ),
)

CHANGES: dict[type[Operation], Change] = {
    Append: "reply",
    Delete: "deletion",
    Filter: "filter",
    ChangeModel: "model",
    Summarise: "summary",
    Configure: "settings",
    Write: "keystroke",
    Refuse: "trim_attempt",
}
MARK_CHANGES: dict[str, Change] = {"pin": "pin", "skip": "skip", "star": "visibility"}


class World:
    """A chat and everything that decides about its next request."""

    def __init__(self) -> None:
        self.history: list[TurnContent] = []
        self.settings = KEEP_ALL
        self.budget = budget(800, allowance=50)
        self.system = ""
        self.prefill = ""
        self.filter: Filter | None = None
        self.summary_ids: tuple[str, str] | None = None
        self.is_running = False
        self.current: tuple[Message, ...] = ()
        self.overflow = Overflow(trims=0, limit_tokens=None)
        self.floor_index: int | None = None
        self._made = 0
        self._write(Write(tokens=20, rounds=0))

    def apply(self, operation: Operation, *, floor_index: int | None) -> None:
        """Do it; ``floor_index`` is what the plan before leaves to the next."""
        match operation:
            case Append():
                self._append(operation)
            case Mark():
                self._mark(operation)
            case Delete(back=back):
                self._delete(back)
            case Filter(is_on=is_on):
                self.filter = operation if is_on else None
            case ChangeModel(usable=usable, allowance=allowance):
                self.budget = budget(usable, allowance=allowance)
            case Summarise():
                self._summarise(operation)
            case Configure(settings=settings, system=system, prefill=prefill):
                self.settings, self.system = settings, "s" * system
                self.prefill = "p" * prefill
            case Write():
                self._write(operation)
            case Refuse(overflow=overflow):
                self.overflow = overflow
        self._move_floor(operation, floor_index)

    @property
    def all_turns(self) -> list[TurnContent]:
        """The history, and the running turn as the page shows it."""
        running = self._turn("sending", self.current)
        return [*self.history, running] if self.is_running else list(self.history)

    def given(self) -> PlanInput:
        asked = given(self.all_turns)
        return structs.replace(
            asked,
            budget=self.budget,
            settings=self.settings,
            view=structs.replace(
                asked.view,
                filter_text="s>=1" if self.filter else "",
                visible=self._visible() if self.filter else None,
                has_summary=self.filter.has_card if self.filter else True,
            ),
            system=self.system,
            summary=self._summary(),
            current=self.current,
            floor_index=self.floor_index,
            overflow=self.overflow,
            prefill="" if self.is_running else self.prefill,
        )

    def _turn(self, state: TurnState, messages: tuple[Message, ...]) -> TurnContent:
        return structs.replace(turn(f"t{self._made}", state=state), messages=messages)

    def _append(self, operation: Append) -> None:
        messages = list(self.current)
        if operation.tool:
            messages += tool_round(f"t{self._made}.tool", result="r" * operation.tool)
        if operation.outcome != "failed":
            messages.append(self._answer(operation))
        state = "complete" if operation.outcome == "complete" else "error"
        self.history.append(self._turn(state, tuple(messages)))
        self.overflow = Overflow(trims=0, limit_tokens=None)
        self._made += 1
        self._write(Write(tokens=20, rounds=0))

    def _answer(self, operation: Append) -> Message:
        thought = (Reasoning(text="r" * operation.reasoning),) if operation.reasoning else ()
        answer = message(
            f"t{self._made}.answer", "assistant", *thought, text("b", operation.tokens)
        )
        if operation.reported is None:
            return answer
        usage = TokenUsage(output_tokens=operation.reported)
        return structs.replace(answer, usage=usage, model=MODEL)

    def _mark(self, operation: Mark) -> None:
        if operation.back >= len(self.history):
            return
        place = len(self.history) - 1 - operation.back
        old = self.history[place].turn
        changed = {
            "pin": {"is_pinned": not old.is_pinned},
            "skip": {"is_skipped": not old.is_skipped},
            "star": {"star": 0 if old.star else 1},
        }[operation.kind]
        marked = structs.replace(old, **changed)
        self.history[place] = structs.replace(self.history[place], turn=marked)

    def _delete(self, back: int) -> None:
        if back < len(self.history):
            del self.history[len(self.history) - 1 - back]

    def _summarise(self, operation: Summarise) -> None:
        covered = [] if operation.kept is None else self.history[operation.first :]
        covered = covered[: len(covered) - (operation.kept or 0)]
        ids = [content.turn.id for content in covered]
        self.summary_ids = (ids[0], ids[-1]) if ids else None

    def _write(self, operation: Write) -> None:
        self.is_running = operation.rounds > 0
        asked = message(f"t{self._made}.ask", "user", text("d", operation.tokens))
        if operation.sent is not None:
            asked = structs.replace(asked, sent_text="w" * operation.sent)
        messages = [asked]
        for number in range(operation.rounds):
            call, result = tool_round(f"t{self._made}.r{number}", result="x" * operation.tokens)
            thought = (Reasoning(text="hm"), text("w", 10))
            messages += [structs.replace(call, parts=(*thought, *call.parts)), result]
        self.current = tuple(messages)

    def _move_floor(self, operation: Operation, floor_index: int | None) -> None:
        is_mark = isinstance(operation, Mark)
        change = MARK_CHANGES[operation.kind] if is_mark else CHANGES[type(operation)]
        effect = effect_of([change])
        if effect == "extend":
            self.floor_index = floor_index
        elif effect == "anew":
            self.floor_index = None

    def _visible(self) -> bytes:
        return bytes(min(1, content.turn.star) for content in self.all_turns)

    def _summary(self) -> ActiveSummary | None:
        """As stored: by the ids of its first and last turn, if both are still there."""
        ids = [content.turn.id for content in self.history]
        if self.summary_ids is None or not set(self.summary_ids) <= set(ids):
            return None
        first, last = (ids.index(id) for id in self.summary_ids)
        return ActiveSummary(id="sum", text="They talked.", first_index=first, last_index=last)
