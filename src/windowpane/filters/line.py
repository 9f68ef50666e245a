"""The whole command line: ``<filter> :command``, parted at the first colon in the open.

A colon inside quotes or parentheses parts nothing. Combinations of filter and command that make
no sense or do harm are refused here, before anything is evaluated.
"""

from __future__ import annotations

import re

from msgspec import Struct

from windowpane.filters.commands import Command, DeleteTurns, OpenView, parse_command
from windowpane.filters.errors import CommandError, Span
from windowpane.filters.lex import QUOTED
from windowpane.filters.parse import parse
from windowpane.filters.refusals import check_delete
from windowpane.filters.syntax import Everything, Filter

# An open quote runs to the end of the line; the filter's own error then points at it.
_PIECE = re.compile(rf"{QUOTED}|['\"].*|\\.|.", re.DOTALL)


class Line(Struct, frozen=True, kw_only=True):
    """``filter_text`` is what stays in the input and in the history of commands."""

    filter_text: str
    filter: Filter
    command: Command | None


def parse_line(text: str) -> Line:
    """Read a line. Raises ``FilterError``, or ``CommandError`` for what is behind the colon."""
    colon = colon_in(text)
    if colon is None:
        return Line(filter_text=text.strip(), filter=parse(text), command=None)
    written = text[:colon]
    tree, command = parse(written), parse_command(text, colon=colon)
    _check(tree, command, text=text, colon=colon)
    return Line(filter_text=written.strip(), filter=tree, command=command)


def colon_in(text: str) -> int | None:
    """Where the command begins, if there is one; a colon with nothing behind it begins none."""
    depth = 0
    for piece in _PIECE.finditer(text):
        match piece[0]:
            case "(":
                depth += 1
            case ")":
                depth = max(0, depth - 1)
            case ":" if depth == 0:
                return piece.start() if text[piece.end() :].strip() else None
            case _:
                pass
    return None


def _check(tree: Filter, command: Command, *, text: str, colon: int) -> None:
    match command:
        case DeleteTurns():
            check_delete(tree, text=text)
        case OpenView() if not isinstance(tree, Everything):
            raise CommandError(
                "A saved view brings its own filter",
                text=text,
                span=Span(colon, len(text)),
                advice="Leave the part before the colon empty.",
            )
        case _:
            pass
