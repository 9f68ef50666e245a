"""Asking again never overwrites: what was left stays readable, and a chat can go back to it."""

from pathlib import Path

import pytest

from tests.workspaces import (
    KEY,
    MODEL,
    ask,
    ask_again,
    does,
    new_chat,
    path_of,
    says,
    script,
    spoken,
    told_chat,
    until_ended,
    until_text,
)
from windowpane.agent.turns import TurnMarks
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.definitions import ModelInfo
from windowpane.errors import ChatBusy, Failure, InvalidInput, PromptTooLarge
from windowpane.providers.scripted import Fail, Hang, Say
from windowpane.records import Accounting, Place
from windowpane.storage.accounts import receipts_of
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent
from windowpane.workspace import Workspace


@pytest.fixture
async def chat_id(workspace: Workspace, data_dir: Path) -> str:
    """Three turns: a, b, c. Later answers are waiting."""
    replies = [says(word) for word in ("A", "B", "C", "B2", "D", "E")]
    return await told_chat(workspace, folder=data_dir, replies=replies, texts="abc")


async def ask_instead(workspace: Workspace, chat_id: str, text: str, *, of: TurnContent) -> None:
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text=text, replaces_turn_id=of.turn.id))
    await until_ended(workspace, chat_id, after=position)


async def test_an_edited_question_takes_its_place_and_leaves_the_tail(
    workspace: Workspace, chat_id: str
) -> None:
    second = (await path_of(workspace, chat_id))[1]

    await ask_instead(workspace, chat_id, "b2", of=second)

    assert spoken(await path_of(workspace, chat_id)) == "aA b2B2"
    assert (await workspace.chat(chat_id)).turn_count == 2
    stood = await workspace.turns.siblings(second.turn.id)
    assert spoken(stood) == "bB b2B2"


async def test_the_model_sees_only_the_branch_it_is_on(workspace: Workspace, chat_id: str) -> None:
    turns = await path_of(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])

    plan = await workspace.plan(chat_id, PlanRequest())

    now = await path_of(workspace, chat_id)
    assert plan.sent_turn_ids == [content.turn.id for content in now]
    assert plan.scope_turns == 2


async def test_going_back_brings_what_followed_and_leaves_the_other(
    workspace: Workspace, chat_id: str
) -> None:
    turns = await path_of(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])
    await ask(workspace, chat_id, "d")
    edited = (await path_of(workspace, chat_id))[1]

    await workspace.turns.go_to(turns[1].turn.id)
    assert spoken(await path_of(workspace, chat_id)) == "aA bB cC"
    assert (await workspace.chat(chat_id)).head_id == turns[2].turn.id

    await workspace.turns.go_to(edited.turn.id)
    assert spoken(await path_of(workspace, chat_id)) == "aA b2B2 dD"
    await ask(workspace, chat_id, "e")
    assert spoken(await path_of(workspace, chat_id)) == "aA b2B2 dD eE"


async def test_the_first_turn_can_be_asked_again(workspace: Workspace, chat_id: str) -> None:
    first = (await path_of(workspace, chat_id))[0]
    await ask_instead(workspace, chat_id, "a2", of=first)
    assert spoken(await path_of(workspace, chat_id)) == "a2B2"
    assert spoken(await workspace.turns.siblings(first.turn.id)) == "aA a2B2"


async def test_a_turn_that_was_left_cannot_be_replaced(workspace: Workspace, chat_id: str) -> None:
    turns = await path_of(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])
    with pytest.raises(InvalidInput, match="not on this chat's path"):
        await workspace.send(chat_id, SendRequest(text="x", replaces_turn_id=turns[2].turn.id))


async def test_a_replacement_that_was_refused_leaves_no_trace_in_later_plans(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[does(Hang())])
    first, second, _ = await path_of(workspace, chat_id)
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
    turns = await path_of(workspace, chat_id)
    await ask_instead(workspace, chat_id, "b2", of=turns[1])
    await workspace.delete_chat(chat_id)
    for content in turns:
        with pytest.raises(InvalidInput):
            await workspace.turns.siblings(content.turn.id)


async def test_a_failed_turn_is_asked_again_in_its_place(
    workspace: Workspace, data_dir: Path
) -> None:
    refusal = does(Fail(failure=Failure(kind="overloaded", message="too busy")))
    await script(workspace, folder=data_dir, replies=[says("A"), refusal, says("B")])
    chat_id = await new_chat(workspace)
    await ask(workspace, chat_id, "a")
    failed = await ask(workspace, chat_id, "b")
    assert failed.turn.state == "error"

    again = await ask_again(workspace, failed.turn.id, AskAgain())

    assert spoken(await path_of(workspace, chat_id)) == "aA bB"
    assert again.turn.depth == failed.turn.depth
    [record] = await workspace.records(chat_id)
    assert isinstance(record, Accounting)
    assert (record.account.reason, record.account.left_turns) == ("Retry after error", 1)
    assert record.place == Place(depth=1, after_id=failed.turn.parent_id)


