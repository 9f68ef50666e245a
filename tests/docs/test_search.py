"""The page about search: its examples are searched, its keys are those of the values."""

from __future__ import annotations

import re

import pytest

from tests.agent.searching import Histories, find
from tests.docs.pages import page
from tests.workspaces import KEY
from windowpane.agent.search import Search
from windowpane.search import ChatHit, Excerpt, Found, TurnHit
from windowpane.storage.memory import MemoryStore
from windowpane.storage.vault import Vault

PAGE = page("search.md")


def rows(title: str) -> list[list[str]]:
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    tables = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    lines = [line for table in tables for line in table.splitlines()[2:]]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


TURNS = [row for row in rows("Examples") if len(row) == 3]
EXAMPLES = [(row[0].strip("`"), row[1]) for row in rows("Examples") if len(row) == 2]


@pytest.fixture
async def vault() -> Vault:
    vault = Vault(MemoryStore(), key=KEY)
    histories = Histories(vault)
    chat_id = await histories.chat(await histories.project())
    for _, asked, answered in TURNS:
        await histories.turn(chat_id, asked, answered)
    return vault


@pytest.mark.parametrize(("query", "numbers"), EXAMPLES)
async def test_an_example_finds_what_the_page_says(vault: Vault, query: str, numbers: str) -> None:
    found = await find(Search(vault), query)
    assert ", ".join(str(hit.depth + 1) for hit in found.turns) == numbers


def test_there_are_examples_of_all_that_can_be_typed() -> None:
    assert len(EXAMPLES) >= 10


def test_every_key_of_the_answer_is_on_the_page() -> None:
    told = {name for row in rows("For programs") for name in re.findall(r"`(\w+)`", " ".join(row))}
    assert [row[0].strip("`") for row in rows("For programs")] == [
        "turns",
        "chats",
        "searched_turns",
        "waiting_turns",
    ]
    for value in (Found, TurnHit, ChatHit):
        assert set(value.__struct_fields__) <= told
    assert all(f"`{name}`" in PAGE for name in Excerpt.__struct_fields__)
