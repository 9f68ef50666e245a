"""Which line of Markdown belongs to which block.

It knows the block structure of CommonMark and of GitHub's tables, line by line, and nothing about
inline marks or HTML. `joins` asks and changes nothing; `take` lets the line in. What a block means
and how it is drawn is decided elsewhere.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal

BlockKind = Literal["text", "list", "quote", "table", "fence", "math", "footnote"]

# Deeper containers are read as plain text: nobody reads them, and each level costs a call.
MAX_DEPTH = 24
# An opening `$$` or `\[` that is not closed within this many lines was no formula.
MAX_MATH_LINES = 200

_HEADING = re.compile(r" {0,3}#{1,6}(?: |$)")
_RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *$")
_FENCE = re.compile(r"( {0,3})(?:(`{3,})[^`]*|(~{3,}).*)$")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( {0,3}(?:[-+*]|(\d{1,9})[.)]))( +|$)")
_FOOTNOTE = re.compile(r" {0,3}\[\^([^\]\s]{1,64})\]: *")
_DELIMITER_ROW = re.compile(r" {0,3}(?:\| *)?:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_MATH = re.compile(r" {0,3}(?:(\$\$)|\\\[)(.*)$")
_MATH_SIGN = re.compile(r"[\\{}^_+*/=<>&]|^\s*$")


def shape_of(line: str) -> str:
    """The line as its structure is read: without its end, tabs widened to columns."""
    line = line.rstrip("\n")
    return line.expandtabs(4) if "\t" in line else line


def is_blank(shape: str) -> bool:
    return not shape.strip(" ")


def indent_of(shape: str) -> int:
    return len(shape) - len(shape.lstrip(" "))


class Open:
    """A block that may still grow. This one is a heading or a rule: it ends with its own line."""

    kind: ClassVar[BlockKind] = "text"

    def __init__(self) -> None:
        self.is_done = True

    def joins(self, shape: str) -> bool:
        return False

    def take(self, shape: str) -> None:
        raise AssertionError("a line was given to a block that had ended")

    def is_seam(self, shape: str) -> bool:
        """Whether the block, while it is open, can be drawn in two pieces that part here."""
        return False

    @property
    def ends_in_paragraph(self) -> bool:
        return False


class Paragraph(Open):
    def __init__(self, shape: str) -> None:
        self.is_done = False
        self._may_head_table = True
        self._last = shape

    def joins(self, shape: str) -> bool:
        if is_blank(shape):
            return False
        return _UNDERLINE.match(shape) is not None or not interrupts(shape)

    def take(self, shape: str) -> None:
        self.is_done = _UNDERLINE.match(shape) is not None
        # A row that does not fit its header spoils the paragraph: it is not tried again.
        self._may_head_table = self._may_head_table and not _DELIMITER_ROW.match(shape)
        self._last = shape

    def is_seam(self, shape: str) -> bool:
        return True

    def heads_table(self, shape: str) -> bool:
        """Whether the last line is the header of a table and this line its delimiter row."""
        if self.is_done or not self._may_head_table or _UNDERLINE.match(shape):
            return False
        is_row = _DELIMITER_ROW.match(shape) is not None and not interrupts(shape)
        return is_row and _cells(self._last) == _cells(shape)

    @property
    def ends_in_paragraph(self) -> bool:
        return not self.is_done


class Table(Open):
    kind = "table"

    def __init__(self) -> None:
        self.is_done = False

    def joins(self, shape: str) -> bool:
        return not is_blank(shape) and not starts(shape)

    def take(self, shape: str) -> None:
        pass

    def is_seam(self, shape: str) -> bool:
        return True


class IndentedCode(Open):
    def __init__(self) -> None:
        self.is_done = False

    def joins(self, shape: str) -> bool:
        return is_blank(shape) or indent_of(shape) >= 4

    def take(self, shape: str) -> None:
        pass

    def is_seam(self, shape: str) -> bool:
        return True


class Fence(Open):
    kind = "fence"

    def __init__(self, mark: str) -> None:
        self.is_done = False
        self._closing = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}} *$")

    def joins(self, shape: str) -> bool:
        return True

    def take(self, shape: str) -> None:
        self.is_done = self._closing.match(shape) is not None


class Math(Open):
    kind = "math"

    def __init__(self, *, closing: str, is_done: bool) -> None:
        self._closing = closing
        self.is_done = is_done
        self._lines = 1

    def joins(self, shape: str) -> bool:
        return True

    def take(self, shape: str) -> None:
        self._lines += 1
        self.is_done = self._closing in shape

    def cut(self, line: str) -> int:
        """Where the formula ends and a text behind it begins; 0 if there is no such place."""
        end = line.find(self._closing) + len(self._closing)
        return end if end > 1 and line[end:].strip() else 0

    @property
    def is_hopeless(self) -> bool:
        return self._lines >= MAX_MATH_LINES and not self.is_done


class Container(Open):
    """A block that holds blocks of its own, in a `Flow`."""

    def __init__(self, depth: int) -> None:
        self.is_done = False
        self.flow = Flow(depth + 1)

    def joins(self, shape: str) -> bool:
        return self.holds(shape) or self._is_lazy(shape)

    def holds(self, shape: str) -> bool:
        raise NotImplementedError

    def _is_lazy(self, shape: str) -> bool:
        """Text that goes on with an open paragraph without the container's own mark."""
        return (
            self.ends_in_paragraph
            and not is_blank(shape)
            and (indent_of(shape) >= 4 or not starts(shape))
        )

    @property
    def ends_in_paragraph(self) -> bool:
        return self.flow.ends_in_paragraph


