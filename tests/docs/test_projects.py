"""The page about projects: every setting is on it, with its default and what it takes."""

import re
from datetime import UTC, datetime, timedelta, timezone

import msgspec

from tests.docs.pages import page
from windowpane.choices import CHOICE_NAMES, PLACES, PROJECT_NAMES, TOPIC_NAMES, wanted
from windowpane.context.phrasing import NAMES, Phrasing, check_template, example_text
from windowpane.settings import DEFAULT_CHOICES

TEXT = page("projects.md")
ROW = re.compile(
    r"^\| `(?P<name>\w+)`(?: \*(?P<mark>[a-z ]+)\*)? "
    r"\| (?P<default>[^|]*) \| (?P<takes>[^|]*) \| .+",
    re.MULTILINE,
)
ROWS = {row["name"]: row for row in ROW.finditer(TEXT.split("<!-- settings -->")[1])}


def written(value: object) -> str:
    """A default as the page writes it."""
    if value in (None, "", {}):
        return "none"
    if isinstance(value, dict):
        return f"`{msgspec.json.encode(value).decode()}`"
    if isinstance(value, tuple):
        return "`" + ",".join(msgspec.convert(value, tuple[str, ...])) + "`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def test_every_setting_is_on_the_page_and_no_other() -> None:
    assert tuple(ROWS)[: len(CHOICE_NAMES)] == CHOICE_NAMES


def test_the_defaults_and_what_each_takes_are_true() -> None:
    for name in CHOICE_NAMES:
        assert ROWS[name]["takes"] == wanted(name)
        if name != "model":
            assert ROWS[name]["default"] == written(getattr(DEFAULT_CHOICES, name))


def test_the_marks_say_who_may_choose() -> None:
    marks = {name: ROWS[name]["mark"] for name in CHOICE_NAMES}
    assert {name for name, mark in marks.items() if mark == "topic"} == TOPIC_NAMES
    assert {name for name, mark in marks.items() if mark == "project only"} == PROJECT_NAMES


def test_the_places_stand_from_the_nearest_to_the_farthest() -> None:
    table = TEXT.split("## Who decides")[1].split("## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == PLACES


def test_the_example_of_metadata_is_what_is_sent() -> None:
    [example] = re.findall(r"```text\n(<metadata>.*?)```", TEXT, re.DOTALL)
    made = example_text(
        Phrasing(
            format="metadata", metadata=("timestamp", "model", "context", "cost"), template=""
        ),
        at=datetime(2026, 5, 12, 7, 14, 5, tzinfo=UTC),
        zone=timezone(timedelta(hours=2), "CEST"),
        model="claude-sonnet-4-5",
    )
    assert example == f"{made}\n"


def test_the_example_of_a_template_is_one_and_every_name_is_told() -> None:
    [template] = re.findall(r"```text\n(\{\{userMessage.*?)```", TEXT, re.DOTALL)
    check_template(template)
    table = TEXT.split("## Message formats")[1].split("## ")[0]
    cells = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == set(NAMES)
