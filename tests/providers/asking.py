"""Requests to put to a provider, and the answer gathered as a value."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from datetime import UTC, datetime

from msgspec import Struct, structs

from windowpane.context.request import ModelRequest
from windowpane.errors import Failure, ProviderFailed
from windowpane.events import (
    Finished,
    PartDelta,
    PartDone,
    PartStarted,
    StreamEvent,
    UsageReported,
)
from windowpane.messages import Finish, Message, Role
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall
from windowpane.providers.base import Provider
from windowpane.usage import TokenUsage


def message(role: Role, *parts: Part) -> Message:
    return Message(id="rec_1", role=role, parts=parts, created_at=datetime(2026, 11, 1, tzinfo=UTC))


def say(id: str, role: Role, *parts: Part) -> Message:
    return structs.replace(message(role, *parts), id=id)


def request(*messages: Message, model: str, system: str = "") -> ModelRequest:
    return ModelRequest(model=model, system=system, messages=messages)


def asked(text: str, *, model: str, system: str = "") -> ModelRequest:
    return request(message("user", Text(text=text)), model=model, system=system)


class Answer(Struct, frozen=True, kw_only=True):
    """What a reader of the events is left with."""

    parts: tuple[Part, ...]
    usage: TokenUsage | None
    finish: Finish | None
    failure: Failure | None = None

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def reasoning(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Reasoning))

    @property
    def citations(self) -> list[str]:
        """The addresses of the sources, each once, in the order of first mention."""
        cited = [one.url for part in self.parts if isinstance(part, Text) for one in part.citations]
        return list(dict.fromkeys(cited))

    @property
    def calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]


class Folding:
    """Folds events, insisting on their grammar: one part open at a time, told before it is done."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.usage: TokenUsage | None = None
        self.finish: Finish | None = None
        self._opened: tuple[str, str] | None = None
        self._told = ""

    def add(self, events: Iterable[StreamEvent]) -> None:
        for event in events:
            self._add(event)

    def _add(self, event: StreamEvent) -> None:
        assert self.finish is None, "nothing follows the finish"
        match event:
            case PartStarted():
                assert self._opened is None, "one part is open at a time"
                self._opened, self._told = (event.kind, event.name), ""
            case PartDelta():
                assert self._opened is not None
                assert event.text, "an empty delta tells nothing"
                self._told += event.text
            case PartDone():
                assert self._opened == _opening(event.part)
                assert self._told == _content(event.part)
                self.parts.append(event.part)
                self._opened, self._told = None, ""
            case UsageReported():
                self.usage = event.usage
            case Finished():
                assert self._opened is None
                self.finish = event.finish

    def answer(self, *, failure: Failure | None) -> Answer:
        return Answer(
            parts=tuple(self.parts), usage=self.usage, finish=self.finish, failure=failure
        )


def answer_of(events: Iterable[StreamEvent], *, failure: Failure | None = None) -> Answer:
    folding = Folding()
    folding.add(events)
    return folding.answer(failure=failure)


async def answered(provider: Provider, asking: ModelRequest) -> Answer:
    events, failure = await heard(provider, asking)
    return answer_of(events, failure=failure)


async def heard(
    provider: Provider, asking: ModelRequest
) -> tuple[list[StreamEvent], Failure | None]:
    events: list[StreamEvent] = []
    try:
        async with aclosing(streamed(provider, asking)) as stream:
            async for event in stream:
                events.append(event)
    except ProviderFailed as failed:
        return events, failed.failure
    return events, None


def streamed(provider: Provider, asking: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
    return provider.stream(provider.to_wire(asking))


async def first_delta(stream: AsyncGenerator[StreamEvent, None]) -> str:
    """Read up to the first piece of text, leaving the rest unread."""
    async for event in stream:
        if isinstance(event, PartDelta):
            return event.text
    raise AssertionError("the answer ended without any text")


def _opening(part: Part) -> tuple[str, str] | None:
    """What must have been started before it; nothing, for a part that comes whole."""
    match part:
        case Image() | ServerTool() | Opaque():
            return None
        case Text():
            return "text", ""
        case Reasoning():
            return "reasoning", ""
        case ToolCall():
            return "tool_call", part.name
        case _:
            raise AssertionError(f"a provider does not yield {part}")


def _content(part: Part) -> str:
    match part:
        case Text() | Reasoning():
            return part.text
        case ToolCall():
            return part.arguments
        case _:
            return ""
