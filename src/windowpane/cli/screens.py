"""How an answer appears while it arrives."""

from __future__ import annotations

import sys
from typing import Protocol

from windowpane.cli.pieces import Piece
from windowpane.cli.terminal import show, whisper
from windowpane.events import ToolEnded, ToolStarted
from windowpane.tools.drawing import one_line


class Screen(Protocol):
    def piece(self, piece: Piece) -> None: ...

    def tool(self, event: ToolStarted | ToolEnded) -> None: ...

    def end(self) -> None: ...


class PlainScreen:
    """Text on standard output as it comes; thoughts and tools beside it, where a person looks."""

    def __init__(self) -> None:
        self._last = Piece(kind="text", text="\n")

    def piece(self, piece: Piece) -> None:
        if piece.kind == "reasoning":
            whisper(piece.text)
        else:
            if self._last.kind == "reasoning":
                whisper("\n\n")
            show(piece.text)
        self._last = piece

    def tool(self, event: ToolStarted | ToolEnded) -> None:
        """What began, and what went wrong; a result that is fine is the model's to read."""
        if isinstance(event, ToolStarted):
            self._aside(f"[{event.name}]\n")
        elif event.result.is_error:
            self._aside(f"[{event.result.name}: {one_line(event.result.text)}]\n")

    def _aside(self, line: str) -> None:
        """On a line of its own at a terminal, where it stands between the answer's lines."""
        lead = "" if self._last.text.endswith("\n") else "\n"
        whisper(lead + line)
        if sys.stderr.isatty():
            self._last = Piece(kind=self._last.kind, text="\n")

    def end(self) -> None:
        """What comes next, a prompt or another command's output, begins on its own line."""
        if self._last.kind == "reasoning":
            whisper("\n")
        elif not self._last.text.endswith("\n"):
            show("\n")


class NoScreen:
    """For when only the whole answer is wanted."""

    def piece(self, piece: Piece) -> None:
        pass

    def tool(self, event: ToolStarted | ToolEnded) -> None:
        pass

    def end(self) -> None:
        pass
