"""A turn is answered by one process: whoever dies or is taken for dead leaves no doubled words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.agent.test_following import newest, whole
from tests.workspaces import (
    KEY,
    ask,
    does,
    new_chat,
    says,
    settings_in,
    until_ended,
    workspace_over,
)
from windowpane.agent import journal, lease
from windowpane.agent.recovery import interrupt
from windowpane.asking import SendRequest
from windowpane.choices import Choices, chosen_names
from windowpane.errors import StorageError
from windowpane.events import TurnEnded
from windowpane.providers.scripted import Call, Hang, Say
from windowpane.storage.accounts import receipts_of
from windowpane.storage.base import Change, Put, Store
from windowpane.storage.choose import store_from
from windowpane.storage.memory import MemoryStore
from windowpane.storage.shelves import PROGRESS, RESERVATIONS, RUNS
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace

PATIENCE_SECONDS = 30


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(lease, "BEGINNING_SECONDS", 0.1)


class Mistaken(MemoryStore):
    """The same rows as another store's, and processes that live are taken for dead."""

    def __init__(self, of: MemoryStore) -> None:
        self.__dict__ = of.__dict__

    async def is_alive(self, process_id: str) -> bool:
        return False


class Unwell(MemoryStore):
    """Cannot write while it is unwell."""

    is_unwell = False

    async def commit(self, changes: Sequence[Change]) -> None:
        if self.is_unwell:
            raise StorageError("The disk is full.")
        await super().commit(changes)


def beside(store: Store, folder: Path) -> Workspace:
    return Workspace(Vault(store, key=KEY), settings=settings_in(folder))


async def until_state(workspace: Workspace, chat_id: str, state: str) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await newest(workspace, chat_id)).turn.state != state:
            await asyncio.sleep(0.01)


