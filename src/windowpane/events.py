"""The one tagged union that providers, loop, store, page and command line speak.

A provider yields ``StreamEvent``; the loop adds what only it knows. Each event gets an id
``epoch:seq`` before anybody sees it. Finished events go to the log; ``PartStarted`` and
``PartDelta`` describe the open part, which is one row that is written again and again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from windowpane.errors import Failure, InvalidInput
from windowpane.messages import Finish, Message
from windowpane.parts import Image, Part, ToolResult
from windowpane.turns import Turn
from windowpane.usage import TokenUsage

OpenKind = Literal["text", "reasoning", "tool_call"]
# What a send can wait for: a quota that is counted here, or the end of a provider's bad moment.
HoldReason = Literal["quota", "retry"]


class PartStarted(Struct, frozen=True, kw_only=True, tag="part_started"):
    """``name`` is the tool's for a tool call, else empty."""

    kind: OpenKind
    name: str = ""


class PartDelta(Struct, frozen=True, kw_only=True, tag="part_delta"):
    text: str


class PartDone(Struct, frozen=True, kw_only=True, tag="part_done"):
    part: Part


class UsageReported(Struct, frozen=True, kw_only=True, tag="usage_reported"):
    usage: TokenUsage


class Finished(Struct, frozen=True, kw_only=True, tag="finished"):
    """The provider's stream ended as it should."""

    finish: Finish


class AttemptStarted(Struct, frozen=True, kw_only=True, tag="attempt_started"):
    """A request goes out; ``number`` counts those of the turn from 1, ``tokens`` are planned."""

    receipt_id: str
    number: int
    tokens: int


class AttemptFailed(Struct, frozen=True, kw_only=True, tag="attempt_failed"):
    """The request was refused or broke off. What comes next says whether it is tried again."""

    receipt_id: str
    number: int
    failure: Failure


class SendHeld(Struct, frozen=True, kw_only=True, tag="send_held"):
    """Nothing happens until then, unless somebody stops it; ``message`` says why."""

    reason: HoldReason
    until_at: datetime
    message: str


class ToolStarted(Struct, frozen=True, kw_only=True, tag="tool_started"):
    call_id: str
    name: str


class ToolProgressed(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_progressed"):
    """``output`` is what came since the last time, the rest says how it stands."""

    call_id: str
    message: str = ""
    fraction: float | None = None
    output: str = ""


class ToolEnded(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_ended"):
    """One call is answered; the others of its message may still run."""

    result: ToolResult
    images: tuple[Image, ...] = ()


class TurnStarted(Struct, frozen=True, kw_only=True, tag="turn_started"):
    turn: Turn
    message: Message


class MessageDone(Struct, frozen=True, kw_only=True, tag="message_done"):
    """A whole message was stored; the parts before it in the log are now its.

    Results that came before a turn had to wait are one as well; with the rest it is told again.
    """

    message: Message


class TurnPaused(Struct, frozen=True, kw_only=True, tag="turn_paused"):
    """The turn waits for a person; told again when something of it was decided."""

    turn: Turn


class TurnResumed(Struct, frozen=True, kw_only=True, tag="turn_resumed"):
    """A turn that waited goes on, perhaps in another process: all that it holds so far."""

    turn: Turn
    messages: tuple[Message, ...]


class TurnEnded(Struct, frozen=True, kw_only=True, tag="turn_ended"):
    turn: Turn


class TurnsChanged(Struct, frozen=True, kw_only=True, tag="turns_changed"):
    """Turns that are there have changed: a mark, a branch, a deletion. Load them anew."""


class Reload(Struct, frozen=True, kw_only=True, tag="reload"):
    """What the reader saw is not continued here: load the chat anew and follow from there."""


StreamEvent = PartStarted | PartDelta | PartDone | UsageReported | Finished
AttemptEvent = AttemptStarted | AttemptFailed | SendHeld
ToolEvent = ToolStarted | ToolProgressed | ToolEnded
TurnEvent = TurnStarted | TurnPaused | TurnResumed | TurnEnded
Event = StreamEvent | AttemptEvent | ToolEvent | TurnEvent | MessageDone | TurnsChanged | Reload


class EventId(Struct, frozen=True, order=True):
    """A place in one chat's log. A new epoch begins whenever a process starts."""

    epoch: int
    seq: int

    def __str__(self) -> str:
        return f"{self.epoch}:{self.seq}"

    @classmethod
    def parse(cls, text: str) -> EventId:
        epoch, colon, seq = text.partition(":")
        if not (colon and epoch.isdecimal() and seq.isdecimal()):
            raise InvalidInput(f"{text!r} is not an event id; one looks like 3:17.")
        return cls(epoch=int(epoch), seq=int(seq))


class LoggedEvent(Struct, frozen=True, kw_only=True):
    id: EventId
    turn_id: str
    event: Event


class OpenPart(Struct, frozen=True, kw_only=True):
    """The part that is being written now: what a crash leaves and a late tab sees first."""

    kind: OpenKind
    name: str
    text: str


class ToolRun(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that is being carried out now: how far it is, and what it has given so far."""

    call_id: str
    name: str
    message: str = ""
    fraction: float | None = None
    output: str = ""
    result: ToolResult | None = None
    images: tuple[Image, ...] = ()
