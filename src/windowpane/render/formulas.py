"""Tells formulas from dollars, and from brackets that were only escaped.

A `$` in a sentence is far more often money, a shell variable or a template than mathematics, so a
formula between single dollars must look like one, sit tight between its dollars, and be readable
as TeX. Explicit delimiters need less proof. Code is left out before anything is asked here.
"""

from __future__ import annotations

import re

from msgspec import Struct

from windowpane.render.math import formula

# Long enough for any formula inside a sentence; it bounds the search for the closing delimiter.
_MAX_CHARS = 4_000

_SIGN = re.compile(r"[\\{}^_+*/=()\[\]&%#~<>]|-(?=[ \d.])")
_SYMBOL = re.compile(r"[^\W\d_]'{1,3}")
_STRONG_SIGN = re.compile(r"[\\^{]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_PROSE = re.compile(r"[^\W\d_]{4}")


class Formula(Struct, frozen=True):
    tex: str
    is_display: bool
    end: int


def formula_at(text: str, start: int) -> Formula | None:
    """The formula whose opening delimiter stands at `start`, if there is one."""
    if text.startswith("$$", start):
        return _delimited(text, start, closing="$$", is_display=True)
    if text.startswith("$", start):
        return _between_dollars(text, start)
    if text.startswith("\\(", start):
        return _delimited(text, start, closing="\\)", is_display=False)
    return _delimited(text, start, closing="\\]", is_display=True)


def _between_dollars(text: str, start: int) -> Formula | None:
    line_end = text.find("\n", start, start + _MAX_CHARS)
    limit = line_end if line_end >= 0 else start + _MAX_CHARS
    closing = text.find("$", start + 1, limit)
    while closing > 0 and text[closing - 1] == "\\":
        closing = text.find("$", closing + 1, limit)
    if closing < 0:
        return None
    tex = text[start + 1 : closing]
    before, after = text[start - 1 : start], text[closing + 1 : closing + 2]
    if not (_is_tight(tex) and _looks_like_math(tex) and _stands_free(tex, before, after)):
        return None
    if formula(tex, is_display=False) is None:
        return None
    return Formula(tex, is_display=False, end=closing + 1)


def _delimited(text: str, start: int, *, closing: str, is_display: bool) -> Formula | None:
    end = text.find(closing, start + 2, start + _MAX_CHARS)
    if end < 0:
        return None
    tex = text[start + 2 : end]
    is_nested = text[start : start + 2] in tex
    if not tex.strip() or is_nested or "`" in tex or _BLANK_LINE.search(tex):
        return None
    if not _looks_like_math(tex.strip()) and (closing == "$$" or _PROSE.search(tex)):
        return None
    return Formula(tex, is_display=is_display, end=end + 2)


def _is_tight(tex: str) -> bool:
    """No space inside the dollars, or the same care on both sides with a clear sign of TeX."""
    if not tex or "`" in tex:
        return False
    if tex[0].isspace() and tex[-1].isspace():
        return _STRONG_SIGN.search(tex) is not None
    return not tex[0].isspace() and not tex[-1].isspace()


def _looks_like_math(tex: str) -> bool:
    is_symbol = (len(tex) == 1 and tex.isalnum()) or _SYMBOL.fullmatch(tex) is not None
    return is_symbol or _SIGN.search(tex) is not None


def _stands_free(tex: str, before: str, after: str) -> bool:
    """Not a price or a variable inside something: `US$5`, `$A/$B`, `${X}/${Y}`, `$<x:$<y>>`."""
    if after in ("{", "(", "_", "<") or after.isdigit():
        return False
    if before.isalnum():
        return "\\" in tex
    if after.isalnum():
        return len(tex) == 1 or _STRONG_SIGN.search(tex) is not None
    return True
