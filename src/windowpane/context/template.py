"""Templates around a message, in a small part of Mustache: names, sections, comments.

Nothing is escaped: what comes out is read by a model, not by a browser. So two braces and three
mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from windowpane.errors import InvalidInput

_TAG = re.compile(
    r"\{\{\{\s*(?P<raw>[^{}]*?)\s*\}\}\}|\{\{\s*(?P<sigil>[#^/!&]?)\s*(?P<name>[^{}]*?)\s*\}\}"
)
# A section's tag that stands alone takes its line with it.
_ALONE = re.compile(r"^[ \t]*(\{\{\s*[#^/!][^{}]*\}\})[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


class Piece(Struct, frozen=True, kw_only=True):
    """Text as it is, or the value of a name; with ``inside``, a section that a name opens."""

    text: str = ""
    name: str = ""
    inside: tuple[Piece, ...] | None = None
    is_inverted: bool = False


class _Open(Struct, kw_only=True):
    name: str
    is_inverted: bool
    pieces: list[Piece]


def parse_template(text: str, *, known: Sequence[str]) -> tuple[Piece, ...]:
    """Raises ``InvalidInput`` for a name that is not known, or a section that is not closed."""
    stack = [_Open(name="", is_inverted=False, pieces=[])]
    position = 0
    prepared = _ALONE.sub(r"\1", text)
    for tag in _TAG.finditer(prepared):
        stack[-1].pieces.append(Piece(text=prepared[position : tag.start()]))
        position = tag.end()
        _take(tag, stack, known=known)
    if len(stack) > 1:
        raise InvalidInput(f"The section {{{{#{stack[-1].name}}}}} is not closed.")
    return (*stack[0].pieces, Piece(text=prepared[position:]))


def filled(pieces: Sequence[Piece], values: Mapping[str, str]) -> str:
    """A section shows where its name has a value; an inverted one where it has none."""
    return "".join(_texts(pieces, values))


def _take(tag: re.Match[str], stack: list[_Open], *, known: Sequence[str]) -> None:
    sigil, name = tag["sigil"] or "", tag["name"] if tag["raw"] is None else tag["raw"]
    if sigil == "!":
        return
    if name not in known:
        raise InvalidInput(f"There is no {{{{{name}}}}}. A template knows {', '.join(known)}.")
    if sigil in ("#", "^"):
        stack.append(_Open(name=name, is_inverted=sigil == "^", pieces=[]))
    elif sigil == "/":
        _close(name, stack)
    else:
        stack[-1].pieces.append(Piece(name=name))


def _close(name: str, stack: list[_Open]) -> None:
    if stack[-1].name != name:
        raise InvalidInput(f"{{{{/{name}}}}} closes a section that is not open there.")
    section = stack.pop()
    inside = tuple(section.pieces)
    stack[-1].pieces.append(Piece(name=name, inside=inside, is_inverted=section.is_inverted))


def _texts(pieces: Sequence[Piece], values: Mapping[str, str]) -> Iterator[str]:
    for piece in pieces:
        if piece.inside is None:
            yield values[piece.name] if piece.name else piece.text
        elif bool(values[piece.name]) != piece.is_inverted:
            yield from _texts(piece.inside, values)
