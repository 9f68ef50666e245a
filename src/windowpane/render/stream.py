"""Draws Markdown while it arrives, as patches to what the page already shows.

A closed block is drawn once and stays. What is open is drawn again with new text, in pieces when it
is long; code is appended as it comes and coloured each time it has grown by half. When the text
ends, links and footnotes that were defined after their use are put in, and the result is what
`markdown_html` makes of the whole text, byte for byte.
"""

from __future__ import annotations

import re

from msgspec import Struct

from windowpane.render.blocks import Block, Splitter
from windowpane.render.markdown import block_html, normal_text, open_block_html
from windowpane.render.opencode import OpenCode
from windowpane.render.patches import Patch, patch_between
from windowpane.render.references import Used, no_references
from windowpane.render.rows import Rows, joined, rows_of
from windowpane.render.structure import Fence

# A long open piece is drawn again only when it has grown by an eighth.
_LONG_CHARS = 8_000

# The beginning of a line that could become several things is not shown before it is decided.
_UNDECIDED = re.compile(r"\s*(?:[-+*=_#>|:$\\]+|\d{1,9}[.)]?|`+|~+|(?:`{3,}|~{3,}).*)?\s*")


class _Drawn(Struct, frozen=True):
    block: Block
    used: Used
    html: str


class _Piece(Struct, frozen=True):
    """A piece of the open block as it is shown; `rows` if it is a list or a table."""

    block: Block
    html: str
    rows: Rows | None


class _Open(Struct, frozen=True):
    """What is shown of the open block, and of what would follow it."""

    pieces: list[_Piece]
    following: str

    def elements(self) -> list[str]:
        rows = joined([piece.rows for piece in self.pieces])
        shown = [rows.html()] if rows else [piece.html for piece in self.pieces]
        return [*shown, self.following] if self.following else shown


_NOTHING_OPEN = _Open([], "")


class StreamRenderer:
    """Draws one part while it is written."""

    def __init__(self) -> None:
        self._splitter = Splitter()
        self._references = no_references()
        self._beginning = ""
        self._has_return: bool = False
        self._closed: list[_Drawn] = []
        self._elements: list[str] = []
        self._open = _NOTHING_OPEN
        self._code: OpenCode | None = None

    def feed(self, text: str) -> Patch | None:
        """Take in more text; returns what changes on the page, if anything does."""
        kept = len(self._elements)
        fresh = self._take(text)
        if self._code is not None and not fresh:
            return self._grow_code(self._code)
        before, before_code = self._open, self._code
        self._elements += [drawn.html for drawn in fresh if drawn.html]
        self._look(known=[] if fresh else before.pieces)
        if not fresh and (rows := _growth(before, self._open)):
            return patch_between(rows.shown, rows.wanted, kept=rows.kept, inside=rows.inside)
        shown = [before_code.html()] if before_code else before.elements()
        wanted = [*self._elements[kept:], *self._open_elements()]
        return patch_between(shown, wanted, kept=kept, inside=0)

    def finish(self) -> Patch:
        """End the text; returns what is left to change on the page."""
        shown = [*self._elements, *self._open_elements()]
        if self._has_return:
            self._take("\n")
        for block in self._splitter.close(self._beginning):
            self._draw(block)
        self._refer()
        self._elements = [drawn.html for drawn in self._closed if drawn.html]
        self._beginning, self._open, self._code = "", _NOTHING_OPEN, None
        unchanged = Patch(keep=len(self._elements))
        return patch_between(shown, self._elements, kept=0, inside=0) or unchanged

    def snapshot(self) -> str:
        """All that the page shows by now, for a page that joins late."""
        return "".join([*self._elements, *self._open_elements()])

    def _take(self, text: str) -> list[_Drawn]:
        """Draw the blocks that the text closes."""
        text = "\r" + text if self._has_return else text
        # The other half of a line end may come with the next text.
        self._has_return = text.endswith("\r")
        text = normal_text(text.removesuffix("\r"))
        *lines, self._beginning = (self._beginning + text).split("\n")
        return [self._draw(block) for line in lines for block in self._splitter.take(line + "\n")]

    def _draw(self, block: Block) -> _Drawn:
        self._references.collect(block)
        used = self._references.used_by(block)
        drawn = _Drawn(block, used, block_html(block, used=used))
        self._closed.append(drawn)
        return drawn

    def _refer(self) -> None:
        """Draw again what uses definitions that came after it."""
        for index, drawn in enumerate(self._closed):
            used = self._references.used_by(drawn.block)
            if used != drawn.used:
                html = block_html(drawn.block, used=used)
                self._closed[index] = _Drawn(drawn.block, used, html)

    def _open_elements(self) -> list[str]:
        return [self._code.html()] if self._code else self._open.elements()

    def _look(self, *, known: list[_Piece]) -> None:
        """Draw what is open now."""
        if isinstance(self._splitter.block, Fence):
            self._open, self._code = _NOTHING_OPEN, OpenCode(self._splitter.lines[0])
            self._code.grow(self._splitter.lines, beginning=self._beginning)
            self._code.colour_if_due()
            return
        is_undecided = _UNDECIDED.fullmatch(self._beginning) is not None
        preview = self._splitter.preview("" if is_undecided else self._beginning)
        following = self._open_html(preview.following) if preview.following else ""
        self._open, self._code = _Open(self._draw_pieces(preview.pieces, known), following), None

    def _draw_pieces(self, blocks: list[Block], known: list[_Piece]) -> list[_Piece]:
        pieces: list[_Piece] = []
        for index, block in enumerate(blocks):
            before = known[index] if index < len(known) else None
            is_last = index == len(blocks) - 1
            if before is None or not _is_still_good(before, block, is_last=is_last):
                html = self._open_html(block)
                is_rows = block.kind in ("list", "table")
                before = _Piece(block, html, rows_of(html) if is_rows else None)
            pieces.append(before)
        return pieces

    def _open_html(self, block: Block) -> str:
        return open_block_html(block, used=self._references.used_by(block))

    def _grow_code(self, code: OpenCode) -> Patch | None:
        kept = len(self._elements)
        text = code.grow(self._splitter.lines, beginning=self._beginning)
        if code.colour_if_due():
            return Patch(keep=kept, html=code.html())
        return Patch(keep=kept + 1, open_text=text) if text else None


def _is_still_good(piece: _Piece, block: Block, *, is_last: bool) -> bool:
    if piece.block == block:
        return True
    chars, drawn_chars = len(block.source), len(piece.block.source)
    return is_last and drawn_chars > _LONG_CHARS and drawn_chars <= chars < drawn_chars * 9 // 8


class _Growth(Struct, frozen=True):
    """The last rows of an open list or table, before and after."""

    shown: tuple[str, ...]
    wanted: tuple[str, ...]
    kept: int
    inside: int


def _growth(before: _Open, now: _Open) -> _Growth | None:
    """How the rows grew, if all that is open is one list or table and was so before."""
    if not before.pieces or before.following or now.following:
        return None
    *above, last = before.pieces
    wanted = joined([piece.rows for piece in now.pieces[len(above) :]])
    if last.rows is None or wanted is None or last.rows.end != wanted.end:
        return None
    if not above and last.rows.start != wanted.start:
        return None
    kept = 0
    for piece in above:
        if piece.rows is None or piece.rows.end != wanted.end:
            return None
        kept += len(piece.rows.rows)
    return _Growth(last.rows.rows, wanted.rows, kept, wanted.depth)
