"""What may follow each letter, and the predicate they make together.

A value or a comparison that a letter cannot use is an error here, never ignored: a filter
decides what is sent, so it must not mean less than it says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from msgspec import Struct

from windowpane.filters.dates import Age, Compare, Day, age_from, day_from
from windowpane.filters.errors import BadDate, FilterError, Span
from windowpane.filters.globs import Glob, literal, units_of
from windowpane.filters.lex import Token
from windowpane.filters.syntax import (
    MARKS,
    Contains,
    CurrentModel,
    CurrentTopic,
    Flagged,
    InContext,
    InTopic,
    Last,
    Mark,
    Marked,
    ModelNamed,
    Predicate,
    Stars,
)
from windowpane.filters.topics import TopicPattern


class Written(Struct, frozen=True, kw_only=True):
    """A letter with what was written behind it, and the whole text for pointing."""

    letter: Token
    compare: Token | None
    value: Token | None
    text: str

    def error(self, reason: str, *, span: Span, advice: str) -> FilterError:
        return FilterError(reason, text=self.text, span=span, advice=advice)


def predicate(letter: Token, *, compare: Token | None, value: Token | None, text: str) -> Predicate:
    written = Written(letter=letter, compare=compare, value=value, text=text)
    if compare and not value and letter.text in _EXAMPLES:
        raise written.error(
            f"Nothing follows {compare.text}",
            span=compare.span,
            advice=f"Write the value directly behind it, as in {_EXAMPLES[letter.text]}.",
        )
    return _READERS[letter.text](written)


def _stars(written: Written) -> Predicate:
    # A bare s asks for nothing: any number of stars will do.
    if not written.value:
        return Stars(compare=">=", stars=0)
    return Stars(compare=_compare(written, default="="), stars=_number(written))


def _last(written: Written) -> Predicate:
    return Last(turns=_count(written) or 0)


def _in_context(written: Written) -> Predicate:
    return InContext(beyond=_count(written) or 0)


def _model(written: Written) -> Predicate:
    name = _glob(written)
    return ModelNamed(name=name) if name else CurrentModel()


def _topic(written: Written) -> Predicate:
    _only_equals(written)
    if not written.value or written.value.kind == "number":
        return CurrentTopic(newest=_count(written))
    return InTopic(topic=TopicPattern.of(written.value.body))


def _content(written: Written) -> Predicate:
    return Contains(text=_glob(written) or Glob(("",)))


def _date(written: Written) -> Predicate:
    body = literal(units_of(written.value.body)).strip() if written.value else ""
    if day := day_from(body):
        return Day(compare=_compare(written, default="="), day=day)
    if age := age_from(body):
        amount, unit = age
        return Age(compare=_compare(written, default="<="), amount=amount, unit=unit)
    raise BadDate(
        "Invalid date value",
        text=written.text,
        span=(written.value or written.letter).span,
        advice="Write an age such as d<7d, d<24h, d<6mo, or a day such as d>=2026-03-01.",
    )


def _flag_reader(flagged: Flagged) -> Callable[[Written], Predicate]:
    return lambda written: _alone(written, flagged)


def _mark_reader(mark: Mark) -> Callable[[Written], Predicate]:
    return lambda written: _alone(written, Marked(mark=mark))


def _alone(written: Written, predicate: Predicate) -> Predicate:
    if extra := written.compare or written.value:
        raise written.error(
            f"{written.letter.text} takes no value",
            span=extra.span,
            advice=(
                f"Write {written.letter.text} alone; names and texts go in quotes, "
                "as in t'python' or c'word'."
            ),
        )
    return predicate


def _compare(written: Written, *, default: Compare) -> Compare:
    return cast(Compare, written.compare.text) if written.compare else default


def _only_equals(written: Written) -> None:
    if written.compare and written.compare.text != "=":
        raise written.error(
            f"{written.letter.text} cannot be compared with {written.compare.text}",
            span=written.compare.span,
            advice=f"Only s and d compare; write {_EXAMPLES[written.letter.text]}.",
        )


def _count(written: Written) -> int | None:
    _only_equals(written)
    return _number(written) if written.value else None


def _number(written: Written) -> int:
    value = written.value
    if value and value.kind == "number":
        return int(value.text)
    raise written.error(
        f"{written.letter.text} takes a number",
        span=(value or written.letter).span,
        advice=f"Write it without quotes, as in {_EXAMPLES[written.letter.text]}.",
    )


def _glob(written: Written) -> Glob | None:
    _only_equals(written)
    return Glob.of(units_of(written.value.body)) if written.value else None


_READERS: dict[str, Callable[[Written], Predicate]] = {
    "s": _stars,
    "r": _last,
    "b": _flag_reader(Flagged(flag="blue")),
    "g": _flag_reader(Flagged(flag="grey")),
    "m": _model,
    "t": _topic,
    "d": _date,
    "c": _content,
    "o": _in_context,
    **{letter: _mark_reader(mark) for letter, mark in MARKS.items()},
}

_EXAMPLES: dict[str, str] = {
    "s": "s>=2",
    "r": "r3",
    "m": "m'gpt*'",
    "t": "t'AI...' or t5",
    "d": "d<7d",
    "c": "c'text'",
    "o": "o3",
}
