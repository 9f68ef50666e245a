from datetime import UTC, datetime, timedelta

import pytest

from windowpane.web.words import ago, counted

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-3), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=5, minutes=30), "5 hours ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=40), "on 9 October 2026"),
    ],
)
def test_a_time_is_told_as_people_tell_it(passed: timedelta, words: str) -> None:
    assert ago(NOW - passed, now=NOW) == words


def test_one_is_not_many() -> None:
    assert counted(1, "model") == "1 model"
    assert counted(1200, "model") == "1,200 models"
