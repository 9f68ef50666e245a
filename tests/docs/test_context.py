"""The page about the context: its examples run, its tables say what the code does."""

import re
from typing import get_args
from xml.etree import ElementTree

import pytest

from tests.docs.pages import DOCS, check_examples, page
from windowpane import Budget, ContextPlan, ContextSettings
from windowpane.catalog import catalog_limits
from windowpane.context.budget import budget_for
from windowpane.context.current import CurrentTurn
from windowpane.context.request import CacheMark
from windowpane.context.states import TurnStanding
from windowpane.context.words import REASONS
from windowpane.tokens import UNCALIBRATED

PAGE = page("context.md")
VALUES = (Budget, CacheMark, ContextPlan, ContextSettings, CurrentTurn)


def rows(title: str) -> list[list[str]]:
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    table = re.findall(r"^\|(.*)\|$", section, re.MULTILINE)[2:]
    return [[cell.strip() for cell in row.split(" | ")] for row in table]


def test_every_example_gives_what_the_page_says() -> None:
    assert check_examples("context.md") > 10


def test_the_states_stand_in_the_order_of_precedence_with_their_reasons() -> None:
    told = {state.strip("`"): why for state, why in rows("Where a turn can stand")}
    assert told == REASONS
    assert list(told) == list(get_args(TurnStanding))


@pytest.mark.parametrize("row", rows("The budget"), ids=lambda row: row[0])
def test_the_budgets_are_those_of_the_models(row: list[str]) -> None:
    model, *numbers = row
    found = budget_for(
        catalog_limits(model, provider=None),
        requested_output_tokens=None,
        allowance_tokens=100,
        threshold=0.95,
        calibration=UNCALIBRATED,
    )
    assert [int(number.replace(",", "")) for number in numbers] == [
        found.window_tokens,
        found.reserve_tokens,
        found.margin_tokens,
        found.usable_tokens,
        found.threshold_tokens,
    ]


def test_every_step_names_files_that_are_there() -> None:
    folder = DOCS.parent / "src/windowpane/context"
    files = [name for row in rows("The steps") for name in re.findall(r"`(\w+)`", row[2])]
    assert len(files) > 8
    assert [name for name in files if not (folder / f"{name}.py").is_file()] == []


def test_our_names_for_short_words_are_fields_of_our_values() -> None:
    fields = {f"{value.__name__}.{field}" for value in VALUES for field in value.__struct_fields__}
    named = {name for row in rows("Words") for name in re.findall(r"`(\w+\.\w+)`", row[1])}
    assert len(named) > 9
    assert named <= fields


def test_the_picture_is_well_formed_and_has_words_for_those_who_cannot_see_it() -> None:
    picture = ElementTree.parse(DOCS / "context.svg").getroot()
    namespace = "{http://www.w3.org/2000/svg}"
    assert picture.find(f"{namespace}title") is not None
    assert picture.find(f"{namespace}desc") is not None
