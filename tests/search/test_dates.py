"""Days that are spoken of are found by their dates, whenever they were spoken of."""

from datetime import UTC, date, datetime

import pytest

from windowpane.search.dates import Span, asked_marks, day_marks, spoken_days, spoken_marks

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def days(text: str) -> list[str]:
    return [
        f"{span.first}" if span.first == span.last else f"{span.first} {span.last}"
        for span in spoken_days(text, at=MONDAY)
    ]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I went there yesterday", "2023-05-07"),
        ("the day before yesterday", "2023-05-06"),
        ("see you tomorrow!", "2023-05-09"),
        ("last night we sang", "2023-05-07"),
        ("this morning", "2023-05-08"),
        ("two weeks ago", "2023-04-24"),
        ("a couple of days ago", "2023-05-06"),
        ("3 days ago", "2023-05-05"),
        ("last Friday", "2023-05-05"),
        ("next Friday", "2023-05-12"),
        ("on Monday", "2023-05-08"),
        ("last Monday", "2023-05-01"),
        ("last week", "2023-05-01 2023-05-07"),
        ("last weekend", "2023-05-06 2023-05-07"),
        ("next month", "2023-06-01 2023-06-30"),
        ("five months ago", "2022-12-01 2022-12-31"),
        ("last year", "2022-01-01 2022-12-31"),
        ("in 2019", "2019-01-01 2019-12-31"),
        ("on 7 May 2021", "2021-05-07"),
        ("the 3rd of July", "2023-07-03"),
        ("Sept 3, 2021", "2021-09-03"),
        ("on 2021-09-03 at noon", "2021-09-03"),
        ("back in June", "2023-06-01 2023-06-30"),
        ("in May", "2023-05-01 2023-05-31"),
    ],
)
def test_a_day_means_what_it_meant_when_it_was_said(text: str, meant: str) -> None:
    assert days(text) == [meant]


@pytest.mark.parametrize(
    "text", ["I may go", "31 February", "2023-02-30", "mayor", "the weeks", ""]
)
def test_what_only_looks_like_a_day_is_none(text: str) -> None:
    assert days(text) == []


def test_ages_ago_is_before_all_days() -> None:
    assert days("999 years ago") == ["1024-01-01 1024-12-31"]
    assert spoken_days("12 years ago", at=datetime(9, 1, 1, tzinfo=UTC)) == []


def test_a_turn_has_the_marks_of_its_own_day() -> None:
    assert day_marks(MONDAY) == "zd20230508 zq0508 zm202305 zq05 zy2023"


def test_a_question_with_a_date_asks_for_that_day() -> None:
    assert asked_marks("What did she do on 7 May 2023?", at=MONDAY) == (("zd20230507",),)
    assert asked_marks("What happened in May 2023?", at=MONDAY) == (("zm202305",),)
    assert asked_marks("What happened in 2021?", at=MONDAY) == (("zy2021",),)


def test_a_date_without_a_year_asks_for_every_year() -> None:
    assert asked_marks("on 7 May", at=MONDAY) == (("zq0507",),)
    assert asked_marks("in June", at=MONDAY) == (("zq06",),)


def test_a_week_is_any_of_its_days() -> None:
    [week] = asked_marks("what did I ask last week", at=MONDAY)
    assert week == tuple(f"zd202305{day:02}" for day in range(1, 8))


def test_what_was_said_carries_the_mark_that_is_asked_for() -> None:
    said = spoken_marks("I went yesterday.", at=MONDAY).split()
    [[asked]] = asked_marks("on 7 May 2023", at=datetime(2026, 1, 1, tzinfo=UTC))
    assert asked in said


def test_a_table_of_dates_marks_no_more_than_a_few() -> None:
    table = " ".join(f"2023-01-{day:02}" for day in range(1, 32)) * 3
    assert len(spoken_marks(table, at=MONDAY).split()) < 60


def test_spans_know_their_order() -> None:
    assert Span(date(2023, 1, 1), date(2023, 1, 2)) < Span(date(2023, 1, 2), date(2023, 1, 2))
