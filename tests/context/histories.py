"""Histories for the tests of the context: turns of an exact weight, and plans drawn as letters.

One character is one token here, so that a test's numbers can be checked by eye.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import structs

from windowpane.context.assemble import assemble
from windowpane.context.budget import Budget
from windowpane.context.counting import standing_counts
from windowpane.context.diff import whereabouts
from windowpane.context.given import NO_OVERFLOW, WHOLE_CHAT, PlanInput, PlanSettings
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.request import ModelRequest
from windowpane.context.scope import Scope
from windowpane.context.states import TurnStanding
from windowpane.context.weights import weigh
from windowpane.messages import Message, Role
from windowpane.options import PLAIN
from windowpane.parts import Native, Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.tokens import MESSAGE_OVERHEAD_TOKENS, CharsEstimate, Counter, TokenCache
from windowpane.turns import Turn, TurnContent, TurnState

NOW = datetime(2026, 3, 20, 11, 0, tzinfo=UTC)
MODEL = "plain/model"
COUNTER = Counter(MODEL, tokenizer=CharsEstimate(1.0), cache=TokenCache(max_entries=1))
ASK_TOKENS = 10

KEEP_ALL = PlanSettings(
    reasoning_turns=None, tool_turns=None, cache_mode="all-off", when_full="slide"
)
CACHED = structs.replace(KEEP_ALL, cache_mode="cached")

LETTERS: dict[TurnStanding, str] = {
    "filtered": "F",
    "summarised": "M",
    "skipped": "K",
    "failed": "X",
    "current": "C",
    "over_budget": "-",
    "trimmed": "t",
    "shortened": "h",
    "sent": "s",
}


def message(id: str, role: Role, *parts: Part) -> Message:
    return Message(id=id, role=role, parts=parts, created_at=NOW)


def draft(tokens: int) -> Message:
    return message("draft", "user", Text(text="d" * (tokens - MESSAGE_OVERHEAD_TOKENS)))


def text(letter: str, tokens: int) -> Text:
    return Text(text=letter * (tokens - MESSAGE_OVERHEAD_TOKENS))


def turn(
    id: str,
    tokens: int = 100,
    *,
    state: TurnState = "complete",
    has_answer: bool = True,
    reasoning: int = 0,
    tool: int = 0,
    is_pinned: bool = False,
    is_skipped: bool = False,
) -> TurnContent:
    """A question of 10 tokens and an answer of the rest, beside reasoning and one tool round.

    The round's own weight is that of its JSON and two messages beside the ``tool`` characters.
    """
    messages = [message(f"{id}.ask", "user", text("a", ASK_TOKENS))]
    if tool:
        messages += tool_round(f"{id}.tool", result="r" * tool)
    if has_answer:
        answer: list[Part] = [text("b", tokens - ASK_TOKENS)]
        if reasoning:
            answer.insert(0, Reasoning(text="r" * reasoning))
        messages.append(message(f"{id}.answer", "assistant", *answer))
    return TurnContent(
        turn=Turn(
            id=id,
            chat_id="chat",
            parent_id=None,
            depth=0,
            model=MODEL,
            state=state,
            created_at=NOW,
            is_pinned=is_pinned,
            is_skipped=is_skipped,
        ),
        messages=tuple(messages),
    )


def tool_round(id: str, *, result: str, call_id: str = "") -> list[Message]:
    call = ToolCall(call_id=call_id or id, name="look", arguments="{}")
    answer = ToolResult(call_id=call_id or id, name="look", text=result)
    return [
        message(f"{id}.call", "assistant", call),
        message(f"{id}.result", "tool", answer),
    ]


def turns(count: int, tokens: int = 100) -> list[TurnContent]:
    return [turn(f"t{number}", tokens) for number in range(1, count + 1)]


def budget(usable: int | None, *, allowance: int = 0) -> Budget:
    return Budget(
        window_tokens=usable,
        reserve_tokens=0,
        reserve_source="requested",
        margin_tokens=0,
        usable_tokens=usable,
        allowance_tokens=allowance,
        threshold_tokens=None if usable is None else usable * 95 // 100,
    )


def scope(history: Sequence[TurnContent], *, counter: Counter = COUNTER) -> Scope:
    return Scope.of([weigh(content, counter=counter) for content in history])


def given(history: Sequence[TurnContent], *, usable: int | None = None) -> PlanInput:
    """An empty draft and an empty filter; change what a test is about with ``but``."""
    return PlanInput(
        model=MODEL,
        counter=COUNTER,
        budget=budget(usable),
        settings=KEEP_ALL,
        scope=scope(history),
        view=WHOLE_CHAT,
        system="",
        tools=(),
        summary=None,
        current=(),
        floor_index=None,
        overflow=NO_OVERFLOW,
    )


def shown(input: PlanInput, pattern: str) -> PlanInput:
    """The input under a filter that shows the turns marked 1: ``"0110"``."""
    view = structs.replace(
        input.view, filter_text="c'x'", visible=bytes(map(int, pattern)), has_summary=False
    )
    return structs.replace(input, view=view)


def standings(input: PlanInput) -> list[TurnStanding]:
    """Where every turn of the scope stands, named or not; the plan's own counts must agree."""
    made = plan(input)
    named: dict[int, TurnStanding] = {one.index: one.standing for one in made.turns}
    where = whereabouts(input, index_of=int)
    found: list[TurnStanding] = []
    for index in range(input.scope.turns):
        standing = named.get(index) or where(str(index))
        assert standing is not None
        found.append(standing)
    counts = {kind: count.turns for kind, count in standing_counts(made).items()}
    assert counts == {kind: found.count(kind) for kind in found}
    return found


def drawn(input: PlanInput) -> str:
    """The standings as letters, oldest first: ``"--sst"`` hides no turn."""
    return "".join(LETTERS[one] for one in standings(input))


def request_of(
    made: ContextPlan, history: Sequence[TurnContent], *, frozen_mark_at: str | None = None
) -> ModelRequest:
    return assemble(
        made,
        {content.turn.id: content for content in history},
        max_output_tokens=None,
        options=PLAIN,
        frozen_mark_at=frozen_mark_at,
    )


def signature(family: str = "anthropic") -> Reasoning:
    """Reasoning that is all signature: no text, and it must go back unchanged."""
    return Reasoning(text="", native=Native(family=family, block='{"signature":"s"}'))
