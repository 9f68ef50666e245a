"""What is deleted is gone at once, comes back whole for a minute, and then leaves tombstones."""

import sqlite3
from asyncio import sleep, timeout
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.batches import WatchedVault, lengthen
from tests.workspaces import (
    KEY,
    Clock,
    ask,
    ask_again,
    does,
    new_chat,
    path_of,
    says,
    script,
    settings_in,
    spoken,
    told_chat,
    until_text,
    workspace_over,
)
from windowpane.agent.turns import TurnMarks
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.choices import Choices, chosen_names
from windowpane.definitions import ModelInfo, ModelPrices
from windowpane.errors import DiskFull, InvalidInput, NotFound, TooLateToUndo
from windowpane.events import TurnsChanged
from windowpane.providers.scripted import Hang, Say
from windowpane.records import Accounting
from windowpane.storage.accounts import receipts_of
from windowpane.storage.base import TABLES, Store
from windowpane.storage.choose import store_from
from windowpane.storage.memory import MemoryStore
from windowpane.storage.shelves import TOMBSTONES
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace


@pytest.fixture
def store(shared_database: str) -> Store:
    return store_from(shared_database)


@pytest.fixture
async def chat_id(workspace: Workspace, data_dir: Path) -> str:
    """Four turns: a, b, c, d. Later answers are waiting."""
    replies = [says(word) for word in ("A", "B", "C", "D", "E", "F")]
    return await told_chat(workspace, folder=data_dir, replies=replies, texts="abcd")


async def ids(workspace: Workspace, chat_id: str) -> list[str]:
    return [content.turn.id for content in await path_of(workspace, chat_id)]


async def a_minute_passes(workspace: Workspace, clock: Clock) -> None:
    clock.pass_seconds(61)
    await workspace.purger.purge()


async def test_a_deleted_turn_is_gone_from_page_and_plan_and_the_others_stay_where_they_are(
    workspace: Workspace, chat_id: str
) -> None:
    turn_ids = await ids(workspace, chat_id)
    await workspace.delete_turn(turn_ids[1])

    turns = await path_of(workspace, chat_id)
    assert spoken(turns) == "aA cC dD"
    assert [content.turn.depth for content in turns] == [0, 2, 3]
    plan = await workspace.plan(chat_id, PlanRequest())
    assert plan.sent_turn_ids == [turn_ids[0], turn_ids[2], turn_ids[3]]
    assert (await workspace.chat(chat_id)).kept_turns == 3
    found = await workspace.plan(chat_id, PlanRequest(filter_text="c'b'"))
    assert found.visible_turns == 0
    with pytest.raises(NotFound):
        await workspace.turns.mark(turn_ids[1], TurnMarks(star=1))
    with pytest.raises(NotFound):
        await workspace.turns.siblings(turn_ids[1])


async def test_undo_brings_a_turn_back_as_it_was(workspace: Workspace, chat_id: str) -> None:
    before = await path_of(workspace, chat_id)
    chat = await workspace.chat(chat_id)
    deletion = await workspace.delete_turn(before[1].turn.id)
    await workspace.deletions.undo(deletion.id)
    assert await path_of(workspace, chat_id) == before
    after = await workspace.chat(chat_id)
    assert after == structs.replace(
        chat, revision=after.revision, accounting_id=after.accounting_id
    )
    page = await workspace.page(chat_id, before_depth=None, limit=10)
    assert all(isinstance(one, Accounting) and one.is_undone for one in page.records)


async def test_the_newest_turn_can_be_deleted_and_the_chat_goes_on(
    workspace: Workspace, chat_id: str
) -> None:
    turn_ids = await ids(workspace, chat_id)
    deletion = await workspace.delete_turn(turn_ids[3])
    chat = await workspace.chat(chat_id)
    assert (chat.head_id, chat.kept_turns) == (turn_ids[2], 3)
    await ask(workspace, chat_id, "e")
    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC eE"

    await workspace.deletions.undo(deletion.id)

    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC dD eE"
    assert (await workspace.chat(chat_id)).kept_turns == 5


