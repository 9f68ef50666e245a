"""Ages and days: to the microsecond at the edges, and when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.filters.conversations import BERLIN, NOW, chosen, turn, viewpoint

TICK = timedelta(microseconds=1)
HAVANA = ZoneInfo("America/Havana")
SAO_PAULO = ZoneInfo("America/Sao_Paulo")


def is_chosen(query: str, at: datetime, *, now: datetime = NOW, zone: tzinfo = BERLIN) -> bool:
    made = replace(turn("a"), created_at=at)
    return chosen(query, [made], seen_from=replace(viewpoint(), now=now, zone=zone)) == "a"


# For each comparison: one tick younger than seven days, seven days exactly, one tick older.
AGE_EDGES = [
    ("d<7d", (True, False, False)),
    ("d<=7d", (True, True, False)),
    ("d7d", (True, True, False)),
    ("d=7d", (False, True, True)),
    ("d>=7d", (False, True, True)),
    ("d>7d", (False, False, True)),
]


@pytest.mark.parametrize(("query", "expected"), AGE_EDGES)
def test_an_age_has_exact_edges(query: str, expected: tuple[bool, ...]) -> None:
    then = NOW - timedelta(days=7)
    assert tuple(is_chosen(query, at) for at in (then + TICK, then, then - TICK)) == expected


def test_an_age_in_whole_days_is_as_people_tell_it() -> None:
    assert is_chosen("d=7d", NOW - timedelta(days=7, hours=23, minutes=59))
    assert not is_chosen("d=7d", NOW - timedelta(days=8))


# For each comparison: the day before, its first moment, its last moment, the day after.
DAY_EDGES = [
    ("d<2026-03-18", (True, False, False, False)),
    ("d<=2026-03-18", (True, True, True, False)),
    ("d2026-03-18", (False, True, True, False)),
    ("d=2026-03-18", (False, True, True, False)),
    ("d>=2026-03-18", (False, True, True, True)),
    ("d>2026-03-18", (False, False, False, True)),
]


@pytest.mark.parametrize(("query", "expected"), DAY_EDGES)
def test_a_day_has_exact_edges(query: str, expected: tuple[bool, ...]) -> None:
    start = datetime(2026, 3, 18, tzinfo=BERLIN)
    end = datetime(2026, 3, 19, tzinfo=BERLIN)
    moments = (start - TICK, start, end - TICK, end)
    assert tuple(is_chosen(query, at) for at in moments) == expected


def test_a_day_is_the_readers_day() -> None:
    late = datetime(2026, 3, 18, 23, 30, tzinfo=UTC)
    assert is_chosen("d2026-03-19", late, zone=BERLIN)
    assert is_chosen("d2026-03-18", late, zone=UTC)


@pytest.mark.parametrize(
    ("day", "zone", "hours"),
    [
        ("2026-03-28", BERLIN, 24),
        ("2026-03-29", BERLIN, 23),
        ("2026-10-25", BERLIN, 25),
        ("2026-03-08", HAVANA, 23),  # clocks go forward at midnight: the day starts at one
        ("2026-11-01", HAVANA, 25),  # the hour after midnight comes twice
        ("2017-10-15", SAO_PAULO, 23),
        ("2018-02-17", SAO_PAULO, 25),
    ],
)
def test_a_day_is_as_long_as_the_clocks_make_it(day: str, zone: ZoneInfo, hours: int) -> None:
    around = datetime.fromisoformat(day).replace(tzinfo=UTC) - timedelta(hours=24)
    moments = [around + timedelta(minutes=30 * step) for step in range(2 * 72)]
    assert sum(is_chosen(f"d{day}", at, zone=zone) for at in moments) == 2 * hours


def test_an_age_is_time_that_passed_also_when_clocks_change() -> None:
    monday = datetime(2026, 3, 30, 9, 0, tzinfo=BERLIN)
    # Nine o'clock on Sunday was 24 hours ago, on Saturday 47 hours: an hour was left out.
    assert is_chosen("d>=47h", datetime(2026, 3, 28, 9, 0, tzinfo=BERLIN), now=monday)
    assert not is_chosen("d>=2d", datetime(2026, 3, 28, 9, 0, tzinfo=BERLIN), now=monday)


def test_a_turn_from_the_future_is_young() -> None:
    ahead = NOW + timedelta(hours=1)
    assert is_chosen("d<1min", ahead)
    assert not is_chosen("d=0min", ahead)


@pytest.mark.parametrize(
    "query", ["d<999999999y", "d>=0002-01-01", "d<9998-12-31", "d<=1970-01-01"]
)
def test_the_ends_of_time_are_no_error(query: str) -> None:
    assert is_chosen(query, NOW) == (query != "d<=1970-01-01")


@given(st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)), st.timezones())
def test_every_moment_is_on_exactly_one_day(naive: datetime, zone: ZoneInfo) -> None:
    at = naive.replace(tzinfo=UTC)
    today = at.astimezone(zone).date()
    assert is_chosen(f"d{today}", at, zone=zone)
    assert not is_chosen(f"d<{today} | d>{today}", at, zone=zone)
