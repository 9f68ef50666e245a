"""Draws Markdown while it arrives, as patches to what the page already shows.

A closed block is drawn once and stays. What is open is drawn again with new text, in pieces when it
is long; code is appended as it comes and coloured each time it has grown by half. When the text
ends, links and footnotes that were defined after their use are put in, and the result is what
`markdown_html` makes of the whole text, byte for byte.
"""

from __future__ import annotations

import re
from html import unescape

from msgspec import Struct

from windowpane.render.blocks import Block, Splitter
from windowpane.render.markdown import block_html, normal_text, open_block_html
from windowpane.render.opencode import OpenCode
from windowpane.render.references import Used, no_references
from windowpane.render.structure import Fence

# A long open block without a seam is drawn again only when it has grown by an eighth.
_LONG_CHARS = 8_000

# The beginning of a line that could become several things is not shown before it is decided.
_UNDECIDED = re.compile(r"\s*(?:[-+*=_#>|:$\\]+|\d{1,9}[.)]?|`+|~+|(?:`{3,}|~{3,}).*)?\s*")
# No more than the closing tags of some twenty nested elements.
_CLOSING_CHARS = 120
_CLOSING_TAGS = re.compile(r"(?:</[a-z0-9]+>)+$")


class Patch(Struct, frozen=True, omit_defaults=True):
    """What to do with the child elements of a part, in this order.

    Keep the first `keep` of them and remove the others; append the elements of `html`; then go
    down from the last child, always to the last child node, as long as that is an element, and
    append `open_text` there as text.
    """

    keep: int
    html: str = ""
    open_text: str = ""


class _Drawn(Struct, frozen=True):
    block: Block
    used: Used
    html: str


class StreamRenderer:
    """Draws one part while it is written."""

    def __init__(self) -> None:
        self._splitter = Splitter()
        self._references = no_references()
        self._beginning = ""
        self._has_return = False
        self._closed: list[_Drawn] = []
        self._elements: list[str] = []
        self._open: list[_Drawn] = []
        self._code: OpenCode | None = None

    def feed(self, text: str) -> Patch | None:
        """Take in more text; returns what changes on the page, if anything does."""
        kept = len(self._elements)
        fresh = self._take(text)
        if self._code is not None and not fresh:
            return self._grow_code(self._code)
        shown = self._open_elements()
        self._elements += [drawn.html for drawn in fresh if drawn.html]
        self._look(known=[] if fresh else self._open)
        return _patch(shown, [*self._elements[kept:], *self._open_elements()], kept=kept)

    def finish(self) -> Patch:
        """End the text; returns what is left to change on the page."""
        shown = [*self._elements, *self._open_elements()]
        if self._has_return:
            self._take("\n")
        for block in self._splitter.close(self._beginning):
            self._draw(block)
        self._refer()
        self._elements = [drawn.html for drawn in self._closed if drawn.html]
        self._beginning, self._open, self._code = "", [], None
        unchanged = Patch(keep=len(self._elements))
        return _patch(shown, self._elements, kept=0) or unchanged

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
        return [self._code.html()] if self._code else [drawn.html for drawn in self._open]

    def _look(self, *, known: list[_Drawn]) -> None:
        """Draw what is open now."""
        if isinstance(self._splitter.block, Fence):
            self._open, self._code = [], OpenCode(self._splitter.lines[0])
            self._code.grow(self._splitter.lines, beginning=self._beginning)
            self._code.colour_if_due()
            return
        self._code = None
        is_undecided = _UNDECIDED.fullmatch(self._beginning) is not None
        blocks = self._splitter.preview("" if is_undecided else self._beginning)
        self._open = [
            self._draw_open(block, is_last=index == len(blocks) - 1, known=known[index : index + 1])
            for index, block in enumerate(blocks)
        ]

    def _draw_open(self, block: Block, *, is_last: bool, known: list[_Drawn]) -> _Drawn:
        for drawn in known:
            if drawn.block == block or (is_last and _is_hardly_longer(block, drawn.block)):
                return drawn
        used = self._references.used_by(block)
        return _Drawn(block, used, open_block_html(block, used=used))

    def _grow_code(self, code: OpenCode) -> Patch | None:
        kept = len(self._elements)
        text = code.grow(self._splitter.lines, beginning=self._beginning)
        if code.colour_if_due():
            return Patch(keep=kept, html=code.html())
        return Patch(keep=kept + 1, open_text=text) if text else None


def _is_hardly_longer(block: Block, before: Block) -> bool:
    chars, before_chars = len(block.source), len(before.source)
    return before_chars > _LONG_CHARS and before_chars <= chars < before_chars * 9 // 8


def _patch(shown: list[str], wanted: list[str], *, kept: int) -> Patch | None:
    """How to get from the elements shown to those wanted, behind the first `kept` ones."""
    same = 0
    for old, new in zip(shown, wanted, strict=False):
        if old != new:
            break
        same += 1
    if same == len(shown) == len(wanted):
        return None
    if len(shown) == len(wanted) == same + 1 and (text := _added(shown[-1], wanted[-1])):
        return Patch(keep=kept + len(wanted), open_text=text)
    return Patch(keep=kept + same, html="".join(wanted[same:]))


def _added(old: str, new: str) -> str:
    """The text by which the last text of an element grew, if that is all that changed."""
    tags = _CLOSING_TAGS.search(old, max(0, len(old) - _CLOSING_CHARS))
    if tags is None or old[tags.start() - 1] == ">" or not new.endswith(tags[0]):
        return ""
    end = len(new) - len(tags[0])
    added = new[tags.start() : end]
    is_text = "<" not in added and new.startswith(old[: tags.start()])
    return unescape(added) if is_text else ""
