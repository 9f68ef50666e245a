"""Shows a line that is still being written as if its marks were closed.

Without it, asterisks would flash up before every bold word and an address behind every link, and
the line would jump when they close. Only what is open is drawn so; a guess that turns out wrong is
gone with the next word.
"""

from __future__ import annotations

import re

# Longer lines are no sentences, and guesses about them are not worth their time.
_MAX_LINE_CHARS = 4_000

_TRAILING_MARKS = re.compile(r"[*`~]+\Z")
_ADDRESS = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\Z")
_BOLD_OPENING = re.compile(r"(?<![\w\\*])\*\*(?=[^\s*])")
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)


def with_closed_marks(source: str) -> str:
    """The source with the open code, bold text and link of its last line closed."""
    above, end, line = source.rpartition("\n")
    if len(line) > _MAX_LINE_CHARS or _is_in_fence(source):
        return source
    if "](" in line:
        line = _ADDRESS.sub(r"\1", line)
    if "*" not in line and "`" not in line:
        return above + end + line
    line = _TRAILING_MARKS.sub("", line).rstrip()
    between_ticks = line.split("`")
    tick = "" if len(between_ticks) % 2 else "`"
    # Code counts as a letter here: what is in it marks nothing.
    outside_code = "c".join(between_ticks[::2]) + ("c" if tick else "")
    return above + end + line + tick + ("**" if _is_bold(outside_code) else "")


def _is_in_fence(source: str) -> bool:
    has_fence = "```" in source or "~~~" in source
    return has_fence and len(_FENCE.findall(source)) % 2 == 1


def _is_bold(text: str) -> bool:
    is_open = text.count("**") % 2 == 1
    return is_open and _BOLD_OPENING.match(text, text.rindex("**")) is not None
