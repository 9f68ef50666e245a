"""The part that is being written, as the pieces it shows so far.

Most parts show one piece. A text that begins with a thought shows two, and one that a citation cut
off from the text before it goes on in that text's piece.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from windowpane.events import OpenKind, OpenPart, SendHeld, ToolRun
from windowpane.messages import Message
from windowpane.render import Patch, StreamRenderer
from windowpane.storage.branches import TurnPlace
from windowpane.turns import TurnContent
from windowpane.web.activity import ENDED, activity_of
from windowpane.web.pieces import (
    OpenRun,
    Piece,
    ProsePiece,
    ReasoningPiece,
    TextPiece,
    ToolPiece,
    gap,
    open_run,
    pieces_of,
)
from windowpane.web.thinking import Span, ThoughtCutter
from windowpane.web.turns import framed_html, piece_html, turn_html


class Change(Struct, frozen=True):
    """A piece grew, or is drawn anew as a whole."""

    index: int
    drawing: Patch | Markup


class Strand:
    """One piece that grows, rendered as far as it is."""

    def __init__(self, span: Span) -> None:
        self.kind = span.kind
        self._renderer = StreamRenderer()
        self._texts: list[str] = []
        self._is_open = True
        self.grow(span.text)

    def grow(self, text: str) -> Patch | None:
        self._texts.append(text)
        return self._renderer.feed(text)

    def finish(self, piece: Piece) -> list[Patch] | None:
        """The last changes, if the piece is what was begun here."""
        if not isinstance(piece, TextPiece | ReasoningPiece) or piece.kind != self.kind:
            return None
        seen = "".join(self._texts)
        if not piece.text.startswith(seen):
            return None
        last = self.grow(piece.text[len(seen) :]) if self._is_open else None
        return [*([last] if last else []), *self.close()]

    def close(self) -> list[Patch]:
        if not self._is_open:
            return []
        self._is_open = False
        return [self._renderer.finish()]

    def html(self) -> Markup:
        """A preview is of a whole text only: it would have to be sent again with every word."""
        text = "" if self._is_open else "".join(self._texts)
        piece: ProsePiece = TextPiece(text) if self.kind == "text" else ReasoningPiece(text)
        return framed_html(piece, html=Markup(self._renderer.snapshot()), is_open=self._is_open)


class OpenPieces:
    """The pieces of the open part; the first has its place at ``begin``."""

    def __init__(self, kind: OpenKind, *, name: str, run: OpenRun) -> None:
        self.begin = run.begin
        self._kind: OpenKind = kind
        self._name = name
        self._cutter = ThoughtCutter()
        self._before = run.text
        self._strands: list[Strand] = []
        for span in self._cut(run.text):
            self._add(span)

    def grow(self, text: str) -> list[Change]:
        """A tool call is shown when it is whole, so nothing of it is drawn before."""
        lead, self._before = gap(self._before, text), ""
        return [change for span in self._cut(lead + text) for change in self._add(span)]

    def drawings(self) -> list[Markup]:
        """All pieces as they stand; before the first word, the place where it will appear."""
        return [strand.html() for strand in self._strands] or [self._begun()]

    @property
    def places(self) -> range:
        return range(self.begin, self.begin + max(1, len(self._strands)))

    def finish(self, index: int, piece: Piece) -> tuple[list[Patch], Markup] | None:
        """The piece's whole drawing and how the page gets there, if it was begun here."""
        place = index - self.begin
        if not 0 <= place < len(self._strands):
            return None
        strand = self._strands[place]
        patches = strand.finish(piece)
        return None if patches is None else (patches, strand.html())

    def _cut(self, text: str) -> list[Span]:
        match self._kind:
            case "text":
                return self._cutter.feed(text)
            case "reasoning":
                return [Span("reasoning", text)] if text else []
            case "tool_call":
                return []

    def _add(self, span: Span) -> list[Change]:
        last = self._strands[-1] if self._strands else None
        place = self.begin + len(self._strands)
        if last is not None and last.kind == span.kind:
            patch = last.grow(span.text)
            return [Change(place - 1, patch)] if patch else []
        self._strands.append(Strand(span))
        begun = Change(place, self._strands[-1].html())
        if last is None:
            return [begun]
        last.close()
        return [Change(place - 1, last.html()), begun]

    def _begun(self) -> Markup:
        piece: Piece = TextPiece("")
        if self._kind == "reasoning":
            piece = ReasoningPiece("")
        elif self._kind == "tool_call":
            piece = ToolPiece(name=self._name, arguments="", result=None, is_error=False)
        return framed_html(piece, html=Markup(""), is_open=True)


def run_before(kind: OpenKind, messages: Sequence[Message]) -> OpenRun:
    """What a part of this kind continues: only texts go on where others ended."""
    return (
        open_run(messages)
        if kind == "text"
        else OpenRun(len(pieces_of(messages, activity=ENDED)), "")
    )


def overlaid(pieces: Sequence[Markup], opened: OpenPieces) -> list[Markup]:
    """The finished pieces with those that are being written in their places."""
    shown = list(pieces)
    for place, html in enumerate(opened.drawings(), start=opened.begin):
        shown[place : place + 1] = [html]
    return shown


def loaded_html(
    content: TurnContent,
    *,
    open_part: OpenPart | None,
    tool_runs: Sequence[ToolRun],
    held: SendHeld | None,
    place: TurnPlace | None,
) -> Markup:
    """A turn as it is stored, with what is written, carried out or waited for if it is running."""
    activity = activity_of(content.turn, tool_runs)
    pieces = [piece_html(piece) for piece in pieces_of(content.messages, activity=activity)]
    if open_part is not None:
        run = run_before(open_part.kind, content.messages)
        opened = OpenPieces(open_part.kind, name=open_part.name, run=run)
        if open_part.text:
            opened.grow(open_part.text)
        pieces = overlaid(pieces, opened)
    return turn_html(content, pieces=pieces, place=place, held=held)
