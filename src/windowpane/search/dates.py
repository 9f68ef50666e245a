"""Days as words of the index: when a turn was, and of which days it speaks.

"Yesterday" means another day in each turn, so it is looked up by the turn's own time. A day is
written down as marks that no text contains, from exact to broad: the day, the month of a year, the
day or month of any year, the year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from msgspec import Struct

MONTHS = "january february march april may june july august september october november december"
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"

_NUMBERS = {word: number for number, word in enumerate(SMALL_NUMBERS.split())} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
}
_MONTH_NUMBERS = {
    form: number
    for number, name in enumerate(MONTHS.split(), 1)
    for form in {name, name[:3], "sept" if name == "september" else name}
}
_WEEKDAY_NUMBERS = {name: number for number, name in enumerate(WEEKDAYS.split())}
_MONTH = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_WEEKDAY = "|".join(_WEEKDAY_NUMBERS)
_COUNT = rf"(?:a\s+)?(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})(?:\s+of)?"

SPOKEN = re.compile(
    rf"""
    \b(?:
      (?P<iso>(?:19|20)\d\d-\d\d-\d\d)
    | (?P<day_before>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<month_after>{_MONTH})\b\.?
        (?:,?\s+(?P<year_one>(?:19|20)\d\d))?
    | (?P<month_before>{_MONTH})\b\.?\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b
        (?:,?\s+(?P<year_two>(?:19|20)\d\d))?
    | (?P<month>{_MONTH})\b\.?,?\s+(?P<year_three>(?:19|20)\d\d)
    | (?P<alone>{MONTHS.replace(" may ", " ").replace(" ", "|")}|(?<=\bin\s)may)
    | (?:day\s+before\s+(?P<before>yesterday))
    | (?P<near>today|tonight|yesterday|tomorrow|last\s+night|this\s+(?:morning|afternoon|evening))
    | {_COUNT}\s+(?P<unit>day|week|month|year)s?\s+(?P<back>ago|back)
    | (?P<which>last|next|this|on|past)\s+(?P<weekday>{_WEEKDAY})
    | (?P<turn>last|next|this|past)\s+(?P<span>weekend|week|month|year)
    | (?:in\s+)?(?P<year>(?:19|20)\d\d)
    )\b
    """,
    re.VERBOSE,
)
# Without one of these no day is spoken of.
_SIGN_WORDS = (
    "today tonight yesterday tomorrow night morning afternoon evening ago back week weekend month "
    "year"
)
_SIGNS = frozenset(
    [*_MONTH_NUMBERS, *_WEEKDAY_NUMBERS, *map(str, range(1900, 2100)), *_SIGN_WORDS.split()]
)
_PUNCTUATION = str.maketrans(dict.fromkeys(".,;:!?'\"()-*/", " "))
_WORD = re.compile("[a-z]+|[0-9]{4}")
BEFORE, BEHIND = 24, 16
# People say at the beginning when something was; a text with more days than this is a table.
READ_CHARACTERS = 1_000
MOST_DAYS = 20


class Span(Struct, frozen=True, order=True):
    """From a day to a day, both of them in it; a month, a year or a week is one, too."""

    first: date
    last: date


def day_marks(at: datetime) -> str:
    """The marks of the moment at which a turn was made."""
    return " ".join(_marks(Span(at.date(), at.date())))


def spoken_marks(text: str, *, at: datetime) -> str:
    """The marks of the days that a text speaks of, seen from when it was written."""
    spans = list(dict.fromkeys(spoken_days(text[:READ_CHARACTERS], at=at)))[:MOST_DAYS]
    return " ".join(dict.fromkeys(mark for span in spans for mark in _marks(span)))


def asked_marks(text: str, *, at: datetime) -> tuple[tuple[str, ...], ...]:
    """For each day, month or year that a question asks about, the marks of which one is enough."""
    groups = [_asked(found, span) for found, span in _found(text, today=at.date())]
    return tuple(dict.fromkeys(groups))


def spoken_days(text: str, *, at: datetime) -> list[Span]:
    return [span for _, span in _found(text, today=at.date())]


def _found(text: str, *, today: date) -> Iterator[tuple[re.Match[str], Span]]:
    lowered = text.lower()
    if _SIGNS.isdisjoint(lowered.translate(_PUNCTUATION).split()):
        return
    for first, last in _promising(lowered):
        for found in SPOKEN.finditer(lowered, first, last):
            try:
                yield found, _named(found, today=today) or _relative(found, today=today)
            except (ValueError, OverflowError):  # such as the thirtieth of February
                continue


def _promising(text: str) -> list[tuple[int, int]]:
    """Where words around signs begin and end: trying every place would take ten times as long."""
    places: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        if word[0] not in _SIGNS:
            continue
        first, last = max(0, word.start() - BEFORE), word.end() + BEHIND
        if places and first <= places[-1][1]:
            first = places.pop()[0]
        places.append((first, last))
    return places


def _asked(found: re.Match[str], span: Span) -> tuple[str, ...]:
    """A day or a month without a year may be one of any year."""
    is_of_any_year = found["alone"] or (
        (found["day_before"] or found["day_after"]) and not (found["year_one"] or found["year_two"])
    )
    if is_of_any_year:
        is_day = span.first == span.last
        return (f"zq{span.first:%m%d}" if is_day else f"zq{span.first:%m}",)
    marks = list(_marks(span))
    days = [mark for mark in marks if mark.startswith("zd")]
    return tuple(days or marks[:1])


def _marks(span: Span) -> Iterator[str]:
    first, last = span.first, span.last
    if first == last:
        yield f"zd{first:%Y%m%d}"
        yield f"zq{first:%m%d}"
    if (first.year, first.month) == (last.year, last.month):
        yield f"zm{first:%Y%m}"
        yield f"zq{first:%m}"
    if first.year == last.year:
        yield f"zy{first:%Y}"
    if 0 < (last - first).days < 10:
        for ahead in range((last - first).days + 1):
            yield f"zd{first + timedelta(days=ahead):%Y%m%d}"


def _named(found: re.Match[str], *, today: date) -> Span | None:
    if found["iso"]:
        return _only(date.fromisoformat(found["iso"]))
    if found["year"]:
        return _year(int(found["year"]))
    name = found["month_after"] or found["month_before"] or found["month"] or found["alone"]
    if name is None:
        return None
    month = _MONTH_NUMBERS[name]
    told_year = found["year_one"] or found["year_two"] or found["year_three"]
    year = int(told_year) if told_year else today.year
    day = found["day_before"] or found["day_after"]
    return _only(date(year, month, int(day))) if day else _month(year, month)


def _relative(found: re.Match[str], *, today: date) -> Span:
    if found["before"]:
        return _around(today, days=-2)
    if found["near"]:
        near = " ".join(found["near"].split())
        return _around(today, days={"yesterday": -1, "last night": -1, "tomorrow": 1}.get(near, 0))
    if found["unit"]:
        told = found["count"]
        count = _NUMBERS[told] if told in _NUMBERS else int(told)
        return _ago(today, count=count, unit=found["unit"])
    if found["weekday"]:
        number = _WEEKDAY_NUMBERS[found["weekday"]]
        return _around(today, days=_to_weekday(number - today.weekday(), found["which"]))
    return _turned(found, today=today)


def _to_weekday(ahead: int, which: str) -> int:
    """ "On Monday", said on a Monday, is today; the last and the next one are a week away."""
    if which == "next":
        return ahead % 7 or 7
    return -(-ahead % 7 or (7 if which in ("last", "past") else 0))


def _turned(found: re.Match[str], *, today: date) -> Span:
    steps = {"next": 1, "this": 0}.get(found["turn"], -1)
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=steps)
    match found["span"]:
        case "week":
            return Span(monday, monday + timedelta(days=6))
        case "weekend":
            return Span(monday + timedelta(days=5), monday + timedelta(days=6))
        case "month":
            return _months_away(today, steps)
        case _:
            return _year(today.year + steps)


def _ago(today: date, *, count: int, unit: str) -> Span:
    match unit:
        case "day":
            return _around(today, days=-count)
        case "week":
            return _around(today, days=-7 * count)
        case "month":
            return _months_away(today, -count)
        case _:
            return _year(today.year - count)


def _months_away(today: date, steps: int) -> Span:
    months = today.year * 12 + today.month - 1 + steps
    return _month(months // 12, months % 12 + 1)


def _year(year: int) -> Span:
    return Span(date(year, 1, 1), date(year, 12, 31))


def _month(year: int, month: int) -> Span:
    after = date(year + month // 12, month % 12 + 1, 1)
    return Span(date(year, month, 1), after - timedelta(days=1))


def _around(today: date, *, days: int) -> Span:
    return _only(today + timedelta(days=days))


def _only(day: date) -> Span:
    return Span(day, day)
