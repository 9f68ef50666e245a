"""One question to one model, without a workspace: planned like every other, then forgotten.

Takes the same road as a chat (plan, assemble, stream, fold) with an empty history. It makes one
API call, stores nothing and runs no tool.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime

from msgspec import Struct

from windowpane.accounting import Cost, cost_of
from windowpane.agent.fold import Draft
from windowpane.agent.log import OpenBuffer
from windowpane.catalog import Limits, LimitValues, compression_defaults, limits_of, price_of
from windowpane.context.assemble import assemble
from windowpane.context.budget import budget_for
from windowpane.context.given import NO_OVERFLOW, WHOLE_CHAT, PlanInput, PlanSettings
from windowpane.context.plan import plan
from windowpane.context.prelude import system_prelude
from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.context.scope import Scope
from windowpane.definitions import ProviderDefinition
from windowpane.errors import Failure
from windowpane.events import PartDelta, PartDone, PartStarted, StreamEvent
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.options import RequestOptions
from windowpane.parts import Image, Part, Reasoning, Text, ToolCall
from windowpane.providers.choose import Shared, provider_from
from windowpane.providers.heeding import Wish
from windowpane.providers.room import room_for
from windowpane.tokens import UNCALIBRATED, TokenCache, counter_for
from windowpane.usage import TokenUsage

# Nothing follows, so nothing is kept free for it and a provider need not remember the beginning.
ALLOWANCE_TOKENS = 0
SETTINGS = PlanSettings(
    reasoning_turns=None, tool_turns=None, cache_mode="all-off", when_full="slide"
)
REMEMBERED_COUNTS = 1000


class Question(Struct, frozen=True, kw_only=True):
    """``model`` is the provider's own name for it."""

    definition: ProviderDefinition
    model: str
    text: str
    images: tuple[Image, ...]
    system: str
    tools: tuple[ToolDefinition, ...]
    max_output_tokens: int | None
    options: RequestOptions


class OnceAnswer(Struct, frozen=True, kw_only=True):
    """What came back. After a failure it holds what had arrived by then."""

    parts: tuple[Part, ...]
    usage: TokenUsage | None
    finish: Finish
    failure: Failure | None

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def reasoning(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Reasoning))

    @property
    def tool_calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]

    @property
    def citations(self) -> list[str]:
        """The addresses of the sources, each once, in the order of first mention."""
        cited = [one.url for part in self.parts if isinstance(part, Text) for one in part.citations]
        return list(dict.fromkeys(cited))


class Hearing:
    """Folds the events of one answer, up to wherever it ends."""

    def __init__(self) -> None:
        self._draft = Draft()
        self._open: OpenBuffer | None = None

    def add(self, event: StreamEvent) -> None:
        match event:
            case PartStarted():
                self._open = OpenBuffer(event.kind, name=event.name)
            case PartDelta():
                assert self._open is not None, "a delta needs an open part"
                self._open.write(event.text)
            case PartDone():
                self._open = None
                self._draft.add(event)
            case _:
                self._draft.add(event)

    def break_off(self) -> None:
        """The listener left: the part that is open ends here.

        A provider that breaks off has closed what it wants kept; half a thought that cannot be
        sent back is not.
        """
        if self._open is not None:
            self._draft.add_open(self._open.value())
            self._open = None

    def answer(self, *, failure: Failure | None) -> OnceAnswer:
        return OnceAnswer(
            parts=tuple(self._draft.parts),
            usage=self._draft.usage,
            finish="error" if failure else self._finish,
            failure=failure,
        )

    @property
    def _finish(self) -> Finish:
        return self._draft.finish or ("tool_use" if self._draft.tool_calls else "stop")


async def ask(
    question: Question, *, shared: Shared, at: datetime
) -> AsyncGenerator[StreamEvent, None]:
    """Raises ``InvalidInput`` for what cannot be sent, ``ProviderFailed`` for what went wrong."""
    provider = provider_from(question.definition, shared=shared)
    try:
        wire = provider.to_wire(request_for(question, at=at))
        async with aclosing(provider.stream(wire)) as events:
            async for event in events:
                yield event
    finally:
        await provider.close()


def request_for(question: Question, *, at: datetime) -> ModelRequest:
    limits = _limits(question)
    room = room_for(_wish(question), limits=limits)
    ready = plan(
        PlanInput(
            model=question.model,
            counter=counter_for(question.model, cache=TokenCache(max_entries=REMEMBERED_COUNTS)),
            budget=budget_for(
                limits,
                requested_output_tokens=room.requested_tokens,
                allowance_tokens=ALLOWANCE_TOKENS,
                threshold=compression_defaults(question.model, limits=limits).threshold,
                calibration=UNCALIBRATED,
            ),
            settings=SETTINGS,
            scope=Scope.of(()),
            view=WHOLE_CHAT,
            system=system_prelude(
                project_prompt=question.system, topic_message="", tool_prompts=()
            ),
            tools=question.tools,
            summary=None,
            current=(_message(question, at=at),),
            floor_index=None,
            overflow=NO_OVERFLOW,
            prefill=question.options.prefill,
        )
    )
    return assemble(
        ready,
        {},
        max_output_tokens=room.told_tokens,
        options=question.options,
        frozen_mark_at=None,
    )


def cost_at(question: Question, usage: TokenUsage | None, *, at: datetime) -> Cost | None:
    """What the answer cost by the prices of that moment; None if the provider told no usage."""
    if usage is None:
        return None
    price = price_of(
        question.model, definition=question.definition, told=None, override=None, taken_at=at
    )
    return cost_of(usage, price)


def _message(question: Question, *, at: datetime) -> Message:
    text = (Text(text=question.text),) if question.text else ()
    return Message(id=new_id("record"), role="user", parts=(*question.images, *text), created_at=at)


def _wish(question: Question) -> Wish:
    return Wish(
        definition=question.definition,
        model=question.model,
        max_output_tokens=question.max_output_tokens,
        options=question.options,
        tools=question.tools,
    )


def _limits(question: Question) -> Limits:
    return limits_of(
        question.model,
        definition=question.definition,
        told=LimitValues(),
        learned=LimitValues(),
        override=None,
    )
