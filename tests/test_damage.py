"""A record that cannot be opened is named, and everything else works."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.batches import lengthen
from tests.workspaces import (
    KEY,
    ask,
    new_chat,
    says,
    script,
    settings_in,
    workspace_over,
)
from windowpane.asking import PlanRequest
from windowpane.context.scope import PAGE_TURNS
from windowpane.errors import RecordDamaged, WrongKey
from windowpane.storage.choose import store_from
from windowpane.storage.sealing import VaultKey
from windowpane.storage.turn_pages import is_stand_in
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace


@pytest.fixture
def database(data_dir: Path) -> Path:
    return data_dir / "windowpane.sqlite3"


@pytest.fixture
async def chat_id(database: Path, data_dir: Path) -> str:
    replies = [says("first answer"), says("second answer")]
    async with workspace_over(store_from(str(database)), folder=data_dir, replies=replies) as made:
        chat_id = await new_chat(made)
        await ask(made, chat_id, "first question")
        await ask(made, chat_id, "second question")
    return chat_id


@pytest.fixture
async def again(database: Path, data_dir: Path) -> AsyncIterator[Workspace]:
    vault = Vault(store_from(str(database)), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        yield workspace


def sealed(database: Path, table: str) -> dict[str, bytes]:
    with sqlite3.connect(database) as connection:
        rows = connection.execute(f"SELECT id, sealed FROM {table} ORDER BY rowid").fetchall()
    connection.close()
    return dict(rows)


def write(database: Path, table: str, id: str, value: bytes) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute(f"UPDATE {table} SET sealed = ? WHERE id = ?", (value, id))
    connection.close()


def flip(value: bytes) -> bytes:
    return value[:-1] + bytes([value[-1] ^ 1])


async def test_a_flipped_bit_costs_one_message_and_names_it(
    chat_id: str, database: Path, again: Workspace
) -> None:
    id, value = next(iter(sealed(database, "records").items()))
    write(database, "records", id, flip(value))

    page = await again.page(chat_id, before_depth=None, limit=10)

    texts = [message.text for content in page.turns for message in content.messages]
    assert texts == ["first answer", "second question", "second answer"]
    assert [str(damage) for damage in page.damaged] == [
        f"The record records/{id} cannot be opened: "
        "its contents were altered or belong to another record."
    ]


async def test_two_swapped_records_are_both_named(
    chat_id: str, database: Path, again: Workspace
) -> None:
    (one, first), (other, second), *_ = sealed(database, "records").items()
    write(database, "records", one, second)
    write(database, "records", other, first)

    page = await again.page(chat_id, before_depth=None, limit=10)

    assert {damage.id for damage in page.damaged} == {one, other}
    texts = [message.text for content in page.turns for message in content.messages]
    assert texts == ["second question", "second answer"]


async def test_a_damaged_chat_leaves_the_others_in_the_sidebar(
    chat_id: str, database: Path, again: Workspace
) -> None:
    chat = await again.chat(chat_id)
    other = await again.create_chat(chat.project_id)
    write(database, "chats", chat_id, flip(sealed(database, "chats")[chat_id]))

    listing = await again.chats(chat.project_id)

    assert [found.id for found in listing.values] == [other.id]
    assert [damage.id for damage in listing.damaged] == [chat_id]
    with pytest.raises(RecordDamaged, match=chat_id):
        await again.chat(chat_id)


async def test_the_chat_goes_on_beside_a_damaged_record(
    chat_id: str, database: Path, again: Workspace, data_dir: Path
) -> None:
    id, value = next(iter(sealed(database, "records").items()))
    write(database, "records", id, flip(value))
    await script(again, folder=data_dir, replies=[says("third answer")])

    content = await ask(again, chat_id, "third question")

    assert content.messages[-1].text == "third answer"


async def test_another_key_is_refused_before_anything_is_written(
    chat_id: str, database: Path, data_dir: Path
) -> None:
    before = sealed(database, "chats")
    vault = Vault(store_from(str(database)), key=VaultKey(bytes(32)))
    with pytest.raises(WrongKey, match="key file holds key"):
        async with Workspace(vault, settings=settings_in(data_dir)):
            raise AssertionError("a wrong key must not open a vault")
    assert sealed(database, "chats") == before


@pytest.fixture
async def long_chat(database: Path, data_dir: Path) -> tuple[str, list[str]]:
    """More turns than go on one page, which was packed when it was planned; and their ids."""
    vault = Vault(store_from(str(database)), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as made:
        await script(made, folder=data_dir, replies=())
        chat_id = await new_chat(made)
        turn_ids = await lengthen(vault, chat_id, turns=PAGE_TURNS + 5)
        await made.sight(chat_id, PlanRequest(), first=0, end=0)
    assert f"{chat_id}:0" in sealed(database, "pages")
    return chat_id, turn_ids


async def assert_it_goes_on_without(
    workspace: Workspace, chat_id: str, lost: list[str], *, folder: Path
) -> None:
    """A lens and two sends, each of which leaves one turn that was answered."""
    await script(workspace, folder=folder, replies=[says("one"), says("two")])
    lens = await workspace.lens(chat_id, PlanRequest(draft="first"))
    assert lens.body_bytes
    for text, answer in (("first", "one"), ("second", "two")):
        content = await ask(workspace, chat_id, text)
        assert (content.turn.state, content.messages[-1].text) == ("complete", answer)
    chat = await workspace.chat(chat_id)
    assert chat.turn_count == PAGE_TURNS + 7
    plan = await workspace.plan(chat_id, PlanRequest())
    assert len(plan.sent_turn_ids) == PAGE_TURNS + 7 - len(lost)
    assert set(lost).isdisjoint(plan.sent_turn_ids)


async def test_a_damaged_turn_on_a_packed_page_is_left_out_of_every_send(
    long_chat: tuple[str, list[str]], database: Path, again: Workspace, data_dir: Path
) -> None:
    chat_id, turn_ids = long_chat
    lost = [turn_ids[7], turn_ids[PAGE_TURNS - 1], turn_ids[PAGE_TURNS + 1]]
    for id in lost:
        write(database, "turns", id, flip(sealed(database, "turns")[id]))
    await assert_it_goes_on_without(again, chat_id, lost, folder=data_dir)
    sight = (await again.sight(chat_id, PlanRequest(), first=7, end=8)).sight
    assert [is_stand_in(turn.turn_id) for turn in sight.shown] == [True]


async def test_a_turn_that_is_damaged_while_it_is_looked_at_is_left_out_of_every_send(
    long_chat: tuple[str, list[str]], database: Path, again: Workspace, data_dir: Path
) -> None:
    chat_id, turn_ids = long_chat
    await again.sight(chat_id, PlanRequest(), first=0, end=0)
    lost = [turn_ids[7], turn_ids[PAGE_TURNS + 1]]
    for id in lost:
        write(database, "turns", id, flip(sealed(database, "turns")[id]))
    await assert_it_goes_on_without(again, chat_id, lost, folder=data_dir)
