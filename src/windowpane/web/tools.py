"""A tool's call in words: what it is called, what it was asked for, and with what."""

from __future__ import annotations

import json

import msgspec
from msgspec import Struct, structs

from windowpane.web.pieces import ToolPiece

# What providers call the tools that they run themselves, and what those do.
REMOTE_TOOLS = {
    "web_search": "Searched the web",
    "google_search_web": "Searched the web",
    "search": "Searched the web",
    "web_fetch": "Read a page",
    "visit": "Read a page",
    "file_search": "Searched files",
    "code_execution": "Ran a program",
    "code_interpreter": "Ran a program",
    "bash_code_execution": "Ran a program",
    "python": "Ran a program",
    "text_editor_code_execution": "Worked on a file",
    "image_generation": "Made an image",
}


class Asked(Struct, frozen=True):
    """Arguments that say by themselves what a tool was asked for."""

    query: str | None = None
    queries: tuple[str, ...] = ()
    code: str | None = None
    command: str | None = None


def asked_of(piece: ToolPiece) -> str:
    """What a search was for, which program was run, else all the arguments."""
    try:
        asked = msgspec.json.decode(piece.arguments, type=Asked)
    except msgspec.DecodeError:
        return piece.arguments
    told = asked.query or ", ".join(asked.queries) or asked.code or asked.command
    return told or piece.arguments


def shown_tool(piece: ToolPiece) -> ToolPiece:
    """The call as it is drawn; what is no JSON stays as the model wrote it."""
    name = REMOTE_TOOLS.get(piece.name.lower(), piece.name) if piece.is_remote else piece.name
    return structs.replace(piece, name=name, arguments=_shown(piece.arguments))


def _shown(arguments: str) -> str:
    """With line ends. A program or a question alone is no string inside braces."""
    try:
        decoded = json.loads(arguments)
    except ValueError:
        return arguments
    match decoded:
        case {"code": str(only)} | {"command": str(only)} | {"query": str(only)}:
            is_alone = len(decoded) == 1
        case {"queries": [*queries]}:
            only, is_alone = "\n".join(map(str, queries)), len(decoded) == 1
        case _:
            only, is_alone = "", False
    if is_alone:
        return only
    return json.dumps(decoded, indent=2, ensure_ascii=False)
