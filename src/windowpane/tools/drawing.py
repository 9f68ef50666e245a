"""How calls and results are to be shown: values that a page or a terminal draws.

A tool that is not installed any more is shown as what is stored: JSON and plain text.
"""

from __future__ import annotations

import json
from typing import cast

from msgspec import Struct

TITLE_CHARACTERS = 160
# Enough of a text to find the words of its first line in.
READ_CHARACTERS = 4 * TITLE_CHARACTERS


class Drawing(Struct, frozen=True, kw_only=True):
    """``title`` is one line for the folded state, ``text`` the whole.

    ``language`` says how to colour the text; without one it is plain.
    """

    title: str
    text: str
    language: str = ""


def json_drawing(arguments: str) -> Drawing:
    """Arguments with line ends; what is no JSON stays as the model wrote it."""
    try:
        value: object = json.loads(arguments)
        text = json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text_drawing(arguments)
    return Drawing(title=one_line(_searched(value) or arguments), text=text, language="json")


def _searched(value: object) -> str:
    """What a search is for, which says more than all of its arguments."""
    query = cast("dict[str, object]", value).get("query") if isinstance(value, dict) else None
    return query if isinstance(query, str) else ""


def text_drawing(text: str) -> Drawing:
    return Drawing(title=one_line(text), text=text)


def one_line(text: str) -> str:
    return " ".join(text[:READ_CHARACTERS].split())[:TITLE_CHARACTERS]
