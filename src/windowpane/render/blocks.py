"""Cuts growing Markdown into its top-level blocks, each closed once and for good.

A `Splitter` is given whole lines and hands back the blocks that these lines closed. What is still
open can be looked at, together with the beginning of the next line, without changing anything.
Whole texts go the same way, so a streamed text and a loaded one have the same blocks.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.render.structure import BlockKind, Flow, Math, Open, is_blank, shape_of

# An open block is looked at in pieces of about this size: new text then costs what it weighs.
PIECE_CHARS = 2_000


class Block(Struct, frozen=True):
    """The Markdown of one top-level block, without blank lines around it."""

    kind: BlockKind
    source: str


class Preview(Struct, frozen=True):
    """What is open: one block in pieces, and what would follow it if its line ended now."""

    pieces: list[Block]
    following: Block | None


def split(text: str) -> list[Block]:
    """All blocks of a whole text."""
    splitter = Splitter()
    *lines, rest = text.split("\n")
    blocks = [block for line in lines for block in splitter.take(line + "\n")]
    return blocks + splitter.close(rest)


class Splitter:
    def __init__(self) -> None:
        self._flow = Flow(0)
        self._pieces: list[Block] = []
        self._parted: list[str] = []
        self.lines: list[str] = []
        self._chars = 0

    @property
    def block(self) -> Open | None:
        """What is open."""
        return self._flow.block

    def take(self, line: str) -> list[Block]:
        """Let in one whole line, with its end; returns the blocks that it closed."""
        block = self._flow.block
        if isinstance(block, Math) and (cut := block.cut(line)):
            # A sentence that goes on behind the formula is a paragraph of its own.
            return self.take(line[:cut] + "\n") + self.take(line[cut:].lstrip(" "))
        closed = self._make_room(shape := shape_of(line))
        if self._flow.block is None and is_blank(shape):
            return closed
        self._flow.take(shape)
        self.lines.append(line)
        self._chars += len(line)
        return closed + self._settle()

    def close(self, rest: str) -> list[Block]:
        """End the text, of which `rest` is the last line if it had no end."""
        closed = self.take(rest + "\n") if rest else []
        if isinstance(self._flow.block, Math):
            closed += self._read_without_math()
        return closed + self._cut()

    def preview(self, beginning: str) -> Preview:
        """What is open, if the line that begins so ended here."""
        shape = shape_of(beginning)
        lines = self.lines
        if is_blank(shape):
            return Preview(self._open_pieces(lines), None)
        if self._flow.heads_table(shape):
            table = Block("table", lines[-1].lstrip(" \t") + beginning)
            return Preview(self._open_pieces(lines[:-1]), table)
        if self._flow.joins(shape):
            return Preview(self._open_pieces([*lines, beginning]), None)
        new = Block(self._flow.start(shape).kind, beginning)
        return Preview(self._open_pieces(lines), new) if lines else Preview([new], None)

    def _make_room(self, shape: str) -> list[Block]:
        """Close what the line does not belong to."""
        if self._flow.heads_table(shape):
            header = self.lines.pop()
            closed = self._cut()
            self.lines.append(header.lstrip(" \t"))
            return closed
        if not self._flow.joins(shape):
            closed = self._cut()
            self._flow.block = None
            return closed
        if self._flow.block is not None and self._flow.block.is_seam(shape):
            self._part()
        return []

    def _settle(self) -> list[Block]:
        """Close what its own last line ended."""
        block = self._flow.block
        if isinstance(block, Math) and block.is_hopeless:
            return self._read_without_math()
        if block is None or not block.is_done:
            return []
        closed = self._cut()
        self._flow.block = None
        return closed

    def _read_without_math(self) -> list[Block]:
        """An opening `$$` or `\\[` found no end: read its lines again as what they also are."""
        lines = self.lines
        self.lines, self._chars = [], 0
        self._flow = Flow(0)
        self._flow.reads_math = False
        closed = [block for line in lines for block in self.take(line)]
        self._flow.reads_math = True
        return closed

    def _cut(self) -> list[Block]:
        lines = self._parted + self.lines
        self._pieces, self._parted, self.lines, self._chars = [], [], [], 0
        return [self._as_block(lines)] if lines else []

    def _part(self) -> None:
        """Begin a new piece of the open block if the last one is large enough."""
        if self._chars < PIECE_CHARS:
            return
        self._pieces = self._open_pieces(self.lines)
        self._parted += self.lines
        self.lines, self._chars = [], 0

    def _open_pieces(self, lines: list[str]) -> list[Block]:
        if not lines:
            return self._pieces
        is_later_rows = self._pieces and self._flow.block and self._flow.block.kind == "table"
        header = self._parted[:2] if is_later_rows else []
        return [*self._pieces, self._as_block(header + lines)]

    def _as_block(self, lines: list[str]) -> Block:
        kind = self._flow.block.kind if self._flow.block else "text"
        end = len(lines)
        while kind != "fence" and not lines[end - 1].strip(" \t\n"):
            end -= 1
        return Block(kind, "".join(lines[:end]))
