"""A tool call as a page shows it: what it was for, how it stands, what it gave.

The tool itself says how its input and output are to be drawn; one that is not installed any more is
drawn as the JSON and the text that are stored.
"""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup
from msgspec import Struct

from windowpane.render.code import code_figure
from windowpane.tools.base import Tool
from windowpane.tools.drawing import Drawing, json_drawing, one_line, text_drawing
from windowpane.tools.installed import installed
from windowpane.web.html import drawn
from windowpane.web.pieces import ToolPiece
from windowpane.web.remote_calls import remote_drawing, remote_label

CallState = Literal["next", "running", "asking", "accepted", "rejected", "unanswered", "done"]
STATES: dict[CallState, str] = {
    "next": "",
    "running": "running",
    "asking": "waits for you",
    "accepted": "accepted",
    "rejected": "rejected",
    "unanswered": "no result",
    "done": "",
}
# Of what a tool gives while it runs, the end is what one looks at.
LIVE_CHARACTERS = 4_000
OTHER_ICON = "tool"


class CallView(Struct, frozen=True, kw_only=True):
    label: str
    icon: str
    preview: str
    state: CallState
    said: str
    percent: int | None
    progress: str
    live_output: str


def call_html(piece: ToolPiece, *, is_open: bool) -> Markup:
    tool = None if piece.is_remote else installed(piece.name)
    called = _called(piece, tool)
    given: Drawing | None = None
    if piece.result is not None:
        given = tool.output_drawing(piece.result) if tool else text_drawing(piece.result)
    state = "next" if is_open else _state(piece)
    view = CallView(
        label=_label(piece, tool),
        icon=tool.face.icon if tool else OTHER_ICON,
        preview=_preview(piece, called, given),
        state=state,
        said=STATES[state],
        percent=_percent(piece),
        progress=piece.run.message if piece.run else "",
        live_output=piece.run.output[-LIVE_CHARACTERS:] if piece.run else "",
    )
    return drawn(
        "parts/_call.html",
        piece=piece,
        view=view,
        called=_body(called) if piece.arguments else None,
        given=_body(given) if given else None,
    )


def _called(piece: ToolPiece, tool: Tool | None) -> Drawing:
    if tool is not None:
        return tool.input_drawing(piece.arguments)
    return remote_drawing(piece.arguments) if piece.is_remote else json_drawing(piece.arguments)


def _label(piece: ToolPiece, tool: Tool | None) -> str:
    if tool is not None:
        return tool.face.label
    return remote_label(piece.name) if piece.is_remote else piece.name


def _state(piece: ToolPiece) -> CallState:
    if piece.result is not None:
        return "done"
    if piece.pending is not None:
        return _decided(piece)
    if piece.run is not None:
        return "running"
    return "next" if piece.is_live or piece.is_remote else "unanswered"


def _decided(piece: ToolPiece) -> CallState:
    match piece.pending.decision if piece.pending else None:
        case "accept":
            return "accepted"
        case "reject":
            return "rejected"
        case None:
            return "asking"


def _preview(piece: ToolPiece, called: Drawing, given: Drawing | None) -> str:
    """One line that tells what is folded away."""
    if given is not None and not piece.is_remote:
        return given.title
    if piece.run is not None and piece.run.message:
        return one_line(piece.run.message)
    return called.title


def _percent(piece: ToolPiece) -> int | None:
    fraction = piece.run.fraction if piece.run else None
    return None if fraction is None else round(100 * min(1.0, max(0.0, fraction)))


def _body(drawing: Drawing) -> Markup:
    if drawing.language:
        figure = Markup(code_figure(drawing.text, language=drawing.language))
        return Markup('<div class="prose">{}</div>').format(figure)
    return Markup('<pre class="plain">{}</pre>').format(drawing.text)
