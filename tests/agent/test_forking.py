"""A fork begins where another chat was, owns what it copied, and pays only for itself."""

from pathlib import Path

import pytest

from tests.batches import WatchedVault, lengthen
from tests.workspaces import (
    Clock,
    ask,
    ask_again,
    does,
    new_chat,
    path_of,
    script,
    settings_in,
    spoken,
    told_chat,
    until_text,
)
from windowpane.accounting import NOTHING
from windowpane.agent.turns import TurnMarks
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.errors import ChatBusy, DiskFull, InvalidInput
from windowpane.parts import Text
from windowpane.projects import ForkOrigin
from windowpane.providers.scripted import End, Hang, Report, Say
from windowpane.records import Accounting
from windowpane.storage.base import TABLES
from windowpane.storage.memory import MemoryStore
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

USED = Report(usage=TokenUsage(input_tokens=100, output_tokens=10))


@pytest.fixture
async def chat_id(workspace: Workspace, data_dir: Path) -> str:
    """Three turns: a, b, c. Later answers are waiting."""
    replies = [does(Say(chunks=(word,)), USED, End(finish="stop")) for word in "ABCDE"]
    return await told_chat(workspace, folder=data_dir, replies=replies, texts="abc")


async def test_a_fork_has_copies_up_to_a_turn_and_goes_its_own_way(
    workspace: Workspace, chat_id: str
) -> None:
    turns = await path_of(workspace, chat_id)
    await workspace.turns.mark(turns[1].turn.id, TurnMarks(star=2, is_pinned=True))

    fork = await workspace.fork(chat_id, turn_id=turns[1].turn.id)

    copies = await path_of(workspace, fork.id)
    assert spoken(copies) == "aA bB"
    assert {one.turn.id for one in copies}.isdisjoint(one.turn.id for one in turns)
    copied = {message.id for one in copies for message in one.messages}
    assert copied.isdisjoint(message.id for one in turns for message in one.messages)
    assert (copies[1].turn.star, copies[1].turn.is_pinned) == (2, True)
    assert fork.forked_from == ForkOrigin(chat_id=chat_id, turn_id=turns[1].turn.id)
    assert fork.title == (await workspace.chat(chat_id)).title
    await ask(workspace, fork.id, "d")
    assert spoken(await path_of(workspace, fork.id)) == "aA bB dD"
    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC"


async def test_what_the_origin_cost_is_inherited_and_never_summed_twice(
    workspace: Workspace, chat_id: str
) -> None:
    origin = await workspace.totals(chat_id)
    fork = await workspace.fork(chat_id, turn_id=None)
    assert (origin.own.calls, origin.inherited) == (3, NOTHING)
    totals = await workspace.totals(fork.id)
    assert (totals.own, totals.inherited) == (NOTHING, origin.own)

    await ask(workspace, fork.id, "d")

    totals = await workspace.totals(fork.id)
    assert (totals.own.calls, totals.shown.calls) == (1, 4)
    second = await workspace.fork(fork.id, turn_id=None)
    assert (await workspace.totals(second.id)).inherited == totals.shown
    [record] = await workspace.records(fork.id)
    assert isinstance(record, Accounting)
    assert record.account.reason == "Forked"


async def test_a_branch_that_was_left_can_be_forked(workspace: Workspace, chat_id: str) -> None:
    turns = await path_of(workspace, chat_id)
    await ask_again(workspace, turns[1].turn.id, AskAgain(text="b2"))
    fork = await workspace.fork(chat_id, turn_id=turns[2].turn.id)
    assert spoken(await path_of(workspace, fork.id)) == "aA bB cC"


async def test_a_fork_closes_the_gaps_of_deleted_turns(
    workspace: Workspace, chat_id: str, clock: Clock
) -> None:
    turns = await path_of(workspace, chat_id)
    await workspace.delete_turn(turns[1].turn.id)
    clock.pass_seconds(61)
    await workspace.purger.purge()
    fork = await workspace.fork(chat_id, turn_id=None)
    copies = await path_of(workspace, fork.id)
    assert spoken(copies) == "aA cC"
    assert [one.turn.depth for one in copies] == [0, 1]
    plan = await workspace.plan(fork.id, PlanRequest())
    assert plan.scope_turns == 2


async def test_deleting_the_origin_leaves_the_fork_whole(
    workspace: Workspace, chat_id: str, clock: Clock
) -> None:
    fork = await workspace.fork(chat_id, turn_id=None)
    await workspace.delete_chat(chat_id)
    clock.pass_seconds(61)
    await workspace.purger.purge()
    copies = await path_of(workspace, fork.id)
    assert spoken(copies) == "aA bB cC"
    assert copies[0].messages[0].parts == (Text(text="a"),)


async def test_what_is_being_answered_cannot_be_forked_but_what_is_before_it_can(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[does(Say(chunks=("slowly",)), Hang())])
    turns = await path_of(workspace, chat_id)
    running = await workspace.send(chat_id, SendRequest(text="go"))
    await until_text(workspace, chat_id, "slowly")
    with pytest.raises(ChatBusy):
        await workspace.fork(chat_id, turn_id=running.id)
    fork = await workspace.fork(chat_id, turn_id=turns[2].turn.id)
    assert spoken(await path_of(workspace, fork.id)) == "aA bB cC"


async def test_an_empty_chat_has_nothing_to_fork(workspace: Workspace) -> None:
    chat_id = await new_chat(workspace)
    with pytest.raises(InvalidInput, match="nothing to fork"):
        await workspace.fork(chat_id, turn_id=None)


async def test_a_long_chat_is_forked_in_bounded_batches_and_seen_only_when_it_is_whole(
    clock: Clock, data_dir: Path
) -> None:
    vault = WatchedVault(MemoryStore())
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        await script(workspace, folder=data_dir, replies=())
        chat_id = await new_chat(workspace)
        await lengthen(vault, chat_id, turns=180)
        project_id = (await workspace.chat(chat_id)).project_id
        vault.sizes.clear()

        fork = await workspace.fork(chat_id, turn_id=None)

        assert max(vault.sizes) < 180
        assert fork.turn_count == 180
        copies = await path_of(workspace, fork.id)
        assert spoken(copies[-2:]) == "line 178. line 179."
        vault.room_batches = 3
        with pytest.raises(DiskFull):
            await workspace.fork(chat_id, turn_id=None)
        assert len((await workspace.chats(project_id)).values) == 2
        assert await workspace.deletions.pending() == []


async def test_of_a_fork_that_was_never_finished_nothing_stays(
    clock: Clock, data_dir: Path
) -> None:
    vault = WatchedVault(MemoryStore())
    async with Workspace(vault, settings=settings_in(data_dir)) as workspace:
        await script(workspace, folder=data_dir, replies=())
        chat_id = await new_chat(workspace)
        await lengthen(vault, chat_id, turns=180)
        before = {table: await vault.store.parents(table) for table in TABLES}
        vault.room_batches = 3
        with pytest.raises(DiskFull):
            await workspace.fork(chat_id, turn_id=None)
        vault.room_batches = None
        assert len(await vault.store.parents("records")) > len(before["records"])

        clock.pass_seconds(2 * 3600)
        await workspace.purger.purge()

        assert {table: await vault.store.parents(table) for table in TABLES} == before
