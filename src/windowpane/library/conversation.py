"""A list of messages in a provider's own JSON: count it, plan it, and get back what to send.

Nothing is converted on the way: what is sent is what was given, less what the plan leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from windowpane.context.assemble import assemble
from windowpane.context.budget import Budget
from windowpane.context.checkpoint import SUMMARY_HEADING
from windowpane.context.given import (
    NO_OVERFLOW,
    WHOLE_CHAT,
    ActiveSummary,
    PlanInput,
    PlanSettings,
)
from windowpane.context.plan import plan
from windowpane.context.prelude import system_prelude
from windowpane.context.request import ToolDefinition
from windowpane.context.transcript import transcript
from windowpane.context.view import view_of
from windowpane.errors import InvalidInput
from windowpane.filters import Everything, parse
from windowpane.library import anthropic, openai
from windowpane.library.budgeting import model_budget, without_limits
from windowpane.library.chosen import NOWHERE, check_askable, history_of, texts_of
from windowpane.library.planned import Plan
from windowpane.library.reading import Json
from windowpane.library.source import Source
from windowpane.library.spoken import (
    SystemText,
    check_tools,
    content_of,
    is_pending,
    message_of,
    turns_of,
)
from windowpane.library.tools import tools_from
from windowpane.library.weighing import Weights
from windowpane.messages import Message
from windowpane.options import PLAIN
from windowpane.parts import Text
from windowpane.settings import ContextSettings
from windowpane.turns import TurnContent

Shape = Literal["openai", "anthropic"]

DEFAULTS = ContextSettings()
# Up to the last token that fits: nothing is kept free and nothing moves in steps.
EXACTLY = ContextSettings(user_request_allowance_tokens=0, cache_mode="all-off")
DRAFT_ID = "draft"


class Conversation(Struct, frozen=True, kw_only=True):
    """Turns that are over, and what is asked now. Methods that change something give a new one.

    Turns are counted from 1. A turn begins with every message of the user; the last one, if it
    waits for an answer, is not a turn yet but what is asked now.
    """

    shape: Shape
    sources: tuple[Source, ...]
    system: tuple[SystemText, ...]
    has_plain_system: bool
    tools: tuple[ToolDefinition, ...]
    turns: tuple[TurnContent, ...]
    current: tuple[Message, ...]
    summary: ActiveSummary | None
    weights: Weights

    @classmethod
    def from_openai(cls, messages: Sequence[Json], *, tools: Sequence[Json] = ()) -> Conversation:
        """Messages and tools of Chat Completions. Raises ``BadMessages``."""
        system, sources = openai.read_messages(messages)
        check_tools(sources, leading=len(system))
        return cls._of(
            "openai", sources, system=system, tools=tools_from(tools), has_plain_system=False
        )

    @classmethod
    def from_anthropic(
        cls,
        messages: Sequence[Json],
        *,
        system: str | Sequence[Json] | None = None,
        tools: Sequence[Json] = (),
    ) -> Conversation:
        """Messages, system text and tools of Anthropic's Messages. Raises ``BadMessages``."""
        sources = anthropic.read_messages(messages)
        check_tools(sources, leading=0)
        return cls._of(
            "anthropic",
            sources,
            system=anthropic.read_system(system),
            tools=tools_from(tools),
            has_plain_system=isinstance(system, str),
        )

    @classmethod
    def _of(
        cls,
        shape: Shape,
        sources: Sequence[Source],
        *,
        system: Sequence[SystemText],
        tools: tuple[ToolDefinition, ...],
        has_plain_system: bool,
    ) -> Conversation:
        turns = turns_of(sources)
        asked = turns.pop() if turns and is_pending(turns[-1]) else []
        return cls(
            shape=shape,
            sources=tuple(sources),
            system=tuple(system),
            has_plain_system=has_plain_system,
            tools=tools,
            turns=tuple(content_of(number, turn) for number, turn in enumerate(turns, start=1)),
            current=tuple(source.message for source in asked),
            summary=None,
            weights=Weights(),
        )

    def __repr__(self) -> str:
        return f"<Conversation of {len(self.turns)} turns>"

    def __len__(self) -> int:
        return len(self.turns)

    def pin(self, *turns: int) -> Conversation:
        """Hold turns in, verbatim, whatever the budget says."""
        return self._marked(turns, is_pinned=True)

    def skip(self, *turns: int) -> Conversation:
        """Leave turns out, also pinned ones."""
        return self._marked(turns, is_skipped=True)

    def star(self, *turns: int, stars: int) -> Conversation:
        """Give turns 0 to 3 stars, for filters."""
        if not 0 <= stars <= 3:
            raise InvalidInput(f"A turn has 0 to 3 stars, not {stars}.")
        return self._marked(turns, star=stars)

    def summarised(self, text: str, *, through: int) -> Conversation:
        """Let a summary stand for the turns up to and including one."""
        self._check(through)
        summary = ActiveSummary(id="summary", text=text, first_index=0, last_index=through - 1)
        return replace(self, summary=summary)

    def count(self, model: str) -> int:
        """What all of it weighs for a model, as if there were no limit."""
        return plan(self._unlimited(model)).total_tokens

    def filter(self, query: str, *, model: str | None = None) -> list[int]:
        """The turns that a filter chooses. ``o`` asks what ``model`` would be sent."""
        given = self._unlimited("") if model is None else self.plan(model).given
        chosen = self._viewed(query, given).view.visible
        numbers = range(1, len(self.turns) + 1)
        return list(numbers if chosen is None else compress(numbers, chosen))

    def plan(
        self,
        model: str,
        *,
        draft: str = "",
        filter: str = "",
        max_tokens: int | None = None,
        settings: ContextSettings | None = None,
    ) -> Plan:
        """Decide what is sent.

        Args:
            draft: a message that comes after those given.
            filter: show, and so send, only the turns that it chooses.
            max_tokens: a limit of your own for the request, which is filled exactly; the model's
                counts as well.
            settings: how to fill it; without, a model's limit is filled as in a chat, in steps
                that keep the beginning of requests the same for long.
        """
        settings = settings or (DEFAULTS if max_tokens is None else EXACTLY)
        asked = self.current
        if draft:
            asked = (*asked, replace(message_of(0, "user", [Text(text=draft)]), id=DRAFT_ID))
        budget = model_budget(model, settings=settings, max_tokens=max_tokens)
        given = self._given(model, settings, budget=budget, current=asked)
        given = self._viewed(filter, given)
        return Plan(context=plan(given), given=given, sources=self.sources)

    def to_openai(self, plan: Plan) -> list[Json]:
        """The ``messages`` to send. Raises ``PromptTooLarge`` for a plan that cannot be sent."""
        self._check_shape("openai")
        summary = self._summary_text(plan)
        added = [openai.summary_message(self.system, summary)] if summary else []
        return [*(text.json for text in self.system), *added, *self._sent(plan)]

    def to_anthropic(self, plan: Plan) -> dict[str, object]:
        """``messages`` to send, and ``system`` if there is any, as fields of the request's body."""
        self._check_shape("anthropic")
        body: dict[str, object] = {"messages": self._sent(plan)}
        summary = self._summary_text(plan)
        blocks = [text.json for text in self.system]
        if self.has_plain_system or not blocks:
            texts = [text.text for text in self.system]
            body["system"] = "\n\n".join([*texts, summary] if summary else texts)
        else:
            body["system"] = [*blocks, {"type": "text", "text": summary}] if summary else blocks
        return body if body["system"] else {"messages": body["messages"]}

    def transcript(self) -> str:
        """The turns as plain text, for a model that shall summarise them."""
        return transcript(self.turns)

    def _unlimited(self, model: str) -> PlanInput:
        budget = model_budget(model, settings=DEFAULTS, max_tokens=None)
        return self._given(model, DEFAULTS, budget=without_limits(budget), current=self.current)

    def _given(
        self,
        model: str,
        settings: ContextSettings,
        *,
        budget: Budget,
        current: tuple[Message, ...],
    ) -> PlanInput:
        return PlanInput(
            model=model,
            counter=self.weights.counter(model),
            budget=budget,
            settings=PlanSettings(
                reasoning_turns=settings.reasoning_turns,
                tool_turns=settings.tool_turns,
                cache_mode=settings.cache_mode,
                when_full="slide",
            ),
            scope=self.weights.scope(model, self.turns),
            view=WHOLE_CHAT,
            system=system_prelude(
                project_prompt="",
                topic_message="",
                tool_prompts=[text.text for text in self.system],
            ),
            tools=self.tools,
            summary=self.summary,
            current=current,
            floor_index=None,
            overflow=NO_OVERFLOW,
        )

    def _viewed(self, query: str, given: PlanInput) -> PlanInput:
        tree = parse(query)
        if isinstance(tree, Everything):
            return given
        check_askable(tree)
        covered = self.summary.covered if self.summary else range(0)
        found = view_of(
            tree,
            given=given,
            history=history_of(self.turns, covered=covered),
            viewpoint=NOWHERE,
            texts=texts_of(self.turns),
        )
        return found.given

    def _sent(self, plan: Plan) -> list[Json]:
        if plan.sources is not self.sources:
            raise InvalidInput("This plan was made of another conversation.")
        sources = {source.message.id: source for source in self.sources}
        contents = {content.turn.id: content for content in self.turns}
        request = assemble(
            plan.context, contents, max_output_tokens=None, options=PLAIN, frozen_mark_at=None
        )
        return [
            sources[message.id].without(message.parts)
            if message.id in sources
            else {"role": "user", "content": message.text}
            for message in request.messages
        ]

    def _summary_text(self, plan: Plan) -> str:
        summary = plan.context.summary
        return f"{SUMMARY_HEADING}\n{summary.text}" if summary else ""

    def _marked(self, turns: Sequence[int], **marks: bool | int) -> Conversation:
        for number in turns:
            self._check(number)
        return replace(
            self,
            weights=self.weights.renewed(),
            turns=tuple(
                replace(content, turn=replace(content.turn, **marks))
                if number in turns
                else content
                for number, content in enumerate(self.turns, start=1)
            ),
        )

    def _check(self, number: int) -> None:
        if not 1 <= number <= len(self.turns):
            raise InvalidInput(f"There is no turn {number}; there are {len(self.turns)}.")

    def _check_shape(self, shape: Shape) -> None:
        if self.shape != shape:
            raise InvalidInput(f"These messages were given as {self.shape}. Use to_{self.shape}.")
