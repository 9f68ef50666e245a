"""Finding turns again: whatever became of them, whoever stored them, whatever is damaged."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec import structs

from tests.agent.searching import EVERYTHING, NOW, Histories, find
from tests.test_branches import ask_instead
from tests.workspaces import KEY, ask, does, new_chat, says, script, until_ended, workspace_over
from windowpane.agent import news
from windowpane.agent import search as searching
from windowpane.agent.search import Search, SearchScope
from windowpane.asking import SendRequest
from windowpane.errors import NotFound
from windowpane.ids import new_id
from windowpane.providers.scripted import Hang, Say
from windowpane.search import Found
from windowpane.storage.base import Delete, Put
from windowpane.storage.choose import store_from
from windowpane.storage.memory import MemoryStore
from windowpane.storage.segments import SEGMENTS, find_note
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace


@pytest.fixture
def vault() -> Vault:
    return Vault(MemoryStore(), key=KEY)


@pytest.fixture
def histories(vault: Vault) -> Histories:
    return Histories(vault)


@pytest.fixture
async def chat_id(histories: Histories) -> str:
    return await histories.chat(await histories.project(), title="Locks and keys")


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    async with workspace_over(MemoryStore(), folder=tmp_path, replies=()) as opened:
        yield opened


async def search(workspace: Workspace, text: str) -> Found:
    return await workspace.search(text, scope=EVERYTHING, limit=20)


async def test_a_hit_says_where_it_is_and_shows_the_words(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    await histories.turn(chat_id, "Hello")
    turn_id = await histories.turn(chat_id, "Go on", "It takes the **flushing lock** once.")
    [hit] = (await find(Search(vault), "flush")).turns
    chat = (await vault.store.get("chats", [chat_id]))[0]
    assert (hit.turn_id, hit.chat_id, hit.project_id) == (turn_id, chat_id, chat.parent_id)
    assert (hit.depth, hit.role, hit.chat_title) == (1, "assistant", "Locks and keys")
    assert hit.excerpt.text == "It takes the flushing lock once."
    assert [hit.excerpt.text[mark.start : mark.end] for mark in hit.excerpt.marks] == ["flushing"]
    assert not hit.is_left and not hit.is_beside


async def test_a_tools_words_are_found_as_the_tools(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    await histories.turn(chat_id, "Look", "Done.", tool="opened src/agent/loop.py")
    [hit] = (await find(Search(vault), "loop.py")).turns
    assert hit.role == "tool"


async def test_chats_are_found_by_their_titles_of_now(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    instance = Search(vault)
    [hit] = (await find(instance, "locking")).chats
    assert (hit.chat_id, hit.title.text, hit.title.marks[0].end) == (chat_id, "Locks and keys", 5)
    await histories.rename(chat_id, "Compression")
    assert (await find(instance, "locking")).chats == ()
    assert (await find(instance, "compress*")).chats
    assert (await find(instance, '"compression and"')).chats == ()
    assert (await find(instance, "compression -compression")).chats == ()


async def test_a_turn_is_found_while_it_is_answered_and_once_when_it_has_ended(
    workspace: Workspace, tmp_path: Path
) -> None:
    await script(workspace, folder=tmp_path, replies=[does(Say(chunks=("quokka",)), Hang())])
    chat_id = await new_chat(workspace)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="Where is the wombat?"))
    assert len((await search(workspace, "wombat")).turns) == 1
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)
    [hit] = (await search(workspace, "quokka")).turns
    assert hit.role == "assistant"
    assert [other.turn_id for other in (await search(workspace, "wombat")).turns] == [hit.turn_id]


async def test_a_turn_that_was_left_is_found_and_says_so_until_it_is_back(
    workspace: Workspace, tmp_path: Path
) -> None:
    await script(workspace, folder=tmp_path, replies=[says("one"), says("two")])
    chat_id = await new_chat(workspace)
    first = await ask(workspace, chat_id, "about wombats")
    await ask_instead(workspace, chat_id, "about quokkas", of=first)
    [hit] = (await search(workspace, "wombat")).turns
    assert hit.is_left
    await workspace.turns.go_to(hit.turn_id)
    [back] = (await search(workspace, "wombat")).turns
    assert not back.is_left
    assert [hit.is_left for hit in (await search(workspace, "quokka")).turns] == [True]


async def test_a_first_build_is_done_in_pieces_and_begins_with_the_newest(
    vault: Vault, histories: Histories, chat_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "TURNS_PER_SEARCH", 10)
    for number in range(35):
        await histories.turn(chat_id, f"wombat number{number}")
    instance, found = Search(vault), list[Found]()
    for _ in range(5):
        found.append(await instance.find("wombat", scope=EVERYTHING, limit=50, at=NOW))
    assert [(one.searched_turns, one.waiting_turns) for one in found] == [
        (10, 25),
        (20, 15),
        (30, 5),
        (35, 0),
        (35, 0),
    ]
    assert {hit.depth for hit in found[0].turns} == set(range(25, 35))
    assert len(found[-1].turns) == 35


async def test_large_turns_are_taken_in_fewer_at_a_time(
    vault: Vault, histories: Histories, chat_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "BYTES_PER_SEARCH", 1_000)
    monkeypatch.setattr(news, "TURNS_AT_ONCE", 2)
    for number in range(10):
        await histories.turn(chat_id, f"wombat {number}", new_id("turn") * 10)
    instance = Search(vault)
    first = await instance.catch_up(EVERYTHING)
    assert 0 < first.indexed_turns < 10
    assert first.indexed_turns + first.waiting_turns == 10
    assert len((await find(instance, "wombat")).turns) == 10


async def test_catching_up_can_be_given_up_and_goes_on_later(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    for number in range(600):
        await histories.turn(chat_id, f"wombat {number}")
    instance = Search(vault)
    task = asyncio.create_task(find(instance, "wombat"))
    # Some steps into the work, which waits for threads again and again.
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len((await find(instance, "wombat")).turns) == 600


async def test_searches_at_the_same_time_agree(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    for number in range(40):
        await histories.turn(chat_id, f"wombat {number}")
    instance, other = Search(vault), Search(vault)
    found = await asyncio.gather(*(find(one, "wombat") for one in (instance, other) * 4))
    assert all(one == found[0] for one in found)
    assert len(found[0].turns) == 40


async def test_a_row_that_vanishes_without_a_word_is_not_shown(
    vault: Vault, histories: Histories, chat_id: str
) -> None:
    instance = Search(vault)
    gone = await histories.turn(chat_id, "wombat one")
    await histories.turn(chat_id, "wombat two")
    assert len((await find(instance, "wombat")).turns) == 2
    await vault.commit([Delete(table="turns", id=gone, expected_version=None)])
    assert [hit.depth for hit in (await find(instance, "wombat")).turns] == [1]


async def test_nothing_is_found_for_nothing(vault: Vault, chat_id: str) -> None:
    for text in ("", "  ", "?!", "-wombat", '"'):
        assert (await find(Search(vault), text)).turns == ()


async def test_a_place_that_is_not_there_is_refused(vault: Vault) -> None:
    with pytest.raises(NotFound, match="There is no chat cht_none"):
        await find(Search(vault), "wombat", SearchScope(chat_id="cht_none"))
    with pytest.raises(NotFound, match="There is no project prj_none"):
        await find(Search(vault), "wombat", SearchScope(project_id="prj_none"))


async def segment_ids(vault: Vault) -> list[str]:
    [project_id] = await vault.store.child_ids("projects", "", from_position=None)
    note = await find_note(vault, project_id)
    assert note is not None
    return [segment.id for segment in note.value.segments]


@pytest.fixture
async def searched(vault: Vault, histories: Histories, chat_id: str) -> Found:
    for number in range(5):
        await histories.turn(chat_id, f"wombat {number}", "in the burrow")
    return await find(Search(vault), "wombat burrow")


async def spoil(vault: Vault, id: str) -> None:
    [row] = await vault.store.get("segments", [id])
    sealed = row.sealed[:-1] + bytes([row.sealed[-1] ^ 1])
    change = Put(
        table="segments",
        id=id,
        parent_id=row.parent_id,
        position=row.position,
        sealed=sealed,
        expected_version=None,
    )
    await vault.commit([change])


async def test_a_damaged_segment_is_named_made_anew_and_changes_no_answer(
    vault: Vault, searched: Found, caplog: pytest.LogCaptureFixture
) -> None:
    [id] = await segment_ids(vault)
    await spoil(vault, id)
    with caplog.at_level(logging.WARNING):
        assert await find(Search(vault), "wombat burrow") == searched
    assert f"segments/{id}" in caplog.text
    assert await segment_ids(vault) != [id]
    assert await vault.store.get("segments", [id]) == []


async def test_a_damaged_note_is_made_anew(
    vault: Vault, searched: Found, caplog: pytest.LogCaptureFixture
) -> None:
    [project_id] = await vault.store.child_ids("projects", "", from_position=None)
    await spoil(vault, f"{project_id}:index")
    assert await find(Search(vault), "wombat burrow") == searched
    assert f"segments/{project_id}:index" in caplog.text
    rows = await vault.store.child_ids("segments", project_id, from_position=None)
    assert sorted(rows) == sorted([f"{project_id}:index", *await segment_ids(vault)])


@pytest.mark.parametrize("index", ["no database", "another database"])
async def test_a_segment_that_opens_and_does_not_answer_is_made_anew(
    vault: Vault, searched: Found, index: str, caplog: pytest.LogCaptureFixture
) -> None:
    [id] = await segment_ids(vault)
    stored = await vault.get(SEGMENTS, id)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE something (else_entirely)")
    other = b"x" * 8192 if index == "no database" else connection.serialize()
    connection.close()
    wrong = structs.replace(stored.value, index=other)
    await vault.commit(
        [
            vault.put(
                SEGMENTS,
                wrong,
                id=id,
                parent_id=stored.parent_id,
                position=stored.position,
                expected_version=None,
            )
        ]
    )
    assert await find(Search(vault), "wombat burrow") == searched
    assert id in caplog.text


async def test_a_segment_of_another_recipe_is_made_anew(vault: Vault, searched: Found) -> None:
    [id] = await segment_ids(vault)
    stored = await vault.get(SEGMENTS, id)
    older = structs.replace(stored.value, recipe=0)
    put = vault.put(
        SEGMENTS, older, id=id, parent_id=stored.parent_id, position=0, expected_version=None
    )
    await vault.commit([put])
    assert await find(Search(vault), "wombat burrow") == searched
    assert await segment_ids(vault) != [id]


async def test_a_turn_that_cannot_be_opened_costs_only_itself(data_dir: Path) -> None:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    await vault.open()
    histories = Histories(vault)
    chat_id = await histories.chat(await histories.project())
    ids = [await histories.turn(chat_id, f"wombat {number}") for number in range(3)]
    [row] = await vault.store.get("turns", [ids[1]])
    spoiled = Put(
        table="turns",
        id=row.id,
        parent_id=row.parent_id,
        position=row.position,
        sealed=row.sealed[:-1] + bytes([row.sealed[-1] ^ 1]),
        expected_version=None,
    )
    await vault.commit([spoiled])
    instance = Search(vault)
    for _ in range(2):
        found = await find(instance, "wombat")
        assert [hit.depth for hit in found.turns] == [2, 0]
        assert found.waiting_turns == 0
    await vault.close()
