"""What a page is told while it watches a chat: HTML, and the place where it belongs.

Every frame can be applied twice without harm, so a page may be told again what it knows. The
page's own description of them is in ``static/js/stream.js``; a test compares the two.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from windowpane.events import EventId


class TurnFrame(Struct, frozen=True, tag="turn"):
    """A whole turn: put it in the place of its older drawing, else at the end."""

    turn: str
    depth: int
    html: str


class PieceFrame(Struct, frozen=True, tag="piece"):
    """One piece of an answer: put it at its place; an empty one is taken away."""

    turn: str
    index: int
    html: str


class PatchFrame(Struct, frozen=True, tag="patch", omit_defaults=True):
    """The open piece grew: what to do with its blocks, as ``render.Patch`` says it."""

    turn: str
    index: int
    keep: int
    html: str = ""
    open_text: str = ""
    inside: int = 0
    is_last: bool = False


class StateFrame(Struct, frozen=True, tag="state"):
    """The turn ended: its new head and foot."""

    turn: str
    state: str
    standing: str
    head: str
    foot: str


class ReloadFrame(Struct, frozen=True, tag="reload"):
    """What the page saw is not continued here: load the turns anew, then follow again."""


Frame = TurnFrame | PieceFrame | PatchFrame | StateFrame | ReloadFrame

# Templates give a subclass of str, which msgspec does not know.
_ENCODER = msgspec.json.Encoder(enc_hook=str)


def encoded(frame: Frame, *, at: EventId) -> bytes:
    """As one server-sent event, ready for every tab that watches."""
    return b"id: %d:%d\ndata: %b\n\n" % (at.epoch, at.seq, _ENCODER.encode(frame))
