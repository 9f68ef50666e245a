"""Events → what they amount to. The page, recovery and the loop read a turn through this fold,
so a live turn, a reloaded one and one that a crash left behind cannot differ.

A running turn writes a message, or it carries out the calls of the message before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import structs

from windowpane.agent.results import results_message, with_message
from windowpane.events import (
    AttemptStarted,
    Event,
    Finished,
    MessageDone,
    OpenPart,
    PartDone,
    SendHeld,
    ToolEnded,
    ToolProgressed,
    ToolRun,
    ToolStarted,
    TurnEnded,
    TurnPaused,
    TurnResumed,
    TurnStarted,
    UsageReported,
)
from windowpane.messages import Finish, Message
from windowpane.parts import Image, Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage


class Draft:
    """The assistant message that is being written: whole parts, usage, finish."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.usage: TokenUsage | None = None
        self.planned_tokens: int | None = None
        self.finish: Finish | None = None

    def clear(self) -> None:
        """Begin the next message."""
        self.parts, self.usage, self.planned_tokens, self.finish = [], None, None, None

    def add(self, event: Event) -> None:
        match event:
            case AttemptStarted():
                self.planned_tokens = event.tokens
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
            planned_tokens=self.planned_tokens,
            finish=finish,
        )

    @property
    def tool_calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]

    @property
    def is_empty(self) -> bool:
        return not self.parts and self.usage is None


class Work:
    """The calls that are being carried out, in the order in which they began."""

    def __init__(self) -> None:
        self.runs: list[ToolRun] = []

    def clear(self) -> None:
        self.runs = []

    def add(self, event: Event) -> None:
        match event:
            case ToolStarted():
                self.runs.append(ToolRun(call_id=event.call_id, name=event.name))
            case ToolProgressed():
                self._change(event.call_id, _progressed(event))
            case ToolEnded():
                self._end(event)
            case _:
                pass

    @property
    def results(self) -> list[ToolResult]:
        return [run.result for run in self.runs if run.result is not None]

    @property
    def images(self) -> list[Image]:
        return [image for run in self.runs for image in run.images]

    def output_of(self, call_id: str) -> str:
        return next((run.output for run in self.runs if run.call_id == call_id), "")

    def _end(self, event: ToolEnded) -> None:
        """A call that was refused ends without having begun."""
        result = event.result
        if self._open(result.call_id) is None:
            self.runs.append(ToolRun(call_id=result.call_id, name=result.name))
        self._change(
            result.call_id,
            lambda run: structs.replace(run, result=result, images=event.images),
        )

    def _change(self, call_id: str, change: Callable[[ToolRun], ToolRun]) -> None:
        place = self._open(call_id)
        if place is not None:
            self.runs[place] = change(self.runs[place])

    def _open(self, call_id: str) -> int | None:
        runs = enumerate(self.runs)
        return next((n for n, run in runs if run.call_id == call_id and not run.result), None)


def _progressed(event: ToolProgressed) -> Callable[[ToolRun], ToolRun]:
    def progressed(run: ToolRun) -> ToolRun:
        return structs.replace(
            run,
            message=event.message,
            fraction=event.fraction,
            output=run.output + event.output,
        )

    return progressed


class Unfinished:
    """A turn read from its log: finished messages, and the draft of the next or the work on it."""

    def __init__(self, *, turn: Turn, messages: Iterable[Message]) -> None:
        self.turn = turn
        self.messages = list(messages)
        self.draft = Draft()
        self.held: SendHeld | None = None
        self.work = Work()

    @staticmethod
    def of(events: Iterable[Event]) -> Unfinished:
        """From a turn's events, which begin with how it started or went on."""
        first, *others = events
        assert isinstance(first, TurnStarted | TurnResumed), "a turn's events begin with its start"
        unfinished = Unfinished(turn=first.turn, messages=())
        for event in (first, *others):
            unfinished.add(event)
        return unfinished

    def add(self, event: Event) -> None:
        match event:
            case SendHeld():
                self.held = event
            case AttemptStarted():
                self.held = None
                self.draft.add(event)
            case TurnStarted():
                self._begin(event.turn, [event.message])
            case TurnResumed():
                self._begin(event.turn, list(event.messages))
            case MessageDone():
                self.messages = with_message(self.messages, event.message)
                self.draft.clear()
                self.work.clear()
            case TurnPaused() | TurnEnded():
                self.turn, self.held = event.turn, None
                self.work.clear()
            case _:
                self.draft.add(event)
                self.work.add(event)

    def _begin(self, turn: Turn, messages: list[Message]) -> None:
        self.turn, self.messages = turn, messages
        self.draft.clear()
        self.work.clear()

    def answered(self, *, id: str, at: datetime) -> Message | None:
        """The results so far as the message that they will be; None if there are no new ones."""
        if not self.work.results:
            return None
        return results_message(
            self.messages, self.work.results, images=self.work.images, id=id, at=at
        )

    def content(self, *, draft_id: str) -> TurnContent:
        """The turn as it stands, the draft as its last message if it holds anything."""
        messages = list(self.messages)
        if results := self.answered(id=draft_id, at=self.turn.created_at):
            messages = with_message(messages, results)
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
