"""Text to tokens, each with its place. White space separates nothing that a letter does not.

One rule looks back: a number that belongs to ``d`` takes a unit that touches it, so the last letter
of ``d<7d`` is a unit while that of ``s2b`` is a predicate.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from msgspec import Struct

from windowpane.filters.dates import AMOUNT
from windowpane.filters.errors import FilterError, Span

LETTERS = "srbgmtdceiopxkz"
MOST_DIGITS = 9

Kind = Literal["paren", "operator", "compare", "letter", "age", "day", "number", "quoted", "word"]


class Token(Struct, frozen=True, kw_only=True):
    """``text`` is as written; ``body`` is the same without quotes, backslashes kept."""

    kind: Kind
    text: str
    body: str
    span: Span


QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""

_TOKEN = re.compile(
    rf"""
    (?P<paren>    [()]                  )
  | (?P<operator> [&|+!]                )
  | (?P<compare>  [<>]=? | =            )
  | (?P<letter>   [{LETTERS}]           )
  | (?P<day>      [0-9]+-[0-9-]*        )
  | (?P<number>   [0-9]+                )
  | (?P<quoted>   {QUOTED}              )
  | (?P<word>     [^\W\d][\w-]*         )
    """,
    re.VERBOSE | re.DOTALL,
)
_AGE = re.compile(AMOUNT, re.IGNORECASE)
_SPACE = re.compile(r"\s*")


def lex(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = _after_space(text, 0)
    while at < len(text):
        token = _token(text, at=at, is_date=_is_date(tokens))
        tokens.append(token)
        at = _after_space(text, token.span.end)
    return tokens


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _is_date(tokens: list[Token]) -> bool:
    """Whether what comes next is the value of a ``d``."""
    before = [token for token in tokens[-2:] if token.kind != "compare"]
    return bool(before) and before[-1].kind == "letter" and before[-1].text == "d"


def _token(text: str, *, at: int, is_date: bool) -> Token:
    found = _TOKEN.match(text, at)
    if not found:
        raise _unreadable(text, at)
    kind = cast(Kind, found.lastgroup)
    if kind == "number" and is_date:
        kind, found = "age", _AGE.match(text, at) or found
    written, span = found[0], Span(found.start(), found.end())
    if kind in ("number", "age") and sum(map(str.isdigit, written)) > MOST_DIGITS:
        advice = f"Use at most {MOST_DIGITS} digits."
        raise FilterError("Number too large", text=text, span=span, advice=advice)
    body = written[1:-1] if kind == "quoted" else written
    return Token(kind=kind, text=written, body=body, span=span)


def _unreadable(text: str, at: int) -> FilterError:
    span = Span(at, at + 1)
    if text[at] in "'\"":
        return FilterError(
            "Unterminated quote",
            text=text,
            span=span,
            advice=f"Close it with {text[at]}; a quote inside is written \\{text[at]}.",
        )
    if text[at] == ":":
        return FilterError(
            "Unexpected trailing input :",
            text=text,
            span=span,
            advice=(
                "A command stands behind the filter and outside parentheses, as in b :export; "
                "a colon that is text goes in quotes."
            ),
        )
    return FilterError(
        f"Unexpected character {text[at]}",
        text=text,
        span=span,
        advice="Names and texts with such characters go in quotes, as in m'gpt*'.",
    )