async def test_asking_again_sends_what_the_filter_shows(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    turns = await path_of(workspace, chat_id)
    again = await ask_again(workspace, turns[2].turn.id, AskAgain(filter_text="!c'a'"))
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    await vault.open()
    [receipt] = await receipts_of(vault, again.turn.id)
    await vault.close()
    sent = [run for run in receipt.contents.items if run.standing == "sent"]
    assert [(run.first_depth, run.last_depth) for run in sent] == [(1, 1)]


async def test_another_model_answers_beside_the_first(workspace: Workspace, data_dir: Path) -> None:
    models = (ModelInfo(name="scripted"), ModelInfo(name="other"))
    await script(workspace, folder=data_dir, replies=[says("one"), says("two")], models=models)
    chat_id = await new_chat(workspace)
    first = await ask(workspace, chat_id, "which? ")

    second = await ask_again(workspace, first.turn.id, AskAgain(model="script/other"))

    assert (first.turn.model, second.turn.model) == (MODEL, "script/other")
    assert (await workspace.chat(chat_id)).choices.model == MODEL
    [record] = await workspace.records(chat_id)
    assert isinstance(record, Accounting)
    assert record.account.reason == "Asked another model"
    assert (await workspace.turns.swap(second.turn.id, step=1)).turn_id == first.turn.id
    assert spoken(await path_of(workspace, chat_id)) == "which? one"
    assert (await workspace.turns.swap(first.turn.id, step=1)).turn_id == second.turn.id
    assert spoken(await path_of(workspace, chat_id)) == "which? two"


async def test_swapping_brings_what_followed_and_is_one_line_in_the_accounts(
    workspace: Workspace, chat_id: str
) -> None:
    second = (await path_of(workspace, chat_id))[1]
    edited = await ask_again(workspace, second.turn.id, AskAgain(text="b2"))
    for _ in range(3):
        await workspace.turns.swap(edited.turn.id, step=-1)
        assert spoken(await path_of(workspace, chat_id)) == "aA bB cC"
        await workspace.turns.swap(second.turn.id, step=-1)
        assert spoken(await path_of(workspace, chat_id)) == "aA b2B2"
    reasons = [
        one.account.reason
        for one in await workspace.records(chat_id)
        if isinstance(one, Accounting)
    ]
    assert reasons == ["Message edited", "Other answer chosen"]


async def test_a_place_with_one_answer_has_nothing_to_swap(
    workspace: Workspace, chat_id: str
) -> None:
    first = (await path_of(workspace, chat_id))[0]
    with pytest.raises(InvalidInput, match="no other answer"):
        await workspace.turns.swap(first.turn.id, step=1)


async def test_a_page_tells_which_of_how_many_answers_it_shows(
    workspace: Workspace, chat_id: str
) -> None:
    second = (await path_of(workspace, chat_id))[1]
    edited = await ask_again(workspace, second.turn.id, AskAgain(text="b2"))
    page = await workspace.page(chat_id, before_depth=None, limit=10)
    [(id, place)] = page.places.items()
    assert id == edited.turn.id
    assert (place.number, place.count) == (2, 2)
    assert place.previous_id == place.next_id == second.turn.id


async def test_the_path_does_not_change_while_the_chat_answers(
    workspace: Workspace, chat_id: str, data_dir: Path
) -> None:
    turns = await path_of(workspace, chat_id)
    edited = await ask_again(workspace, turns[1].turn.id, AskAgain(text="b2"))
    await script(workspace, folder=data_dir, replies=[does(Say(chunks=("slowly",)), Hang())])
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_text(workspace, chat_id, "slowly")

    for act in (
        workspace.ask_again(edited.turn.id, AskAgain()),
        workspace.turns.swap(edited.turn.id, step=1),
        workspace.delete_turn(edited.turn.id),
        workspace.move_chat(chat_id, project_id=(await workspace.chat(chat_id)).project_id),
    ):
        with pytest.raises(ChatBusy):
            await act
    marked = await workspace.turns.mark(edited.turn.id, TurnMarks(star=2))
    assert marked.star == 2
    running = (await path_of(workspace, chat_id))[-1].turn
    await workspace.turns.mark(running.id, TurnMarks(is_pinned=True))
    assert (await path_of(workspace, chat_id))[-1].turn.is_pinned
    position = workspace.position(chat_id)
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)
    assert (await path_of(workspace, chat_id))[-1].turn.is_pinned


async def test_a_plan_that_was_refused_leaves_no_trace_in_later_ones(
    workspace: Workspace, data_dir: Path
) -> None:
    small = ModelInfo(name="scripted", context_window_tokens=400)
    await script(workspace, folder=data_dir, replies=[says("A"), says("B")], models=(small,))
    chat_id = await new_chat(workspace)
    first = await ask(workspace, chat_id, "a")
    second = await ask(workspace, chat_id, "b")
    with pytest.raises(PromptTooLarge):
        await workspace.ask_again(second.turn.id, AskAgain(text="word " * 1000))
    await workspace.turns.mark(first.turn.id, TurnMarks(star=3))
    plan = await workspace.plan(chat_id, PlanRequest(filter_text="s3"))
    assert plan.sent_turn_ids == [first.turn.id]