async def until_stored(vault: Vault, chat_id: str, text: str) -> None:
    """Wait until the open part of the running turn was flushed with some text."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            turn_id = (await vault.get(RUNS, chat_id)).value.turn_id
            part = (await vault.get(PROGRESS, turn_id)).value.open_part
            if part is not None and text in part.text:
                return
            await asyncio.sleep(0.01)


async def test_a_turn_taken_from_a_living_process_ends_there_too_and_is_not_doubled(
    tmp_path: Path,
) -> None:
    store = MemoryStore()
    replies = [
        does(Say(chunks=("first ",)), Call(call_id="c", name="x", arguments="{}")),
        does(Say(chunks=("and then ",)), Say(chunks=("on",) * 500, delay_seconds=0.05)),
        says("next"),
    ]
    async with workspace_over(store, folder=tmp_path, replies=replies) as here:
        chat_id = await new_chat(here)
        position = here.position(chat_id)
        await here.send(chat_id, SendRequest(text="go"))
        await until_stored(Vault(store, key=KEY), chat_id, "and then ")

        async with beside(Mistaken(store), tmp_path) as there:
            taken = await newest(there, chat_id)
            assert taken.turn.state == "interrupted"
        # Nobody tells anything in memory: the next flush is what notices.
        events = await until_ended(here, chat_id, after=position)

        assert isinstance(events[-1], TurnEnded) and events[-1].turn.state == "interrupted"
        content = await newest(here, chat_id)
        assert content == taken
        assert [one.role for one in content.messages] == ["user", "assistant", "tool", "assistant"]
        assert content.messages[-1].text.startswith("and then ")
        assert (await ask(here, chat_id, "again")).messages[-1].text == "next"


async def test_a_turn_that_was_taken_away_cannot_write_into_the_next_one(tmp_path: Path) -> None:
    """Both have stored nothing but their beginning, so what they know of it is the same number."""
    store = MemoryStore()
    late = does(Say(chunks=("late",), delay_seconds=0.3), Hang(), when="first")
    waits = does(Hang(), when="second")
    async with workspace_over(store, folder=tmp_path, replies=[late, waits]) as here:
        chat_id = await new_chat(here)
        position = here.position(chat_id)
        await here.send(chat_id, SendRequest(text="first"))
        async with beside(Mistaken(store), tmp_path) as there:
            await there.send(chat_id, SendRequest(text="second"))
            events = await until_ended(here, chat_id, after=position)
            assert isinstance(events[-1], TurnEnded) and events[-1].turn.state == "interrupted"
            await there.stop(chat_id)
            await until_state(there, chat_id, "aborted")
            turns = (await whole(there, chat_id)).turns
    asked = [[message.text for message in content.messages] for content in turns]
    assert asked == [["first"], ["second"]]


async def test_a_turn_that_was_taken_away_is_accounted_for_once_and_holds_no_money(
    tmp_path: Path,
) -> None:
    store = MemoryStore()
    replies = [does(Say(chunks=("and then ",)), Say(chunks=("on",) * 500, delay_seconds=0.05))]
    vault = Vault(store, key=KEY)
    async with workspace_over(store, folder=tmp_path, replies=replies) as here:
        chat_id = await new_chat(here)
        limits = Choices(chat_hard_usd=Decimal(1), max_output_tokens=100)
        await here.choices.change_chat(chat_id, limits, names=chosen_names(limits))
        position = here.position(chat_id)
        turn = await here.send(chat_id, SendRequest(text="go"))
        await until_stored(vault, chat_id, "and then ")
        assert await set_aside(vault, chat_id) == 1

        async with beside(Mistaken(store), tmp_path):
            pass
        await until_ended(here, chat_id, after=position)

        [receipt] = await receipts_of(vault, turn.id)
        assert receipt.stage == "interrupted"
        assert (await here.usage.chat(chat_id)).calls == 1
        assert await set_aside(vault, chat_id) == 0


async def set_aside(vault: Vault, chat_id: str) -> int:
    return len(await vault.child_ids(RESERVATIONS, f"chat:{chat_id}:reserved"))


async def test_of_two_who_notice_at_once_one_closes_the_turn(
    shared_database: str, data_dir: Path
) -> None:
    replies = [does(Say(chunks=("so far",)), Hang())]
    store = store_from(shared_database)
    async with workspace_over(store, folder=data_dir, replies=replies) as workspace:
        chat_id = await new_chat(workspace)
        await workspace.send(chat_id, SendRequest(text="go"))
        vaults = [Vault(store_from(shared_database), key=KEY) for _ in range(4)]
        await asyncio.gather(*(vault.open() for vault in vaults))
        await until_stored(vaults[0], chat_id, "so far")
        run = await vaults[0].get(RUNS, chat_id)

        closed = await asyncio.gather(*(interrupt(vault, run, at=now()) for vault in vaults))

        assert sorted(closed) == [False, False, False, True]
        await until_state(workspace, chat_id, "interrupted")
        content = await newest(workspace, chat_id)
        assert [message.role for message in content.messages] == ["user", "assistant"]
        for vault in vaults:
            await vault.close()


async def test_a_turn_whose_end_could_not_be_stored_is_closed_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "STORE_RETRY_SECONDS", ())
    store = Unwell()
    replies = [does(Say(chunks=("kept ", "lost"), delay_seconds=0.3)), says("again")]
    async with workspace_over(store, folder=tmp_path, replies=replies) as workspace:
        chat_id = await new_chat(workspace)
        await workspace.send(chat_id, SendRequest(text="go"))
        await until_stored(Vault(store, key=KEY), chat_id, "kept ")
        store.is_unwell = True
        await asyncio.sleep(0.8)
        store.is_unwell = False

        await until_state(workspace, chat_id, "interrupted")

        assert (await newest(workspace, chat_id)).messages[-1].text == "kept "
        assert (await ask(workspace, chat_id, "and now?")).messages[-1].text == "again"


async def test_a_damaged_turn_does_not_keep_its_chat_busy_for_ever(
    data_dir: Path,
) -> None:
    path = data_dir / "windowpane.sqlite3"
    replies = [does(Say(chunks=("so far",)), Hang()), says("again", when="now")]
    async with workspace_over(store_from(str(path)), folder=data_dir, replies=replies) as here:
        chat_id = await new_chat(here)
        turn = await here.send(chat_id, SendRequest(text="go"))
        vault = Vault(store_from(str(path)), key=KEY)
        await vault.open()
        run = await vault.get(RUNS, chat_id)
        await vault.commit(
            [
                Put(
                    table="turns",
                    id=turn.id,
                    parent_id=chat_id,
                    position=turn.depth,
                    sealed=b"not what was sealed",
                    expected_version=None,
                )
            ]
        )
        assert await interrupt(vault, run, at=now())
        assert await vault.find(RUNS, chat_id) is None
        await vault.close()


def now() -> datetime:
    return datetime.now(UTC)