async def test_a_chat_can_lose_all_its_turns_and_begin_again(
    workspace: Workspace, chat_id: str, clock: Clock
) -> None:
    for turn_id in await ids(workspace, chat_id):
        await workspace.delete_turn(turn_id)
    assert await path_of(workspace, chat_id) == []
    assert (await workspace.chat(chat_id)).head_id is None
    await a_minute_passes(workspace, clock)
    await ask(workspace, chat_id, "e")
    assert spoken(await path_of(workspace, chat_id)) == "eE"


async def test_after_a_minute_only_a_tombstone_and_the_receipts_are_left(
    workspace: Workspace, chat_id: str, clock: Clock, store: Store
) -> None:
    turns = await path_of(workspace, chat_id)
    deletion = await workspace.delete_turn(turns[1].turn.id)
    await a_minute_passes(workspace, clock)

    with pytest.raises(TooLateToUndo):
        await workspace.deletions.undo(deletion.id)
    vault = Vault(store, key=KEY)
    id = turns[1].turn.id
    assert await store.count("records", id) == 0
    assert await store.get("turns", [id]) == []
    stone = (await vault.get(TOMBSTONES, id)).value
    digest = turns[1].turn.digest
    assert digest is not None
    assert (stone.depth, stone.raw_tokens) == (1, digest.raw_tokens)
    assert stone.parent_id == turns[0].turn.id
    assert len(stone.content_sha256) == 64
    assert len(await receipts_of(vault, id)) == 1
    assert spoken(await path_of(workspace, chat_id)) == "aA cC dD"


async def test_a_turn_can_be_asked_again_behind_a_deleted_one(
    workspace: Workspace, chat_id: str, clock: Clock
) -> None:
    turns = await path_of(workspace, chat_id)
    await workspace.delete_turn(turns[1].turn.id)
    await a_minute_passes(workspace, clock)

    again = await ask_again(workspace, turns[2].turn.id, AskAgain(text="c2"))
    assert spoken(await path_of(workspace, chat_id)) == "aA c2E"
    await workspace.turns.swap(again.turn.id, step=1)
    assert spoken(await path_of(workspace, chat_id)) == "aA cC dD"
    assert (await workspace.chat(chat_id)).deleted_turns == 1


async def test_a_branch_is_found_through_a_deleted_turn(
    workspace: Workspace, chat_id: str, clock: Clock
) -> None:
    turns = await path_of(workspace, chat_id)
    await workspace.delete_turn(turns[2].turn.id)
    again = await ask_again(workspace, turns[1].turn.id, AskAgain(text="b2"))
    await a_minute_passes(workspace, clock)

    await workspace.turns.go_to(turns[3].turn.id)

    assert spoken(await path_of(workspace, chat_id)) == "aA bB dD"
    await workspace.turns.go_to(again.turn.id)
    assert spoken(await path_of(workspace, chat_id)) == "aA b2E"


async def test_what_was_deleted_from_a_branch_comes_back_to_it(
    workspace: Workspace, chat_id: str
) -> None:
    turns = await path_of(workspace, chat_id)
    deletion = await workspace.delete_turn(turns[2].turn.id)
    await ask_again(workspace, turns[1].turn.id, AskAgain(text="b2"))
    await workspace.deletions.undo(deletion.id)
    assert spoken(await path_of(workspace, chat_id)) == "aA b2E"
    await workspace.turns.go_to(turns[1].turn.id)
    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC dD"


async def test_receipts_name_turns_by_depth_where_some_are_deleted(
    workspace: Workspace, chat_id: str, store: Store
) -> None:
    turns = await path_of(workspace, chat_id)
    await workspace.delete_turn(turns[1].turn.id)
    asked = await ask(workspace, chat_id, "e")
    [receipt] = await receipts_of(Vault(store, key=KEY), asked.turn.id)
    runs = [(run.first_depth, run.last_depth) for run in receipt.contents.items]
    assert runs == [(0, 0), (2, 3)]


