"""A turn as HTML: its head, what was asked, the pieces of the answer, how it ended.

Loaded pages and live streams both draw through these functions, so they cannot differ. Which
pieces an answer has is decided elsewhere, and so is the drawing of a part that is being written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from markupsafe import Markup
from msgspec import Struct

from windowpane.context.truncation import truncation_in
from windowpane.context.weights import is_unanswered
from windowpane.events import SendHeld
from windowpane.messages import Message
from windowpane.parts import Image, Opaque
from windowpane.render import markdown_html
from windowpane.storage.branches import TurnPlace
from windowpane.tools.drawing import READ_CHARACTERS, one_line
from windowpane.turns import TurnContent
from windowpane.usage import TokenUsage
from windowpane.web.calls import call_html
from windowpane.web.html import drawn
from windowpane.web.pictures import Picture, picture_of
from windowpane.web.pieces import (
    PicturePiece,
    Piece,
    ReasoningPiece,
    SourcesPiece,
    TextPiece,
    ToolPiece,
)

LONG_ASK_CHARACTERS = 2_000
LONG_ASK_LINES = 24
# Turns are drawn into a chat's page only, which lies one below the root of the site.
ROOT = "../"
LIVE_STATES = ("sending", "waiting")
# Some providers keep the words of a thought to themselves, or seal them.
WORDLESS = "the provider does not show it"
# Signs of Markdown that only disturb where nothing renders them.
MARKS = re.compile(r"\*\*|`+|^#+ ", re.MULTILINE)

Standing = Literal["sent", "current", "failed"]


class Ending(Struct, frozen=True, kw_only=True):
    """How a turn ended, if not as one would expect."""

    name: str
    detail: str


class UsageView(Struct, frozen=True, kw_only=True):
    tokens: int
    detail: str


ENDINGS = {
    "aborted": Ending(name="Stopped", detail=""),
    "interrupted": Ending(
        name="Interrupted",
        detail="the server stopped while answering; the text so far is kept",
    ),
    "length": Ending(name="Truncated", detail="the answer reached the length limit of the model"),
    "stopped": Ending(name="Stopped", detail="after a step, as you asked"),
    "max_iterations": Ending(name="Stopped", detail="the limit of tool rounds was reached"),
    "filter": Ending(name="Filtered", detail="the provider cut the answer off"),
    "refusal": Ending(name="Refused", detail="the model declined to answer"),
    "pause": Ending(name="Paused", detail="the provider paused the answer"),
}
UNREADABLE = Ending(
    name="Nothing to read",
    detail="the provider answered with blocks that have no text; they are kept and sent back to it",
)


def piece_html(piece: Piece) -> Markup:
    is_prose = isinstance(piece, TextPiece | ReasoningPiece)
    html = Markup(markdown_html(piece.text)) if is_prose else Markup("")
    return framed_html(piece, html=html, is_open=False)


def framed_html(piece: Piece, *, html: Markup, is_open: bool) -> Markup:
    """A piece around its rendered text."""
    if isinstance(piece, ToolPiece):
        return call_html(piece, is_open=is_open)
    return drawn(
        "parts/_piece.html",
        piece=piece,
        html=html,
        preview=_preview(piece, is_open=is_open),
        is_open=is_open,
    )


def turn_html(
    content: TurnContent,
    *,
    pieces: Sequence[Markup],
    place: TurnPlace | None,
    held: SendHeld | None,
) -> Markup:
    """``place`` is the turn's among its siblings, if it has any."""
    ask = _ask(content.messages)
    return drawn(
        "parts/_turn.html",
        turn=content.turn,
        standing=standing_of(content),
        head=head_html(content),
        foot=foot_html(content, held=held),
        ask=ask,
        is_long=ask is not None and _is_long(ask),
        pictures=_asked_pictures(content.messages),
        pieces=pieces,
        place=place,
    )


def head_html(content: TurnContent) -> Markup:
    turn = content.turn
    model = turn.model.partition("/")[2] or turn.model
    usage = _usage(content.messages)
    return drawn("parts/_turn_head.html", turn=turn, model=model, usage=usage)


def foot_html(content: TurnContent, *, held: SendHeld | None) -> Markup:
    """``held``: why nothing happens just now, and until when."""
    turn = content.turn
    ending = ENDINGS.get(turn.state) or ENDINGS.get(turn.finish or "")
    if ending is None and _is_unreadable(content):
        ending = UNREADABLE
    return drawn(
        "parts/_turn_foot.html",
        turn=turn,
        ending=ending,
        held=held,
        cut=truncation_in(content.messages),
        root=ROOT,
    )


def standing_of(content: TurnContent) -> Standing:
    """Whether the model sees the turn: what the edge at its left says."""
    if content.turn.state in LIVE_STATES:
        return "current"
    return "failed" if is_unanswered(content) else "sent"


def _ask(messages: Sequence[Message]) -> str | None:
    asked = [message.text for message in messages if message.role == "user"]
    return "\n".join(asked) if asked else None


def _asked_pictures(messages: Sequence[Message]) -> list[Picture]:
    asked = (part for message in messages if message.role == "user" for part in message.parts)
    return [picture_of(part, owner="you sent") for part in asked if isinstance(part, Image)]


def _is_unreadable(content: TurnContent) -> bool:
    """Whether a turn that has ended was answered with nothing but blocks without a plain form."""
    if content.turn.state in LIVE_STATES:
        return False
    parts = [part for message in content.messages[1:] for part in message.parts]
    return bool(parts) and all(isinstance(part, Opaque) for part in parts)


def _is_long(ask: str) -> bool:
    return len(ask) > LONG_ASK_CHARACTERS or ask.count("\n") >= LONG_ASK_LINES


def _usage(messages: Sequence[Message]) -> UsageView | None:
    used = [message.usage for message in messages if message.usage is not None]
    if not used:
        return None
    total = sum(used, TokenUsage())
    cached = total.cache_read_tokens + total.cache_write_tokens
    kinds = {
        "in": total.input_tokens,
        "cached": cached,
        "out": total.output_tokens,
        "of them reasoning": total.reasoning_tokens,
    }
    detail = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)
    return UsageView(tokens=total.input_tokens + cached + total.output_tokens, detail=detail)


def _preview(
    piece: TextPiece | ReasoningPiece | SourcesPiece | PicturePiece, *, is_open: bool
) -> str:
    """One line that tells what is folded away."""
    if not isinstance(piece, ReasoningPiece):
        return ""
    words = one_line(MARKS.sub("", piece.text[:READ_CHARACTERS]))
    return words if words or is_open else WORDLESS
