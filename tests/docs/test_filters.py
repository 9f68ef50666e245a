"""The page about filters says what the language does: every example on it is run."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.filters.conversations import BERLIN, chosen, turn, viewpoint
from windowpane.filters import FilterError, Topic, TopicTree, TurnFacts, explain, parse, parse_line
from windowpane.filters.commands import COMMANDS
from windowpane.filters.lex import LETTERS

PAGE = (Path(__file__).parents[2] / "docs/filters.md").read_text()
TOPICS = TopicTree.of(
    [
        Topic(id="Cooking", name="Cooking", parent_id=None),
        Topic(id="AI", name="AI", parent_id=None),
        Topic(id="Transformers", name="Transformers", parent_id="AI"),
    ]
)
READER = replace(
    viewpoint(topics=TOPICS, current_topic_id="AI"), now=datetime(2026, 3, 20, 12, tzinfo=BERLIN)
)
MARKS = {"tool calls": "tool_calls", "failed": "error"}


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables, their heads left out."""
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [cells(line) for table in tables for line in table.splitlines()[2:]]


def cells(line: str) -> list[str]:
    found = re.split(r"(?<!\\)\|", line)[1:-1]
    return [cell.strip().replace(r"\|", "|") for cell in found]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def example_turn(row: list[str]) -> TurnFacts:
    number, made, stars, flag, model, topic, also, _ = row
    assert flag in ("blue", "grey")
    marks = {MARKS.get(mark, mark) for mark in also.split(", ")}
    facts = turn(number, star=int(stars), flag=flag, model=model, topic_id=topic, marks=marks)
    return replace(facts, created_at=datetime.fromisoformat(made).replace(tzinfo=BERLIN))


WORKED = rows(section("Worked examples"))
TURNS = [example_turn(row) for row in WORKED if len(row) == 8]
TEXTS = {row[0]: row[-1] for row in WORKED if len(row) == 8}
EXAMPLES = [(code(row[0])[0], row[1], row[2]) for row in WORKED if len(row) == 3]


@pytest.mark.parametrize(("query", "numbers", "words"), EXAMPLES)
def test_a_worked_example_is_true(query: str, numbers: str, words: str) -> None:
    found = chosen(
        query, TURNS, seen_from=READER, texts=TEXTS, in_context=lambda turn_ids: turn_ids[-4:]
    )
    assert found == numbers.replace(" ", "")
    assert explain(parse(query)) == words


@pytest.mark.parametrize("block", re.findall(r"```\n(.*?)```", PAGE, re.DOTALL))
def test_an_error_reads_as_shown(block: str) -> None:
    text, carets, message = block.splitlines()
    with pytest.raises(FilterError) as caught:
        parse_line(text)
    assert caught.value.caret == f"{text}\n{carets}"
    assert str(caught.value) == message


@pytest.mark.parametrize("title", ["Dates", "Topics", "In context"])
def test_every_form_shown_is_understood(title: str) -> None:
    shown = [query for row in rows(section(title)) for query in code(row[0])]
    assert [unreadable for unreadable in shown if is_error(unreadable)] == []


def test_every_letter_is_on_the_page() -> None:
    shown = [letter for row in rows(section("Predicates")) for letter in code(row[0])]
    assert sorted(shown) == sorted(LETTERS)


def test_every_command_is_on_the_page_with_its_usage() -> None:
    usages = [code(row[0])[0] for row in rows(section("Commands"))]
    assert [usage.split()[0].removeprefix(":") for usage in usages] == list(COMMANDS)
    for usage, (shape, _) in zip(usages, COMMANDS.values(), strict=True):
        assert shape.usage.startswith(usage)


CHANGED = [(line, row[2]) for row in rows(section("Coming from MaiChat")) for line in code(row[0])]


@pytest.mark.parametrize(("line", "now"), CHANGED)
def test_a_line_that_changed_its_meaning_has_the_new_one(line: str, now: str) -> None:
    if "error" in now:
        assert is_error(line)
    elif now.startswith("`"):
        assert parse(line) == parse(code(now)[0])
    else:
        assert not is_error(line)


def is_error(text: str) -> bool:
    try:
        parse_line(text)
    except FilterError:
        return True
    return False