async def test_a_running_turn_is_stopped_before_it_is_deleted(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[does(Say(chunks=("slowly",)), Hang())])
    turn = await workspace.send(chat_id, SendRequest(text="go"))
    await until_text(workspace, chat_id, "slowly")
    deletion = await workspace.delete_turn(turn.id)
    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC dD"
    await workspace.deletions.undo(deletion.id)
    last = (await path_of(workspace, chat_id))[-1]
    assert (last.turn.state, spoken([last])) == ("aborted", "goslowly")


async def test_those_who_look_at_a_chat_are_told(workspace: Workspace, chat_id: str) -> None:
    [first, *_] = await ids(workspace, chat_id)
    with workspace.follow(chat_id, after=workspace.position(chat_id)) as reader:
        await workspace.delete_turn(first)
        assert [logged.event for logged in await reader.read()] == [TurnsChanged()]


async def test_a_deleted_chat_is_gone_and_comes_back_whole(
    workspace: Workspace, chat_id: str
) -> None:
    before = await workspace.page(chat_id, before_depth=None, limit=10)
    deletion = await workspace.delete_chat(chat_id)
    assert deletion.sentence == "Chat “a” deleted."
    assert (await workspace.chats(before.chat.project_id)).values == []
    for act in (
        workspace.page(chat_id, before_depth=None, limit=10),
        workspace.send(chat_id, SendRequest(text="hello")),
        workspace.turns.mark(before.turns[0].turn.id, TurnMarks(star=1)),
        workspace.delete_chat(chat_id),
    ):
        with pytest.raises(NotFound):
            await act
    assert [one.id for one in await workspace.deletions.pending()] == [deletion.id]
    await workspace.deletions.undo(deletion.id)
    after = await workspace.page(chat_id, before_depth=None, limit=10)
    assert (after.chat, after.turns) == (before.chat, before.turns)
    assert await workspace.deletions.pending() == []


async def test_a_deleted_project_comes_back_with_its_chats(
    workspace: Workspace, chat_id: str
) -> None:
    chat = await workspace.chat(chat_id)
    in_trash = await workspace.create_chat(chat.project_id)
    first = await workspace.delete_chat(in_trash.id)
    second = await workspace.delete_project(chat.project_id)
    with pytest.raises(InvalidInput, match="project was deleted"):
        await workspace.deletions.undo(first.id)
    await workspace.deletions.undo(second.id)
    await workspace.deletions.undo(first.id)
    assert len((await workspace.chats(chat.project_id)).values) == 2
    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC dD"


@pytest.mark.parametrize("shared_database", ["sqlite"], indirect=True)
async def test_a_chat_that_is_gone_for_good_leaves_nothing_but_its_usage(
    workspace: Workspace, chat_id: str, clock: Clock, data_dir: Path
) -> None:
    turns = await path_of(workspace, chat_id)
    await ask_again(workspace, turns[2].turn.id, AskAgain(text="c2"))
    await workspace.delete_turn(turns[0].turn.id)
    await a_minute_passes(workspace, clock)
    await workspace.delete_turn(turns[1].turn.id)
    chat = await workspace.chat(chat_id)
    await workspace.topics.create(
        chat.project_id, name="Drafts", parent_id=None, at=chat.created_at
    )
    await workspace.delete_project(chat.project_id)
    await a_minute_passes(workspace, clock)

    left = rows_left(data_dir / "windowpane.sqlite3")
    assert left.keys() <= {"vault", "preferences", "definitions", "usage"}
    assert left["usage"] == 5


PRICED = ModelInfo(
    name="scripted",
    output_tokens=100,
    prices=ModelPrices(input_usd=Decimal(1), output_usd=Decimal(1)),
)


async def test_budgets_go_with_their_chat_and_their_project(
    workspace: Workspace, clock: Clock, data_dir: Path, store: Store
) -> None:
    await script(workspace, folder=data_dir, replies=[says("A"), says("B")], models=(PRICED,))
    chat_id = await new_chat(workspace)
    chat = await workspace.chat(chat_id)
    capped = Choices(chat_hard_usd=Decimal(9), project_hard_usd=Decimal(9), day_hard_usd=Decimal(9))
    await workspace.choices.change_project(chat.project_id, capped, names=chosen_names(capped))
    await ask(workspace, chat_id, "a")
    project = f"project:{chat.project_id}"
    assert await store.parents("ledgers") == [f"chat:{chat_id}", "day", project]

    await workspace.delete_chat(chat_id)
    await a_minute_passes(workspace, clock)
    assert await store.parents("ledgers") == ["day", project]

    await workspace.delete_project(chat.project_id)
    await a_minute_passes(workspace, clock)
    assert await store.parents("ledgers") == ["day"]


