"""How an answer appears while it arrives."""

from __future__ import annotations

from typing import Protocol

from windowpane.cli.pieces import Piece
from windowpane.cli.terminal import show, whisper


class Screen(Protocol):
    def piece(self, piece: Piece) -> None: ...

    def end(self) -> None: ...


class PlainScreen:
    """Text on standard output as it comes; reasoning beside it, where a person looks on."""

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

    def end(self) -> None:
        pass
