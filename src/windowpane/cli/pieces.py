"""Events → the pieces of text that were not shown yet, in order.

A reader of the log may find a part finished whose beginning it saw, or a message whose last part
never finished: each piece is told once, however the events were bundled.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from windowpane.events import Event, MessageDone, OpenKind, PartDelta, PartDone, PartStarted
from windowpane.messages import Message
from windowpane.parts import Reasoning, Text
from windowpane.usage import TokenUsage

PieceKind = Literal["text", "reasoning"]
# Between the texts of two messages of one turn, as when tools were used in between.
SEPARATOR = "\n\n"


class Piece(Struct, frozen=True, kw_only=True):
    kind: PieceKind
    text: str


class Pieces:
    """``text`` and ``usage`` are those of the messages that are done."""

    def __init__(self) -> None:
        self.text = ""
        self.usage: TokenUsage | None = None
        self._open: OpenKind = "text"
        self._begin_message()

    def of(self, event: Event) -> list[Piece]:
        match event:
            case PartStarted():
                self._open = event.kind
                return []
            case PartDelta() if self._open != "tool_call":
                return self._tell(self._open, event.text)
            case PartDone(part=Text(text=text)):
                return self._catch_up("text", self._done["text"] + text)
            case PartDone(part=Reasoning(text=text)):
                return self._catch_up("reasoning", self._done["reasoning"] + text)
            case MessageDone(message=message) if message.role == "assistant":
                return self._end_message(message)
            case _:
                return []

    def _begin_message(self) -> None:
        self._done: dict[PieceKind, str] = {"text": "", "reasoning": ""}
        self._told_chars: dict[PieceKind, int] = {"text": 0, "reasoning": 0}

    def _tell(self, kind: PieceKind, text: str) -> list[Piece]:
        if not text:
            return []
        is_first = kind == "text" and self._told_chars["text"] == 0
        self._told_chars[kind] += len(text)
        lead = SEPARATOR if is_first and self.text else ""
        return [Piece(kind=kind, text=lead + text)]

    def _catch_up(self, kind: PieceKind, whole: str) -> list[Piece]:
        self._done[kind] = whole
        return self._tell(kind, whole[self._told_chars[kind] :])

    def _end_message(self, message: Message) -> list[Piece]:
        reasoning = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
        pieces = self._catch_up("reasoning", reasoning) + self._catch_up("text", message.text)
        if message.text:
            self.text += (SEPARATOR if self.text else "") + message.text
        if message.usage is not None:
            self.usage = message.usage + (self.usage or TokenUsage())
        self._begin_message()
        return pieces
