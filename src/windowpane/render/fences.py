"""Reads fenced code: the language, and the code without the fence around it.

Used for whole blocks and, line by line, for a block that still grows.
"""

from __future__ import annotations

import re
from html import unescape

from msgspec import Struct

_OPENING = re.compile(r"(?P<indent> {0,3})(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)")


class Fence(Struct, frozen=True):
    """What the first line of a fenced block says."""

    indent_chars: int
    mark: str
    language: str

    def content(self, line: str) -> str:
        """A line of the code, without the indent that it shares with the fence."""
        indent_chars = self.indent_chars
        return line[:indent_chars].lstrip(" ") + line[indent_chars:]

    def may_close_with(self, beginning: str) -> bool:
        """Whether a line that begins so can still turn out to be the closing one."""
        return set(beginning.strip(" \t")) <= {self.mark[0]}

    def closes_with(self, line: str) -> bool:
        mark = line.strip(" \t\n")
        return len(mark) >= len(self.mark) and self.may_close_with(mark)


def fence_of(line: str) -> Fence:
    opening = _OPENING.match(line)
    assert opening is not None
    language = unescape(opening["language"]).strip("{}.")
    return Fence(indent_chars=len(opening["indent"]), mark=opening["mark"], language=language)


def fenced_code(source: str) -> tuple[Fence, str]:
    """The fence of a closed block and the code inside."""
    first, _, rest = source.partition("\n")
    fence = fence_of(first)
    lines = rest.removesuffix("\n").split("\n")
    # A line that closes can only be the last one: it would have ended the block before.
    if fence.closes_with(lines[-1]):
        lines.pop()
    return fence, "".join(fence.content(line) + "\n" for line in lines)
