"""The newest turn of a chat as it is being written: events in, frames out.

It draws with the functions that draw loaded turns, so that what a page has at the end of an answer
is what it would get by loading it. Who watches, and when frames go out, is not decided here.
"""

from __future__ import annotations

from markupsafe import Markup

from windowpane.agent.fold import Unfinished
from windowpane.events import (
    Event,
    MessageDone,
    OpenKind,
    PartDelta,
    PartStarted,
    TurnEnded,
    TurnStarted,
)
from windowpane.render import Patch, StreamRenderer
from windowpane.turns import TurnContent
from windowpane.web.frames import Frame, PatchFrame, PieceFrame, StateFrame, TurnFrame
from windowpane.web.turns import (
    Piece,
    ReasoningPiece,
    TextPiece,
    ToolPiece,
    foot_html,
    framed_html,
    head_html,
    piece_html,
    pieces_of,
    standing_of,
    turn_html,
)


class OpenPiece:
    """The piece that is being written: its text so far, rendered as far as it is."""

    def __init__(self, started: PartStarted, *, index: int) -> None:
        self.index = index
        self.kind: OpenKind = started.kind
        self._name = started.name
        self._renderer = StreamRenderer()
        self._texts: list[str] = []

    def grow(self, text: str) -> Patch | None:
        """A tool call is shown when it is whole, so nothing of it is drawn before."""
        if self.kind == "tool_call":
            return None
        self._texts.append(text)
        return self._renderer.feed(text)

    def finish(self, piece: Piece) -> list[Patch] | None:
        """The last changes, if the piece is what was begun here."""
        seen = "".join(self._texts)
        if isinstance(piece, ToolPiece) or piece.kind != self.kind:
            return None
        if not piece.text.startswith(seen):
            return None
        last = self._renderer.feed(piece.text[len(seen) :])
        return [*([last] if last else []), self._renderer.finish()]

    def framed(self, piece: Piece, *, is_open: bool) -> Markup:
        return framed_html(piece, html=Markup(self._renderer.snapshot()), is_open=is_open)

    @property
    def html(self) -> Markup:
        return self.framed(self._begun(), is_open=True)

    def _begun(self) -> Piece:
        match self.kind:
            case "text":
                return TextPiece("")
            case "reasoning":
                return ReasoningPiece("")
            case "tool_call":
                return ToolPiece(name=self._name, arguments="", result=None, is_error=False)


class LiveTurn:
    """The newest turn of a chat, drawn event by event."""

    def __init__(self, started: TurnStarted) -> None:
        self._unfinished = Unfinished(turn=started.turn, messages=[started.message])
        self._pieces: list[Piece] = []
        self._drawn: list[Markup] = []
        self._open: OpenPiece | None = None
        self._id = started.turn.id

    def take(self, event: Event) -> list[Frame]:
        match event:
            case PartStarted():
                return [self._begin(event)]
            case PartDelta():
                return self._grow(event.text)
            case MessageDone():
                self._unfinished.add(event)
                return self._settle() + self._take_away_open()
            case TurnEnded():
                self._unfinished.add(event)
                return [*self._settle(), *self._take_away_open(), self._state()]
            case _:
                self._unfinished.add(event)
                return self._settle()

    def whole(self) -> TurnFrame:
        """The turn as it stands, for a page that missed how it came to be so."""
        content = self._content()
        pieces = self._drawn + ([self._open.html] if self._open else [])
        html = turn_html(content, pieces=pieces)
        return TurnFrame(self._id, content.turn.depth, html)

    def opened(self) -> list[Frame]:
        """The open piece as it stands, for a page that knows all before it."""
        if self._open is None:
            return []
        return [PieceFrame(self._id, self._open.index, self._open.html)]

    def _content(self) -> TurnContent:
        return self._unfinished.content(draft_id="")

    def _begin(self, event: PartStarted) -> Frame:
        self._open = OpenPiece(event, index=len(self._pieces))
        return PieceFrame(self._id, self._open.index, self._open.html)

    def _grow(self, text: str) -> list[Frame]:
        assert self._open is not None, "a delta needs an open part"
        patch = self._open.grow(text)
        if patch is None:
            return []
        return [self._patch(self._open.index, patch, is_last=False)]

    def _settle(self) -> list[Frame]:
        """Draw the finished pieces that are new or have changed."""
        frames: list[Frame] = []
        for index, piece in enumerate(pieces_of(self._content().messages)):
            if index == len(self._pieces) or self._pieces[index] != piece:
                frames += self._place(index, piece)
        return frames

    def _place(self, index: int, piece: Piece) -> list[Frame]:
        patches, html = self._finished_open(index, piece)
        self._pieces[index : index + 1] = [piece]
        self._drawn[index : index + 1] = [html]
        if not isinstance(piece, TextPiece) or not patches:
            return [PieceFrame(self._id, index, html)]
        *earlier, last = patches
        frames = [self._patch(index, patch, is_last=False) for patch in earlier]
        return [*frames, self._patch(index, last, is_last=True)]

    def _finished_open(self, index: int, piece: Piece) -> tuple[list[Patch], Markup]:
        """The piece's whole drawing; if it was open, also how the page gets there."""
        if self._open is None or self._open.index != index:
            return [], piece_html(piece)
        opened, self._open = self._open, None
        patches = opened.finish(piece)
        if patches is None:
            return [], piece_html(piece)
        return patches, opened.framed(piece, is_open=False)

    def _patch(self, index: int, patch: Patch, *, is_last: bool) -> Frame:
        return PatchFrame(
            self._id,
            index,
            keep=patch.keep,
            html=patch.html,
            open_text=patch.open_text,
            inside=patch.inside,
            is_last=is_last,
        )

    def _take_away_open(self) -> list[Frame]:
        """What was broken off and not kept, such as half a tool call."""
        if self._open is None:
            return []
        index, self._open = self._open.index, None
        return [PieceFrame(self._id, index, "")]

    def _state(self) -> Frame:
        content = self._content()
        return StateFrame(
            self._id,
            content.turn.state,
            standing_of(content),
            head_html(content),
            foot_html(content.turn),
        )