async def test_many_turns_are_buried_in_bounded_batches(clock: Clock, data_dir: Path) -> None:
    vault = WatchedVault(MemoryStore())
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        await script(workspace, folder=data_dir, replies=())
        chat_id = await new_chat(workspace)
        turn_ids = await lengthen(vault, chat_id, turns=450)
        turns = await workspace.turns.of_chat(chat_id, turn_ids)
        await workspace.deletions.delete_turns(chat_id, turns)
        vault.sizes.clear()
        vault.room_batches = 2
        clock.pass_seconds(61)
        with pytest.raises(DiskFull):
            await workspace.purger.purge()
        vault.room_batches = None

        await workspace.purger.purge()

        assert max(vault.sizes) <= 200 * 6
        stones = await vault.all_children(TOMBSTONES, [chat_id])
        assert [stone.id for stone in stones.items] == turn_ids
        assert await vault.store.get("turns", turn_ids) == []
        assert await vault.store.parents("records") == [chat_id]


def rows_left(database: Path) -> dict[str, int]:
    """How many rows the tables still have, whoever they belong to."""
    with closing(sqlite3.connect(database)) as connection:
        counts = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in TABLES
        }
    return {table: count for table, count in counts.items() if count}


async def test_what_was_due_while_nobody_was_there_happens_at_the_next_start(
    clock: Clock, data_dir: Path
) -> None:
    database = data_dir / "windowpane.sqlite3"
    replies = [says("A"), says("B")]
    async with workspace_over(store_from(str(database)), folder=data_dir, replies=replies) as one:
        chat_id = await new_chat(one)
        await ask(one, chat_id, "a")
        await ask(one, chat_id, "b")
        [first, _] = await ids(one, chat_id)
        await one.delete_turn(first)
    clock.pass_seconds(3600)
    store = store_from(str(database))
    async with workspace_over(store, folder=data_dir, replies=()) as again, timeout(30):
        while await store.get("turns", [first]):
            await sleep(0.01)
        assert spoken(await path_of(again, chat_id)) == "bB"
        assert await store.count("records", first) == 0


async def test_a_chat_that_another_process_answers_is_taken_over_and_deleted(
    clock: Clock, data_dir: Path
) -> None:
    database = str(data_dir / "windowpane.sqlite3")
    replies = [does(Say(chunks=("slowly",)), Hang())]
    async with (
        workspace_over(store_from(database), folder=data_dir, replies=replies) as here,
        Workspace(Vault(store_from(database), key=KEY), settings=settings_in(data_dir)) as there,
    ):
        chat_id = await new_chat(here)
        turn = await here.send(chat_id, SendRequest(text="go"))
        await until_text(here, chat_id, "slowly")
        deletion = await there.delete_chat(chat_id)
        with pytest.raises(NotFound):
            await here.chat(chat_id)
        await there.deletions.undo(deletion.id)
        [content] = await path_of(there, chat_id)
        assert (content.turn.id, content.turn.state) == (turn.id, "interrupted")


async def test_two_processes_carry_a_deletion_out_once(
    store: Store, clock: Clock, data_dir: Path, workspace: Workspace, chat_id: str
) -> None:
    [first, *_] = await ids(workspace, chat_id)
    await workspace.delete_turn(first)
    other = Workspace(Vault(store, key=KEY), settings=settings_in(data_dir))
    clock.pass_seconds(61)
    await workspace.purger.purge()
    await other.purger.purge()
    assert spoken(await path_of(workspace, chat_id)) == "bB cC dD"
    assert await store.count("tombstones", chat_id) == 1
