"""Calls that need a word: a turn waits for it, goes on with it, and can do without it."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from tests.tool_turns.scene import LOOK, WRITE, calls, chat_with, newest, paused, requests, results
from tests.workspaces import (
    CALLING_MODEL,
    KEY,
    ask,
    does,
    says,
    script,
    settings_in,
    until_ended,
    until_paused,
    workspace_over,
)
from windowpane.agent.turns import TurnMarks
from windowpane.asking import SendRequest
from windowpane.choices import Choices
from windowpane.errors import InvalidInput, NothingRunning, NotWaiting, PromptTooLarge, ToolsWaiting
from windowpane.events import TurnPaused, TurnResumed
from windowpane.providers.scripted import Call
from windowpane.storage.accounts import receipts_of
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace


async def test_a_call_that_needs_a_word_makes_the_turn_wait(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look", "write")], LOOK, WRITE)
    content = await paused(workspace, chat_id)
    assert content.turn.state == "waiting"
    assert [call.call_id for call in content.turn.pending_calls] == ["write-1"]
    assert [result.name for result in results(content.messages)] == ["look"]
    page = await workspace.page(chat_id, before_depth=None, limit=1)
    assert not page.is_answering
    assert not workspace.is_answering(chat_id)


async def test_an_accepted_call_runs_and_the_same_turn_goes_on(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(
        workspace, data_dir, [calls("look", "write"), says("Written.")], LOOK, WRITE
    )
    waiting = await paused(workspace, chat_id)
    position = workspace.position(chat_id)
    turn = await workspace.decide(waiting.turn.id, {"write-1": "accept"})
    assert (turn.id, turn.state) == (waiting.turn.id, "sending")
    events = await until_ended(workspace, chat_id, after=position)

    content = await newest(workspace, chat_id)
    assert isinstance(events[0], TurnResumed)
    assert [result.text for result in results(content.messages)] == ["an open door", "written"]
    assert [one.role for one in content.messages] == ["user", "assistant", "tool", "assistant"]
    assert (content.turn.state, content.turn.pending_calls) == ("complete", ())
    assert requests(workspace)[1] == content.messages[:3]


async def test_a_rejected_call_does_not_run_and_the_model_hears_it(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(
        workspace, data_dir, [calls("write", "write"), says("As you like.")], WRITE
    )
    waiting = await paused(workspace, chat_id)
    first = await workspace.decide(waiting.turn.id, {"write-0": "reject"})
    assert first.state == "waiting"
    assert [call.decision for call in first.pending_calls] == ["reject", None]
    position = workspace.position(chat_id)
    await workspace.decide(waiting.turn.id, {"write-1": "accept"})
    await until_ended(workspace, chat_id, after=position)
    rejected, accepted = results((await newest(workspace, chat_id)).messages)
    assert (rejected.text, rejected.is_error) == ("User rejected the tool call", True)
    assert (accepted.text, accepted.is_error) == ("written", False)


async def test_what_was_decided_cannot_be_decided_again(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("write", "write"), says("Done.")], WRITE)
    waiting = await paused(workspace, chat_id)
    with pytest.raises(InvalidInput, match="write-0, write-1"):
        await workspace.decide(waiting.turn.id, {"write-7": "accept"})
    with pytest.raises(InvalidInput):
        await workspace.decide(waiting.turn.id, {})
    await workspace.decide(waiting.turn.id, {"write-0": "accept"})
    with pytest.raises(NotWaiting):
        await workspace.decide(waiting.turn.id, {"write-0": "reject"})
    position = workspace.position(chat_id)
    outcomes = await asyncio.gather(
        *(workspace.decide(waiting.turn.id, {"write-1": "accept"}) for _ in range(5)),
        return_exceptions=True,
    )
    assert sum(not isinstance(outcome, NotWaiting) for outcome in outcomes) == 1
    await until_ended(workspace, chat_id, after=position)
    with pytest.raises(NotWaiting):
        await workspace.decide(waiting.turn.id, {"write-1": "accept"})


async def test_an_empty_send_accepts_what_waits(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("write", "write"), says("Done.")], WRITE)
    waiting = await paused(workspace, chat_id)
    await workspace.decide(waiting.turn.id, {"write-0": "reject"})
    position = workspace.position(chat_id)
    turn = await workspace.send(chat_id, SendRequest(text="  ", seen_head_id=waiting.turn.id))
    assert turn.id == waiting.turn.id
    await until_ended(workspace, chat_id, after=position)
    texts = [result.text for result in results((await newest(workspace, chat_id)).messages)]
    assert texts == ["User rejected the tool call", "written"]


async def test_a_new_message_rejects_what_waits_and_is_sent(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(
        workspace, data_dir, [calls("look", "write"), says("Something else.")], LOOK, WRITE
    )
    waiting = await paused(workspace, chat_id)
    answered = await ask(workspace, chat_id, "Never mind. Something else?")
    page = await workspace.page(chat_id, before_depth=None, limit=5)
    rejected = page.turns[0]
    assert rejected.turn.id == waiting.turn.id
    assert (rejected.turn.state, rejected.turn.pending_calls) == ("complete", ())
    assert [result.text for result in results(rejected.messages)] == [
        "an open door",
        "User rejected the tool call",
    ]
    assert answered.messages[-1].text == "Something else."
    assert requests(workspace)[-1] == (*rejected.messages, answered.messages[0])


async def test_a_message_that_cannot_be_sent_rejects_nothing(
    workspace: Workspace, data_dir: Path
) -> None:
    small = structs.replace(CALLING_MODEL, context_window_tokens=2_000)
    chat_id = await chat_with(workspace, data_dir, [calls("write"), says("Done.")], WRITE)
    definition = workspace.models.definition("script")
    path = Path(definition.base_url)
    played = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    path.write_bytes(msgspec.json.encode({**played, "models": [small]}))
    await workspace.models.replace("script", definition)
    waiting = await paused(workspace, chat_id)
    with pytest.raises(PromptTooLarge):
        await workspace.send(chat_id, SendRequest(text="word " * 5_000))
    assert (await newest(workspace, chat_id)).turn == waiting.turn


async def test_a_waiting_turn_can_be_stopped(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(
        workspace, data_dir, [calls("look", "write"), says("Next.")], LOOK, WRITE
    )
    await paused(workspace, chat_id)
    await workspace.stop(chat_id)
    content = await newest(workspace, chat_id)
    assert (content.turn.state, content.turn.pending_calls) == ("aborted", ())
    assert [result.is_error for result in results(content.messages)] == [False, True]
    with pytest.raises(NothingRunning):
        await workspace.stop(chat_id)
    assert (await ask(workspace, chat_id, "next")).messages[-1].text == "Next."


async def test_a_waiting_turn_survives_a_restart_and_goes_on_in_another_process(
    store: Store, shared_database: str, data_dir: Path
) -> None:
    async with workspace_over(store, folder=data_dir, replies=()) as before:
        chat_id = await chat_with(
            before, data_dir, [calls("look", "write"), says("Written.")], LOOK, WRITE
        )
        waiting = await paused(before, chat_id)
        project = (await before.chat(chat_id)).project_id
        await before.choices.change_project(
            project, Choices(system_prompt="Speak like a pirate."), names=["system_prompt"]
        )
    again = store_from(shared_database)
    async with Workspace(Vault(again, key=KEY), settings=settings_in(data_dir)) as after:
        found = await newest(after, chat_id)
        assert found == waiting
        position = after.position(chat_id)
        # The script begins anew with the process: its first reply was heard before.
        await script(after, folder=data_dir, replies=[says("Written.")], tools=(LOOK, WRITE))
        await after.decide(waiting.turn.id, {"write-1": "accept"})
        await until_ended(after, chat_id, after=position)
        content = await newest(after, chat_id)
        assert content.messages[-1].text == "Written."
        assert [result.text for result in results(content.messages)] == ["an open door", "written"]
        receipts = await receipts_of(Vault(again, key=KEY), content.turn.id)
        assert [(one.number, one.round) for one in receipts] == [(1, 0), (2, 1)]
        assert receipts[0].contents.system_id == receipts[1].contents.system_id
        assert receipts[0].contents.tools_id == receipts[1].contents.tools_id


async def test_a_decision_is_for_its_own_call_and_for_no_later_one_of_that_id(
    workspace: Workspace, data_dir: Path
) -> None:
    same = does(Call(call_id="1", name="write", arguments="{}"))
    chat_id = await chat_with(workspace, data_dir, [same, same], WRITE)
    waiting = await paused(workspace, chat_id)
    position = workspace.position(chat_id)
    await workspace.decide(waiting.turn.id, {"1": "accept"})
    events = await until_paused(workspace, chat_id, after=position)
    assert isinstance(events[-1], TurnPaused)
    content = await newest(workspace, chat_id)
    assert content.turn.state == "waiting"
    assert len(results(content.messages)) == 1


async def test_the_rounds_of_a_turn_that_waited_count_on(store: Store, data_dir: Path) -> None:
    settings = structs.replace(settings_in(data_dir), max_iterations=2)
    async with Workspace(Vault(store, key=KEY), settings=settings) as workspace:
        chat_id = await chat_with(workspace, data_dir, [calls("write")] * 3, WRITE)
        waiting = await paused(workspace, chat_id)
        position = workspace.position(chat_id)
        await workspace.decide(waiting.turn.id, {"write-0": "accept"})
        await until_paused(workspace, chat_id, after=position)
        position = workspace.position(chat_id)
        await workspace.decide(waiting.turn.id, {"write-0": "accept"})
        await until_ended(workspace, chat_id, after=position)
        content = await newest(workspace, chat_id)
        assert (content.turn.state, content.turn.finish) == ("complete", "max_iterations")
        assert len(requests(workspace)) == 2


async def test_marks_made_while_a_turn_waits_are_kept(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("write"), says("Done.")], WRITE)
    waiting = await paused(workspace, chat_id)
    await workspace.turns.mark(waiting.turn.id, TurnMarks(star=3))
    position = workspace.position(chat_id)
    await workspace.decide(waiting.turn.id, {"write-0": "accept"})
    await until_ended(workspace, chat_id, after=position)
    assert (await newest(workspace, chat_id)).turn.star == 3


async def test_a_chat_does_not_go_to_another_branch_while_it_waits(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(
        workspace, data_dir, [says("One."), says("Two."), calls("write")], WRITE
    )
    left = await ask(workspace, chat_id, "first")
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="second", replaces_turn_id=left.turn.id))
    await until_ended(workspace, chat_id, after=position)
    await paused(workspace, chat_id)
    with pytest.raises(ToolsWaiting):
        await workspace.turns.go_to(left.turn.id)


async def test_no_answer_outlives_its_chat(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("write")], WRITE)
    waiting = await paused(workspace, chat_id)
    await workspace.delete_chat(chat_id)
    with pytest.raises(InvalidInput):
        await workspace.decide(waiting.turn.id, {"write-0": "accept"})


async def test_a_turn_that_waits_is_deleted_with_its_calls_and_others_wait_for_it(
    workspace: Workspace, data_dir: Path
) -> None:
    replies = [says("Hello."), calls("write"), says("Bye.")]
    chat_id = await chat_with(workspace, data_dir, replies, WRITE)
    first = await ask(workspace, chat_id, "hi")
    waiting = await paused(workspace, chat_id)
    for refused in (
        workspace.delete_turn(first.turn.id),
        workspace.fork(chat_id, turn_id=None),
    ):
        with pytest.raises(ToolsWaiting):
            await refused

    await workspace.delete_turn(waiting.turn.id)

    with pytest.raises(NotWaiting):
        await workspace.decide(waiting.turn.id, {"write-0": "accept"})
    assert (await ask(workspace, chat_id, "bye")).turn.state == "complete"
