"""Calls of tools that a provider ran itself, in words: what was done, what for, and with what."""

from __future__ import annotations

import json

import msgspec
from msgspec import Struct

from windowpane.tools.drawing import Drawing, one_line

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


def remote_label(name: str) -> str:
    return REMOTE_TOOLS.get(name.lower(), name)


def remote_drawing(arguments: str) -> Drawing:
    """What is no JSON stays as the model wrote it."""
    return Drawing(title=one_line(_asked(arguments)), text=_shown(arguments))


def _asked(arguments: str) -> str:
    """What a search was for, which program was run, else all the arguments."""
    try:
        asked = msgspec.json.decode(arguments, type=Asked)
    except msgspec.DecodeError:
        return arguments
    told = asked.query or ", ".join(asked.queries) or asked.code or asked.command
    return told or arguments


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
