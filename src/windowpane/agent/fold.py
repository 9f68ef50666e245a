"""Events → what they amount to. The page, recovery and the loop read a turn through this fold,
so a live turn, a reloaded one and one that a crash left behind cannot differ."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from windowpane.events import (
    Event,
    Finished,
    MessageDone,
    OpenPart,
    PartDone,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from windowpane.messages import Finish, Message
from windowpane.parts import Part, Reasoning, Text, ToolCall
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage


class Draft:
    """The assistant message that is being written: whole parts, usage, finish."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.usage: TokenUsage | None = None
        self.finish: Finish | None = None

    def clear(self) -> None:
        """Begin the next message."""
        self.parts, self.usage, self.finish = [], None, None

    def add(self, event: Event) -> None:
        match event:
            case PartDone():
                self.parts.append(event.part)
            case UsageReported():
                # Providers report cumulative usage: the last report is the whole truth.
                self.usage = event.usage
            case Finished():
                self.finish = event.finish
            case _:
                pass

    def add_open(self, part: OpenPart) -> None:
        """Keep what a broken-off part holds. Half a tool call is no call and is not kept."""
        if not part.text:
            return
        if part.kind == "text":
            self.parts.append(Text(text=part.text))
        elif part.kind == "reasoning":
            self.parts.append(Reasoning(text=part.text))

    def message(self, *, id: str, model: str, at: datetime, finish: Finish) -> Message:
        return Message(
            id=id,
            role="assistant",
            parts=tuple(self.parts),
            created_at=at,
            model=model,
            usage=self.usage,
            finish=finish,
        )

    @property
    def tool_calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]

    @property
    def is_empty(self) -> bool:
        return not self.parts and self.usage is None


def draft_of(events: Iterable[Event]) -> Draft:
    """What was said since the last whole message."""
    draft = Draft()
    for event in events:
        if isinstance(event, TurnStarted | MessageDone):
            draft.clear()
        else:
            draft.add(event)
    return draft


class Unfinished:
    """A turn read from its log: finished messages and the draft of the next."""

    def __init__(self, *, turn: Turn, messages: Iterable[Message]) -> None:
        self.turn = turn
        self.messages = list(messages)
        self.draft = Draft()

    @staticmethod
    def of(events: Iterable[Event]) -> Unfinished:
        """From a turn's events, which begin with its start."""
        started, *others = events
        assert isinstance(started, TurnStarted), "a turn's events begin with its start"
        unfinished = Unfinished(turn=started.turn, messages=[started.message])
        for event in others:
            unfinished.add(event)
        return unfinished

    def add(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self.turn, self.messages, self.draft = event.turn, [event.message], Draft()
            case MessageDone():
                self.messages.append(event.message)
                self.draft.clear()
            case TurnEnded():
                self.turn = event.turn
            case _:
                self.draft.add(event)

    def content(self, *, draft_id: str) -> TurnContent:
        """The turn as it stands, the draft as its last message if it holds anything."""
        messages = list(self.messages)
        if self.draft.parts:
            messages.append(
                self.draft.message(
                    id=draft_id,
                    model=self.turn.model,
                    at=self.turn.created_at,
                    finish=self.draft.finish or "pending",
                )
            )
        return TurnContent(turn=self.turn, messages=tuple(messages))
