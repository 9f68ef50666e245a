"""A turn as HTML: its head, what was asked, the pieces of the answer, how it ended.

Loaded pages and live streams both draw through these functions, so they cannot differ. A piece is
what one place of an answer shows: a text, a reasoning, or a tool's call with its result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

from markupsafe import Markup
from msgspec import Struct

from windowpane.context.weights import is_unanswered
from windowpane.events import OpenPart
from windowpane.messages import Message
from windowpane.parts import Image, Opaque, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.render import StreamRenderer, markdown_html
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage
from windowpane.web.html import drawn

PREVIEW_CHARACTERS = 160
LONG_ASK_CHARACTERS = 2_000
LONG_ASK_LINES = 24
LIVE_STATES = ("sending", "waiting")
# Signs of Markdown that only disturb where nothing renders them.
MARKS = re.compile(r"\*\*|`+|^#+ ", re.MULTILINE)

Standing = Literal["sent", "current", "failed"]


class TextPiece(Struct, frozen=True):
    kind: ClassVar[str] = "text"
    text: str


class ReasoningPiece(Struct, frozen=True):
    kind: ClassVar[str] = "reasoning"
    text: str


class ToolPiece(Struct, frozen=True, kw_only=True):
    kind: ClassVar[str] = "tool"
    name: str
    arguments: str
    result: str | None
    is_error: bool


Piece = TextPiece | ReasoningPiece | ToolPiece


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
    "max_iterations": Ending(name="Stopped", detail="the limit of tool rounds was reached"),
    "filter": Ending(name="Filtered", detail="the provider cut the answer off"),
    "refusal": Ending(name="Refused", detail="the model declined to answer"),
    "pause": Ending(name="Paused", detail="the provider paused the answer"),
}


def pieces_of(messages: Iterable[Message]) -> list[Piece]:
    """The answer's pieces in order; a result joins the call that it answers."""
    pieces: list[Piece] = []
    calls: dict[str, int] = {}
    for part in (part for message in messages if message.role != "user" for part in message.parts):
        match part:
            case Text():
                pieces.append(TextPiece(part.text))
            case Reasoning():
                pieces.append(ReasoningPiece(part.text))
            case ToolCall():
                calls[part.call_id] = len(pieces)
                pieces.append(_called(part))
            case ServerTool():
                pieces.append(
                    ToolPiece(name=part.name, arguments=part.arguments, result=None, is_error=False)
                )
            case Image() | Opaque():
                continue
            case ToolResult():
                place = calls.pop(part.call_id, len(pieces))
                pieces[place : place + 1] = [_answered(pieces[place:], part)]
    return pieces


def _called(call: ToolCall) -> ToolPiece:
    return ToolPiece(name=call.name, arguments=call.arguments, result=None, is_error=False)


def _answered(found: Sequence[Piece], result: ToolResult) -> ToolPiece:
    call = found[0] if found else None
    arguments = call.arguments if isinstance(call, ToolPiece) else ""
    return ToolPiece(
        name=result.name, arguments=arguments, result=result.text, is_error=result.is_error
    )


def piece_html(piece: Piece) -> Markup:
    html = Markup("") if isinstance(piece, ToolPiece) else Markup(markdown_html(piece.text))
    return framed_html(piece, html=html, is_open=False)


def open_html(part: OpenPart) -> Markup:
    """The part that is being written. A half-written call shows its name only."""
    if part.kind == "tool_call":
        piece = ToolPiece(name=part.name, arguments="", result=None, is_error=False)
        return framed_html(piece, html=Markup(""), is_open=True)
    renderer = StreamRenderer()
    renderer.feed(part.text)
    return framed_html(
        TextPiece("") if part.kind == "text" else ReasoningPiece(""),
        html=Markup(renderer.snapshot()),
        is_open=True,
    )


def framed_html(piece: Piece, *, html: Markup, is_open: bool) -> Markup:
    """A piece around its rendered text."""
    preview = "" if isinstance(piece, TextPiece) else _preview(piece)
    shown = _pretty(piece) if isinstance(piece, ToolPiece) else piece
    return drawn("parts/_piece.html", piece=shown, html=html, preview=preview, is_open=is_open)


def turn_html(content: TurnContent, *, pieces: Sequence[Markup]) -> Markup:
    ask = _ask(content.messages)
    return drawn(
        "parts/_turn.html",
        turn=content.turn,
        standing=standing_of(content),
        head=head_html(content),
        foot=foot_html(content.turn),
        ask=ask,
        is_long=ask is not None and _is_long(ask),
        pieces=pieces,
    )


def loaded_html(content: TurnContent, *, open_part: OpenPart | None) -> Markup:
    """A turn as it is stored, with the part that is being written if it is the running one."""
    pieces = [piece_html(piece) for piece in pieces_of(content.messages)]
    if open_part is not None:
        pieces.append(open_html(open_part))
    return turn_html(content, pieces=pieces)


def head_html(content: TurnContent) -> Markup:
    turn = content.turn
    model = turn.model.partition("/")[2] or turn.model
    usage = _usage(content.messages)
    return drawn("parts/_turn_head.html", turn=turn, model=model, usage=usage)


def foot_html(turn: Turn) -> Markup:
    ending = ENDINGS.get(turn.state) or ENDINGS.get(turn.finish or "")
    return drawn("parts/_turn_foot.html", turn=turn, ending=ending)


def standing_of(content: TurnContent) -> Standing:
    """Whether the model sees the turn: what the edge at its left says."""
    if content.turn.state in LIVE_STATES:
        return "current"
    return "failed" if is_unanswered(content) else "sent"


def _ask(messages: Sequence[Message]) -> str | None:
    asked = [message.text for message in messages if message.role == "user"]
    return "\n".join(asked) if asked else None


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


def _preview(piece: ReasoningPiece | ToolPiece) -> str:
    """One line that tells what is folded away."""
    if isinstance(piece, ReasoningPiece):
        return _one_line(MARKS.sub("", piece.text[: 4 * PREVIEW_CHARACTERS]))
    return _one_line(piece.arguments if piece.result is None else piece.result)


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * PREVIEW_CHARACTERS].split())[:PREVIEW_CHARACTERS]


def _pretty(piece: ToolPiece) -> ToolPiece:
    """Arguments with line ends; what is no JSON stays as the model wrote it."""
    try:
        arguments = json.dumps(json.loads(piece.arguments), indent=2, ensure_ascii=False)
    except ValueError:
        return piece
    return ToolPiece(
        name=piece.name, arguments=arguments, result=piece.result, is_error=piece.is_error
    )
