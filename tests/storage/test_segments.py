"""Search over every engine: the same answers, kept in sealed segments that can be deleted."""

import pytest

from tests.agent.plain_search import plain_search
from tests.agent.searching import EVERYTHING, Histories, find, outcome
from tests.storage.conftest import OpenStore
from tests.workspaces import KEY
from windowpane.agent.search import Search, SearchScope
from windowpane.storage.base import Store
from windowpane.storage.segments import find_note
from windowpane.storage.vault import Vault

QUERIES = (
    "lock",
    "When did the journal wait?",
    '"flushing lock" -kafka',
    "compress*",
    "漢字",
    "paid",
)
TALK = (
    ("Which lock does the journal take?", "The flushing lock, once for each batch.", ""),
    ("How long does it wait?", "Two seconds.", ""),
    ("And compression?", "It compresses every page.", "kafka: 漢字仮名"),
    ("Who paid?", "Nobody pays here.", "lock lock lock"),
)


@pytest.fixture
async def vault(store: Store) -> Vault:
    return Vault(store, key=KEY)


@pytest.fixture
async def chat_id(vault: Vault) -> str:
    histories = Histories(vault)
    chat_id = await histories.chat(await histories.project(), title="Locks")
    for asked, answered, tool in TALK:
        await histories.turn(chat_id, asked, answered, tool=tool)
    await histories.turn(chat_id, "Which key instead?", "The journal's own.", depth=2)
    return chat_id


async def rows(vault: Vault, project_id: str) -> list[str]:
    return await vault.store.child_ids("segments", project_id, from_position=None)


async def project_of(vault: Vault) -> str:
    [project_id] = await vault.store.child_ids("projects", "", from_position=None)
    return project_id


@pytest.mark.parametrize("query", QUERIES)
async def test_every_engine_answers_as_reading_everything_would(
    vault: Vault, chat_id: str, query: str
) -> None:
    found = outcome(await find(Search(vault), query))
    assert found
    assert found == await plain_search(vault, query, EVERYTHING)


async def test_deleting_all_caches_changes_no_answer(vault: Vault, chat_id: str) -> None:
    search = Search(vault)
    before = [await find(search, query) for query in QUERIES]
    await Histories(vault).delete_caches()
    assert [await find(search, query) for query in QUERIES] == before
    await Histories(vault).delete_caches()
    assert [await find(Search(vault), query) for query in QUERIES] == before


async def test_what_was_indexed_is_not_read_again(vault: Vault, chat_id: str) -> None:
    await find(Search(vault), "lock")
    project_id = await project_of(vault)
    before = await rows(vault, project_id)
    note = await find_note(vault, project_id)
    await find(Search(vault), "lock")
    assert await rows(vault, project_id) == before
    assert await find_note(vault, project_id) == note


async def test_two_processes_see_what_either_has_stored(
    database: str, open_store: OpenStore, vault: Vault, chat_id: str
) -> None:
    there = vault if database == "memory:" else Vault(await open_store(database), key=KEY)
    one, other = Search(vault), Search(there)
    for number in range(3):
        await Histories(there).turn(chat_id, f"Stored elsewhere {number}", "quagga")
        assert len((await find(one, "quagga")).turns) == number + 1
        assert await find(other, "quagga") == await find(one, "quagga")


async def test_deleting_a_project_deletes_its_segments(vault: Vault, chat_id: str) -> None:
    await find(Search(vault), "lock")
    project_id = await project_of(vault)
    assert await rows(vault, project_id)
    await Histories(vault).delete_project(project_id)
    assert await rows(vault, project_id) == []


async def test_a_deleted_turn_and_a_deleted_chat_are_gone_at_once(
    vault: Vault, chat_id: str
) -> None:
    search, histories = Search(vault), Histories(vault)
    [hit] = (await find(search, "seconds")).turns
    await histories.delete_turn(hit.turn_id)
    assert (await find(search, "seconds")).turns == ()
    assert (await find(search, "lock")).turns
    await histories.delete_chat(chat_id)
    found = await find(search, "lock")
    assert (found.turns, found.chats, found.searched_turns) == ((), (), 0)


async def test_a_deleted_chat_leaves_its_segments_when_they_are_merged(
    vault: Vault, chat_id: str
) -> None:
    search, histories = Search(vault), Histories(vault)
    await find(search, "lock")
    await histories.delete_chat(chat_id)
    await find(search, "lock")
    project_id = await project_of(vault)
    note = await find_note(vault, project_id)
    assert note is not None
    assert note.value.segments == ()
    assert await rows(vault, project_id) == [f"{project_id}:index"]


async def test_a_chat_alone_is_searched_as_if_there_were_no_other(
    vault: Vault, chat_id: str
) -> None:
    histories = Histories(vault)
    other = await histories.chat(await project_of(vault), title="Others")
    await histories.turn(other, "A lock of hair", "")
    scope = SearchScope(chat_id=other)
    found = await find(Search(vault), "lock", scope)
    assert outcome(found) == await plain_search(vault, "lock", scope)
    assert found.searched_turns == 1
