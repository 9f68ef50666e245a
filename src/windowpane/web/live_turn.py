"""The newest turn of a chat as it is being written: events in, frames out.

It draws with the functions that draw loaded turns, so that what a page has at the end of an answer
is what it would get by loading it. Who watches, and when frames go out, is not decided here.
"""

from __future__ import annotations

from markupsafe import Markup

from windowpane.agent.fold import Unfinished
from windowpane.events import (
    AttemptStarted,
    Event,
    MessageDone,
    PartDelta,
    PartDone,
    PartStarted,
    SendHeld,
    ToolEnded,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    TurnPaused,
    TurnResumed,
    TurnStarted,
)
from windowpane.render import Patch
from windowpane.turns import TurnContent
from windowpane.web.activity import activity_of
from windowpane.web.frames import Frame, PatchFrame, PieceFrame, StateFrame, TurnFrame
from windowpane.web.open_part import OpenPieces, overlaid, run_before
from windowpane.web.pieces import Piece, TextPiece, pieces_of
from windowpane.web.turns import foot_html, head_html, piece_html, standing_of, turn_html


class LiveTurn:
    """The newest turn of a chat, drawn event by event."""

    def __init__(self, began: TurnStarted | TurnResumed) -> None:
        self._unfinished = Unfinished.of([began])
        self._pieces: list[Piece] = []
        self._drawn: list[Markup] = []
        self._open: OpenPieces | None = None
        self._id = began.turn.id
        self._close()

    def take(self, event: Event) -> list[Frame]:
        match event:
            case PartStarted():
                return self._begin(event)
            case PartDelta():
                return self._grow(event.text)
            case PartDone() | MessageDone() | ToolStarted() | ToolProgressed() | ToolEnded():
                self._unfinished.add(event)
                return self._close()
            case TurnPaused() | TurnEnded():
                self._unfinished.add(event)
                return [*self._close(), self._state()]
            case SendHeld() | AttemptStarted():
                was_held = self._unfinished.held is not None
                self._unfinished.add(event)
                is_held = self._unfinished.held is not None
                return [self._state()] if was_held or is_held else []
            case _:
                self._unfinished.add(event)
                return []

    def whole(self) -> TurnFrame:
        """The turn as it stands, for a page that missed how it came to be so."""
        content = self.content
        pieces = overlaid(self._drawn, self._open) if self._open else self._drawn
        # What stood here before is told by the page that the turn is put into.
        html = turn_html(content, pieces=pieces, place=None, held=self._unfinished.held)
        return TurnFrame(self._id, content.turn.depth, html)

    def opened(self) -> list[Frame]:
        """The open pieces as they stand, for a page that knows all before them."""
        if self._open is None:
            return []
        places = enumerate(self._open.drawings(), start=self._open.begin)
        return [PieceFrame(self._id, index, html) for index, html in places]

    @property
    def content(self) -> TurnContent:
        return self._unfinished.content(draft_id="")

    def _begin(self, event: PartStarted) -> list[Frame]:
        run = run_before(event.kind, self.content.messages)
        self._open = OpenPieces(event.kind, name=event.name, run=run)
        return self.opened()

    def _grow(self, text: str) -> list[Frame]:
        assert self._open is not None, "a delta needs an open part"
        return [
            self._patch(change.index, change.drawing, is_last=False)
            if isinstance(change.drawing, Patch)
            else PieceFrame(self._id, change.index, change.drawing)
            for change in self._open.grow(text)
        ]

    def _close(self) -> list[Frame]:
        """Draw what is finished now: pieces that are new, have changed, or were open."""
        opened = self._open.places if self._open else range(0)
        activity = activity_of(self._unfinished.turn, self._unfinished.work.runs)
        pieces = pieces_of(self.content.messages, activity=activity)
        frames: list[Frame] = []
        for index, piece in enumerate(pieces):
            is_known = index < len(self._pieces) and self._pieces[index] == piece
            if index in opened or not is_known:
                frames += self._place(index, piece)
        self._open = None
        # What was broken off and not kept, such as half a tool call.
        lost = (index for index in reversed(opened) if index >= len(pieces))
        return [*frames, *(PieceFrame(self._id, index, "") for index in lost)]

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
        finished = self._open.finish(index, piece) if self._open else None
        return finished or ([], piece_html(piece))

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

    def _state(self) -> Frame:
        content = self.content
        return StateFrame(
            self._id,
            content.turn.state,
            standing_of(content),
            head_html(content),
            foot_html(content, held=self._unfinished.held),
        )
