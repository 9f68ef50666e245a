"""Tools that a model calls: run, told of while they run, stopped, and kept."""

from pathlib import Path

import pytest

from tests.tool_turns.scene import (
    BROKEN,
    HANGING,
    LOOK,
    WRITE,
    calls,
    chat_with,
    newest,
    paused,
    requests,
    results,
    until_event,
)
from tests.workspaces import KEY, ask, does, says, settings_in, until_ended, workspace_over
from windowpane.accounting import totals_of
from windowpane.asking import SendRequest
from windowpane.errors import NothingRunning
from windowpane.events import ToolEnded, ToolProgressed, ToolStarted
from windowpane.parts import ToolResult
from windowpane.providers.scripted import Call, Report, Say
from windowpane.storage.accounts import receipts_of
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import Answer, Tell, ToolScript, Wait
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace


async def test_a_tool_is_called_and_its_result_read(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look"), says("It is open.")])
    content = await ask(workspace, chat_id, "Is the door open?")
    assert [message.role for message in content.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert results(content.messages) == [
        ToolResult(call_id="look-0", name="look", text="an open door")
    ]
    assert (content.turn.state, content.turn.finish) == ("complete", "stop")
    assert len(requests(workspace)) == 2
    assert requests(workspace)[1] == content.messages[:3]


async def test_results_stand_in_the_order_of_the_calls_in_one_message(
    workspace: Workspace, data_dir: Path
) -> None:
    slow = ToolScript(name="slow", steps=(Wait(seconds=0.05), Answer(text="late")))
    chat_id = await chat_with(
        workspace,
        data_dir,
        [calls("slow", "broken", "none", "look"), says("Hm.")],
        slow,
        BROKEN,
        LOOK,
    )
    content = await ask(workspace, chat_id, "go")
    assert [result.name for result in results(content.messages)] == [
        "slow",
        "broken",
        "none",
        "look",
    ]
    assert [result.is_error for result in results(content.messages)] == [False, True, True, False]
    assert len(content.messages) == 4


async def test_progress_is_told_while_a_tool_runs(workspace: Workspace, data_dir: Path) -> None:
    steps = (Tell(message="reading", fraction=0.25), Answer(text="read"))
    tool = ToolScript(name="read", steps=steps)
    chat_id = await chat_with(workspace, data_dir, [calls("read"), says("Done.")], tool)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    events = await until_ended(workspace, chat_id, after=position)
    told = [
        event for event in events if isinstance(event, ToolStarted | ToolProgressed | ToolEnded)
    ]
    assert told == [
        ToolStarted(call_id="read-0", name="read"),
        ToolProgressed(call_id="read-0", message="reading", fraction=0.25),
        ToolEnded(result=ToolResult(call_id="read-0", name="read", text="read")),
    ]


async def test_a_late_reader_sees_how_far_a_tool_is(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look", "hanging")], LOOK, HANGING)
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_event(workspace, chat_id, ToolProgressed)
    await until_event(workspace, chat_id, ToolEnded)
    page = await workspace.page(chat_id, before_depth=None, limit=1)
    runs = {run.name: run for run in page.tool_runs}
    assert (runs["hanging"].message, runs["hanging"].fraction) == ("at it", 0.5)
    assert runs["look"].result is not None
    assert results(page.turns[-1].messages) == [runs["look"].result]


async def test_stop_while_a_tool_runs_keeps_what_was_done(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(
        workspace, data_dir, [calls("look", "hanging"), says("Going on.")], LOOK, HANGING
    )
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_event(workspace, chat_id, ToolProgressed)
    await until_event(workspace, chat_id, ToolEnded)
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)

    content = await newest(workspace, chat_id)
    done, stopped = results(content.messages)
    assert content.turn.state == "aborted"
    assert (done.text, done.is_error) == ("an open door", False)
    assert stopped.is_error
    assert stopped.text.endswith("The user stopped before this call had ended.")
    await ask(workspace, chat_id, "and now?")


async def test_a_soft_stop_lets_the_tools_end_and_asks_no_more(
    workspace: Workspace, data_dir: Path
) -> None:
    slow = ToolScript(name="slow", steps=(Wait(seconds=0.1), Answer(text="late")))
    chat_id = await chat_with(workspace, data_dir, [calls("slow"), says("Never said.")], slow)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_event(workspace, chat_id, ToolStarted)
    await workspace.stop_softly(chat_id)
    await until_ended(workspace, chat_id, after=position)
    content = await newest(workspace, chat_id)
    assert (content.turn.state, content.turn.finish) == ("complete", "stopped")
    assert [result.text for result in results(content.messages)] == ["late"]
    assert len(requests(workspace)) == 1
    with pytest.raises(NothingRunning):
        await workspace.stop_softly(chat_id)


async def test_a_soft_stop_while_the_model_speaks_makes_none_of_its_calls(
    workspace: Workspace, data_dir: Path
) -> None:
    speaking = does(
        Say(chunks=("One ", "moment."), delay_seconds=0.05),
        Call(call_id="c", name="write", arguments="{}"),
    )
    chat_id = await chat_with(workspace, data_dir, [speaking], WRITE)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await workspace.stop_softly(chat_id)
    await until_ended(workspace, chat_id, after=position)
    content = await newest(workspace, chat_id)
    assert (content.turn.state, content.turn.finish) == ("complete", "stopped")
    assert content.messages[1].text == "One moment."
    assert [result.is_error for result in results(content.messages)] == [True]


async def test_a_closed_program_keeps_what_tools_had_done(
    store: Store, shared_database: str, data_dir: Path
) -> None:
    async with workspace_over(store, folder=data_dir, replies=()) as before:
        chat_id = await chat_with(before, data_dir, [calls("look", "hanging")], LOOK, HANGING)
        await before.send(chat_id, SendRequest(text="go"))
        await until_event(before, chat_id, ToolProgressed)
        await until_event(before, chat_id, ToolEnded)
    again = store_from(shared_database)
    async with Workspace(Vault(again, key=KEY), settings=settings_in(data_dir)) as after:
        content = await newest(after, chat_id)
        assert content.turn.state == "interrupted"
        done, cut = results(content.messages)
        assert done.text == "an open door"
        assert cut.text.endswith("Windowpane was closed before this call had ended.")


async def test_the_tokens_of_a_turn_are_those_of_all_its_requests(
    workspace: Workspace, store: Store, data_dir: Path
) -> None:
    def used(tokens: int) -> Report:
        return Report(usage=TokenUsage(input_tokens=tokens, output_tokens=1))

    look = Call(call_id="c", name="look", arguments="{}")
    replies = [does(look, used(10)), does(look, used(20)), does(Say(chunks=("x",)), used(40))]
    chat_id = await chat_with(workspace, data_dir, replies)
    content = await ask(workspace, chat_id, "go")
    totals = await workspace.turns.totals(content.turn.id)
    assert (totals.usage, totals.calls) == (TokenUsage(input_tokens=70, output_tokens=3), 3)
    receipts = await receipts_of(Vault(store, key=KEY), content.turn.id)
    assert totals == totals_of(one.entry for one in receipts if one.entry)


async def test_nothing_of_a_tool_lies_readable_on_the_disk(data_dir: Path) -> None:
    secret = ToolScript(name="quokka", steps=(Answer(text="wombat " * 10_000),), prompt="numbat")
    asking = ToolScript(name="bandicoot", steps=(Answer(text="bilby"),), approval="ask")
    store = store_from(str(data_dir / "windowpane.sqlite3"))
    async with workspace_over(store, folder=data_dir, replies=()) as workspace:
        replies = [calls("quokka", "bandicoot")]
        chat_id = await chat_with(workspace, data_dir, replies, secret, asking)
        assert (await paused(workspace, chat_id)).turn.pending_calls
    files = [path for path in data_dir.glob("*.sqlite3*") if path.is_file()]
    on_disk = b"".join(path.read_bytes() for path in files)
    words = (b"quokka", b"wombat", b"numbat", b"bandicoot", b"waiting")
    assert [word for word in words if word in on_disk] == []
