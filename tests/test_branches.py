"""Asking again never overwrites: what was left stays readable, and a chat can go back to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.workspaces import ask, does, new_chat, says, script, until_ended, workspace_over
from windowpane.agent.turns import TurnMarks
from windowpane.errors import ChatBusy, InvalidInput
from windowpane.providers.scripted import Hang
from windowpane.storage.choose import store_from
from windowpane.turns import TurnContent
from windowpane.workspace import PlanRequest, SendRequest, Workspace


@pytest.fixture
async def workspace(data_dir: Path) -> AsyncIterator[Workspace]:
    store = store_from(str(data_dir / "windowpane.sqlite3"))
    async with workspace_over(store, folder=data_dir, replies=()) as opened:
        yield opened


@pytest.fixture
async def chat_id(workspace: Workspace, data_dir: Path) -> str:
    """Three turns: a, b, c. Later answers are waiting."""
    replies = [says(word) for word in ("A", "B", "C", "B2", "D", "E")]
    await script(workspace, folder=data_dir, replies=replies)
    chat_id = await new_chat(workspace)
    for text in "abc":
        await ask(workspace, chat_id, text)
    return chat_id


async def path(workspace: Workspace, chat_id: str) -> list[TurnContent]:
    return list((await workspace.page(chat_id, before_depth=None, limit=50)).turns)


def spoken(turns: list[TurnContent]) -> str:
    return " ".join("".join(message.text for message in content.messages) for content in turns)


async def ask_instead(workspace: Workspace, chat_id: str, text: str, *, of: TurnContent) -> None:
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text=text, replaces_turn_id=of.turn.id))
    await until_ended(workspace, chat_id, after=position)


async def test_an_edited_question_takes_its_place_and_leaves_the_tail(
    workspace: Workspace, chat_id: str
) -> None:
    second = (await path(workspace, chat_id))[1]

    await ask_instead(workspace, chat_id, "b2", of=second)

    assert spoken(await path(workspace, chat_id)) == "aA b2B2"
    assert (await workspace.chat(chat_id)).turn_count == 2
    stood = await workspace.turns.siblings(second.turn.id)
    assert spoken(stood) == "bB b2B2"


async def test_the_model_sees_only_the_branch_it_is_on(workspace: Workspace, chat_id: str) -> None:
    turns = await path(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])

    plan = await workspace.plan(chat_id, PlanRequest())

    now = await path(workspace, chat_id)
    assert plan.sent_turn_ids == [content.turn.id for content in now]
    assert plan.scope_turns == 2


async def test_going_back_brings_what_followed_and_leaves_the_other(
    workspace: Workspace, chat_id: str
) -> None:
    turns = await path(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])
    await ask(workspace, chat_id, "d")
    edited = (await path(workspace, chat_id))[1]

    await workspace.turns.go_to(turns[1].turn.id)
    assert spoken(await path(workspace, chat_id)) == "aA bB cC"
    assert (await workspace.chat(chat_id)).head_id == turns[2].turn.id

    await workspace.turns.go_to(edited.turn.id)
    assert spoken(await path(workspace, chat_id)) == "aA b2B2 dD"
    await ask(workspace, chat_id, "e")
    assert spoken(await path(workspace, chat_id)) == "aA b2B2 dD eE"


async def test_the_first_turn_can_be_asked_again(workspace: Workspace, chat_id: str) -> None:
    first = (await path(workspace, chat_id))[0]
    await ask_instead(workspace, chat_id, "a2", of=first)
    assert spoken(await path(workspace, chat_id)) == "a2B2"
    assert spoken(await workspace.turns.siblings(first.turn.id)) == "aA a2B2"


async def test_a_turn_that_was_left_cannot_be_replaced(workspace: Workspace, chat_id: str) -> None:
    turns = await path(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])
    with pytest.raises(InvalidInput, match="not on this chat's path"):
        await workspace.send(chat_id, SendRequest(text="x", replaces_turn_id=turns[2].turn.id))


async def test_a_replacement_that_was_refused_leaves_no_trace_in_later_plans(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[does(Hang())])
    first, second, _ = await path(workspace, chat_id)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="busy"))
    with pytest.raises(ChatBusy):
        await workspace.send(chat_id, SendRequest(text="b2", replaces_turn_id=second.turn.id))
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)

    await workspace.turns.mark(first.turn.id, TurnMarks(is_skipped=True))

    plan = await workspace.plan(chat_id, PlanRequest())
    assert first.turn.id not in plan.sent_turn_ids


async def test_deleting_the_chat_deletes_its_branches_too(
    workspace: Workspace, chat_id: str
) -> None:
    turns = await path(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])
    await workspace.delete_chat(chat_id)
    for content in turns:
        with pytest.raises(InvalidInput):
            await workspace.turns.siblings(content.turn.id)
