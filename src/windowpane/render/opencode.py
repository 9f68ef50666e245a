"""A fenced block of code that is still being written.

New code is appended plain, which costs what it weighs; when the block has grown by half since the
last time, its whole lines are coloured. Closed blocks are drawn elsewhere, from their source.
"""

from __future__ import annotations

from windowpane.render.code import colour, figure, is_known, plain
from windowpane.render.fences import fence_of

# Beyond this, colours wait for the end of the block.
_MAX_COLOURED_CHARS = 20_000


class OpenCode:
    def __init__(self, opening: str) -> None:
        self._fence = fence_of(opening)
        self._lines_taken = 1
        self._shown_of_line = 0
        self._coloured = ""
        self._coloured_chars = 0
        self._code: list[str] = []
        self._chars = 0
        self._tail: list[str] = []

    def grow(self, lines: list[str], *, beginning: str) -> str:
        """Take in what is new in the block's lines and in the line that begins after them.

        Returns the code that came to what was there.
        """
        fresh = [self._fence.content(line) for line in lines[self._lines_taken :]]
        begun = "" if self._fence.may_close_with(beginning) else self._fence.content(beginning)
        code = "".join([*fresh, begun])[self._shown_of_line :]
        if fresh or begun:
            self._shown_of_line = len(begun)
        self._lines_taken = len(lines)
        self._code.append(code)
        self._tail.append(code)
        self._chars += len(code)
        return code

    def colour_if_due(self) -> bool:
        """Colour the whole lines if there are enough new ones; tells whether it did."""
        is_due = self._coloured_chars * 3 < self._chars * 2 <= _MAX_COLOURED_CHARS * 2
        if not is_due or not is_known(self._fence.language):
            return False
        code = "".join(self._code)
        end = code.rfind("\n") + 1
        if end <= self._coloured_chars:
            return False
        self._coloured = colour(code[:end], language=self._fence.language)
        self._coloured_chars = end
        self._code, self._tail = [code], [code[end:]]
        return True

    def html(self) -> str:
        tail = plain("".join(self._tail))
        return figure(f"{self._coloured}<span>{tail}</span>", language=self._fence.language)
