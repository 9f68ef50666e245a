"""What a chat has cost is the same number however it is asked for, whatever was left or deleted."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.workspaces import KEY, Clock, ask, ask_again, does, path_of, told_chat
from windowpane.accounting import Totals, totals_of
from windowpane.asking import AskAgain
from windowpane.providers.scripted import End, Report, Say
from windowpane.records import Accounting, Place
from windowpane.storage.accounts import usage_between
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace


@pytest.fixture
async def chat_id(workspace: Workspace, data_dir: Path) -> str:
    replies = [
        does(
            Say(chunks=("yes",)),
            Report(usage=TokenUsage(input_tokens=100 + number, output_tokens=number)),
            End(finish="stop"),
        )
        for number in range(12)
    ]
    return await told_chat(workspace, folder=data_dir, replies=replies, texts="abcd")


async def used(data_dir: Path, chat_id: str) -> Totals:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    await vault.open()
    now = datetime.now(UTC)
    events = await usage_between(vault, now - timedelta(days=1), now + timedelta(days=1))
    await vault.close()
    return totals_of(event.entry for event in events if event.chat_id == chat_id)


async def accounts(workspace: Workspace, chat_id: str) -> list[Accounting]:
    records = await workspace.records(chat_id)
    return [record for record in records if isinstance(record, Accounting)]


async def test_a_record_holds_what_was_spent_when_the_tail_was_left(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    turns = await path_of(workspace, chat_id)
    spent = await workspace.totals(chat_id)
    await ask_again(workspace, turns[1].turn.id, AskAgain(text="b2"))
    [record] = await accounts(workspace, chat_id)
    assert record.account.totals == spent
    assert (record.account.reason, record.account.left_turns) == ("Message edited", 3)
    assert record.place == Place(depth=1, after_id=turns[0].turn.id)
    assert (await workspace.totals(chat_id)).own == await used(data_dir, chat_id)
    assert (await workspace.totals(chat_id)).own.calls == 5


async def test_every_way_of_leaving_keeps_the_sum(
    workspace: Workspace, chat_id: str, clock: Clock, data_dir: Path
) -> None:
    turns = await path_of(workspace, chat_id)
    again = await ask_again(workspace, turns[2].turn.id, AskAgain())
    await ask(workspace, chat_id, "e")
    await workspace.turns.swap(again.turn.id, step=1)
    await ask(workspace, chat_id, "f")
    deletion = await workspace.delete_turn(turns[0].turn.id)
    await ask(workspace, chat_id, "g")
    await workspace.deletions.undo(deletion.id)
    await workspace.delete_turn(turns[1].turn.id)
    clock.pass_seconds(61)
    await workspace.purger.purge()
    await ask(workspace, chat_id, "h")
    totals = (await workspace.totals(chat_id)).own
    assert totals == await used(data_dir, chat_id)
    assert totals.calls == 9


async def test_a_page_shows_the_records_of_its_own_branch_where_they_stand(
    workspace: Workspace, chat_id: str
) -> None:
    turns = await path_of(workspace, chat_id)
    deeper = await ask_again(workspace, turns[3].turn.id, AskAgain())
    await ask_again(workspace, turns[1].turn.id, AskAgain(text="b2"))

    async def shown() -> list[tuple[int, str]]:
        page = await workspace.page(chat_id, before_depth=None, limit=10)
        return [
            (one.place.depth, one.account.reason)
            for one in page.records
            if isinstance(one, Accounting)
        ]

    assert await shown() == [(1, "Message edited")]
    await workspace.turns.go_to(deeper.turn.id)
    assert await shown() == [
        (1, "Message edited"),
        (1, "Other answer chosen"),
        (3, "Asked again"),
    ]


async def test_records_lie_on_the_page_of_their_place(workspace: Workspace, chat_id: str) -> None:
    turns = await path_of(workspace, chat_id)
    await workspace.delete_turn(turns[1].turn.id)
    await workspace.delete_turn(turns[2].turn.id)
    newest = await workspace.page(chat_id, before_depth=None, limit=1)
    older = await workspace.page(chat_id, before_depth=3, limit=1)
    assert [one.turn.depth for one in newest.turns] == [3]
    assert [one.turn.depth for one in older.turns] == [0]
    assert newest.records == ()
    assert [one.place.depth for one in older.records] == [1, 2]
    assert (newest.has_older, older.has_older) == (True, False)