class Quote(Container):
    kind = "quote"

    def __init__(self, shape: str, *, depth: int) -> None:
        super().__init__(depth)
        self.take(shape)

    def holds(self, shape: str) -> bool:
        return _QUOTE.match(shape) is not None

    def take(self, shape: str) -> None:
        if mark := _QUOTE.match(shape):
            self.flow.take(shape[mark.end() :])

    def is_seam(self, shape: str) -> bool:
        return self.flow.block is None or self.flow.block.is_done


class List(Container):
    kind = "list"

    def __init__(self, shape: str, *, depth: int) -> None:
        super().__init__(depth)
        self._depth = depth
        self._bullet = _bullet(shape)
        self._content_column = 0
        self._begin_item(shape)

    def holds(self, shape: str) -> bool:
        return is_blank(shape) or self._is_inside_item(shape) or self._is_next_item(shape)

    def take(self, shape: str) -> None:
        if is_blank(shape):
            self.flow.take(shape)
            if not self._has_content and not self._is_inside_item(shape):
                # An item that begins with two line ends stays empty.
                self._content_column = 1_000_000
        elif self._is_inside_item(shape):
            self._has_content = True
            self.flow.take(shape[self._content_column :])
        elif self._is_next_item(shape):
            self.flow = Flow(self._depth + 1)
            self._begin_item(shape)

    def is_seam(self, shape: str) -> bool:
        return not is_blank(shape) and not self._is_inside_item(shape) and self._is_next_item(shape)

    def _is_inside_item(self, shape: str) -> bool:
        return indent_of(shape) >= self._content_column

    def _is_next_item(self, shape: str) -> bool:
        return _bullet(shape) == self._bullet and not _RULE.match(shape)

    def _begin_item(self, shape: str) -> None:
        mark = _ITEM.match(shape)
        assert mark is not None
        self._has_content = mark.end() < len(shape)
        # More than four columns of space begin code inside the item.
        has_usual_space = self._has_content and len(mark[3]) <= 4
        self._content_column = mark.end() if has_usual_space else mark.end(1) + 1
        self.flow.take(shape[self._content_column :])


class Footnote(Container):
    kind = "footnote"

    def __init__(self, shape: str, *, depth: int) -> None:
        super().__init__(depth)
        mark = _FOOTNOTE.match(shape)
        assert mark is not None
        self.flow.take(shape[mark.end() :])

    def holds(self, shape: str) -> bool:
        return is_blank(shape) or indent_of(shape) >= 4

    def take(self, shape: str) -> None:
        if self.holds(shape):
            self.flow.take(shape[4:])


class Flow:
    """The blocks of one container, of which the last may be open."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.reads_math = depth == 0
        self.block: Open | None = None

    @property
    def ends_in_paragraph(self) -> bool:
        return self.block is not None and self.block.ends_in_paragraph

    def joins(self, shape: str) -> bool:
        """Whether the line belongs to the block that is open."""
        block = self.block
        if block is None or block.is_done:
            return False
        if isinstance(block, Paragraph) and self.reads_math and _math(shape):
            return False
        return block.joins(shape)

    def heads_table(self, shape: str) -> bool:
        return isinstance(self.block, Paragraph) and self.block.heads_table(shape)

    def take(self, shape: str) -> None:
        if self.heads_table(shape):
            self.block = Table()
        elif self.block is not None and self.joins(shape):
            self.block.take(shape)
        else:
            self.block = None if is_blank(shape) else self.start(shape)

    def start(self, shape: str) -> Open:
        """The block that begins with this line, which is not blank."""
        if self.depth >= MAX_DEPTH:
            return Paragraph(shape)
        if indent_of(shape) >= 4:
            return IndentedCode()
        if self.reads_math and (math := _math(shape)):
            return math
        return _marked_block(shape, depth=self.depth) or Paragraph(shape)


def starts(shape: str) -> bool:
    """Whether the line begins with the mark of some block."""
    return (
        _HEADING.match(shape) is not None
        or _QUOTE.match(shape) is not None
        or _RULE.match(shape) is not None
        or _ITEM.match(shape) is not None
        or _FENCE.match(shape) is not None
        or _FOOTNOTE.match(shape) is not None
    )


def interrupts(shape: str) -> bool:
    """Whether the line ends a paragraph above it: a list does only if it looks meant."""
    item = _ITEM.match(shape)
    if item and not _RULE.match(shape):
        return item.end() < len(shape) and item[2] in (None, "1")
    return starts(shape)


def _marked_block(shape: str, *, depth: int) -> Open | None:
    if _HEADING.match(shape) or _RULE.match(shape):
        return Open()
    if fence := _FENCE.match(shape):
        return Fence(fence[2] or fence[3])
    if _QUOTE.match(shape):
        return Quote(shape, depth=depth)
    if _ITEM.match(shape):
        return List(shape, depth=depth)
    if _FOOTNOTE.match(shape):
        return Footnote(shape, depth=depth)
    return None


def _math(shape: str) -> Math | None:
    mark = _MATH.match(shape)
    if mark is None:
        return None
    closing = "$$" if mark[1] else "\\]"
    content, found, rest = mark[2].partition(closing)
    if found:
        return Math(closing=closing, is_done=True) if content.strip() and not rest.strip() else None
    return Math(closing=closing, is_done=False) if _MATH_SIGN.search(content) else None


def _bullet(shape: str) -> str | None:
    """What the items of one list have in common: the bullet, or the sign after the number."""
    mark = _ITEM.match(shape)
    return mark[1][-1] if mark else None


def _cells(shape: str) -> int:
    row = shape.strip(" ")
    borders = len(_CELL_BORDER.findall(row))
    return borders + 1 - row.startswith("|") - (len(row) > 1 and row.endswith("|"))
