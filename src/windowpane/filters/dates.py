"""When a turn was made, as a filter asks it: by age (``d<7d``) or by day (``d>=2026-03-01``).

Both become one stretch of time. An age is time that has passed, so a day is always 24 hours of
it; a date is a day of the reader's calendar, which has 23 or 25 hours when clocks change.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from msgspec import Struct

Compare = Literal["<", "<=", "=", ">=", ">"]
Unit = Literal["min", "h", "d", "w", "mo", "y"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
UNIT_US: dict[Unit, int] = {
    "min": timedelta(minutes=1) // MICROSECOND,
    "h": timedelta(hours=1) // MICROSECOND,
    "d": timedelta(days=1) // MICROSECOND,
    "w": timedelta(days=7) // MICROSECOND,
    "mo": timedelta(days=30) // MICROSECOND,
    "y": timedelta(days=365) // MICROSECOND,
}
UNITS: dict[str, Unit] = {
    "m": "min",
    "min": "min",
    "h": "h",
    "d": "d",
    "w": "w",
    "mo": "mo",
    "y": "y",
}

# Longest unit first: 30min is half an hour, not 30 minutes and a predicate.
AMOUNT = r"(?P<amount>[0-9]+)(?P<unit>min|mo|m|h|d|w|y)?"
_AMOUNT = re.compile(AMOUNT, re.IGNORECASE)
_DAY = re.compile(r"(?P<year>[0-9]{2}|[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})")

# Far outside every calendar; the ends of "before" and "after".
_BEGINNING_US, _END_US = -(2**80), 2**80


class Age(Struct, frozen=True, kw_only=True, tag="age"):
    """``<`` is younger. ``=`` is that many whole units, as when people tell an age."""

    compare: Compare
    amount: int
    unit: Unit


class Day(Struct, frozen=True, kw_only=True, tag="day"):
    compare: Compare
    day: date


def to_us(at: datetime) -> int:
    """Microseconds since 1970; an aware datetime as a plain number that compares fast."""
    return (at - EPOCH) // MICROSECOND


def age_from(written: str) -> tuple[int, Unit] | None:
    """``7d``, ``6mo`` or ``7`` (days), or nothing if it is not written like an age."""
    found = _AMOUNT.fullmatch(written)
    return found and (int(found["amount"]), UNITS[(found["unit"] or "d").lower()])


def day_from(written: str) -> date | None:
    """``2026-03-04`` or ``26-03-04``, or nothing if there is no such day."""
    found = _DAY.fullmatch(written)
    if not found:
        return None
    year = int(found["year"]) + (2000 if len(found["year"]) == 2 else 0)
    try:
        day = date(year, int(found["month"]), int(found["day"]))
    except ValueError:
        return None
    # The first and last day of the calendar cannot be moved into every time zone.
    return day if 1 < day.year < 9999 else None


def stretch(asked: Age | Day, *, now: datetime, zone: tzinfo) -> range:
    """The microseconds in which a turn must have been made."""
    if isinstance(asked, Age):
        return _age_stretch(asked, now_us=to_us(now))
    return _day_stretch(asked, zone=zone)


def _age_stretch(asked: Age, *, now_us: int) -> range:
    then_us = now_us - asked.amount * UNIT_US[asked.unit]
    match asked.compare:
        case "<":
            return range(then_us + 1, _END_US)
        case "<=":
            return range(then_us, _END_US)
        case "=":
            return range(then_us - UNIT_US[asked.unit] + 1, then_us + 1)
        case ">=":
            return range(_BEGINNING_US, then_us + 1)
        case ">":
            return range(_BEGINNING_US, then_us)


def _day_stretch(asked: Day, *, zone: tzinfo) -> range:
    start_us = _midnight_us(asked.day, zone=zone)
    end_us = _midnight_us(asked.day + timedelta(days=1), zone=zone)
    match asked.compare:
        case "<":
            return range(_BEGINNING_US, start_us)
        case "<=":
            return range(_BEGINNING_US, end_us)
        case "=":
            return range(start_us, end_us)
        case ">=":
            return range(start_us, _END_US)
        case ">":
            return range(end_us, _END_US)


def _midnight_us(day: date, *, zone: tzinfo) -> int:
    return to_us(datetime.combine(day, time.min, tzinfo=zone))
