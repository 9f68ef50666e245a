"""The page about the library: its examples run, and it names every name."""

import re

import windowpane
from tests.docs.pages import check_examples, page


def test_every_example_gives_what_the_page_says() -> None:
    assert check_examples("library.md") > 25


def test_the_example_of_the_front_page_runs() -> None:
    assert check_examples("../README.md") > 3


def test_every_public_name_is_in_the_table_of_names() -> None:
    table = page("library.md").split("## All names")[1]
    first_cells = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    named = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert named == set(windowpane.__all__)
