"""Looks into a growing list or table: the items or rows inside, and what is around them.

That way a long list grows by an item and not by itself, and the pieces in which it is drawn look
like the one block they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

_LIST = re.compile(r"<(ul|ol)(?: start=\"\d+\")?>")
_ITEM_TAG = re.compile(r"<(/?)li>")
_BODY, _BODY_END = "<tbody>", "</tbody></table>"


class Rows(Struct, frozen=True):
    """An element that grows at its end: `start`, then the rows, then `end`."""

    start: str
    rows: tuple[str, ...]
    end: str

    @property
    def depth(self) -> int:
        """How many elements one goes into to stand beside the rows."""
        return self.end.count("</")

    def html(self) -> str:
        return "".join([self.start, *self.rows, self.end])


def rows_of(html: str) -> Rows | None:
    """The rows of a list, or of a table that has some; None for anything else."""
    if opening := _LIST.match(html):
        end = f"</{opening[1]}>"
        return Rows(opening[0], _items(html[opening.end() : -len(end)]), end)
    if html.startswith("<table>") and html.endswith(_BODY_END):
        head, _, body = html.partition(_BODY)
        rows = body.removesuffix(_BODY_END).split("</tr>")[:-1]
        return Rows(head + _BODY, tuple(row + "</tr>" for row in rows), _BODY_END)
    return None


def joined(pieces: Sequence[Rows | None]) -> Rows | None:
    """The pieces of one list or table as one; None if they are no such thing."""
    known = [piece for piece in pieces if piece is not None]
    if not known or len(known) < len(pieces) or len({piece.end for piece in known}) > 1:
        return None
    first = known[0]
    return Rows(first.start, tuple(row for piece in known for row in piece.rows), first.end)


def _items(html: str) -> tuple[str, ...]:
    items: list[str] = []
    begin = depth = 0
    for tag in _ITEM_TAG.finditer(html):
        depth += -1 if tag[1] else 1
        if depth == 0:
            items.append(html[begin : tag.end()])
            begin = tag.end()
    return tuple(items)
