"""Recall reads what left the window: turns, and the whole of results that were cut."""

from pathlib import Path

from tests.tool_turns.scene import calls, chat_with, results
from tests.workspaces import ask, does, says, script, until_ended
from windowpane.asking import SendRequest
from windowpane.providers.scripted import Call
from windowpane.tools.scripted import Answer, ToolScript
from windowpane.workspace import Workspace


async def test_recall_finds_turns_that_left_the_window_and_left_branches(
    workspace: Workspace, data_dir: Path
) -> None:
    recall = Call(call_id="r", name="recall", arguments='{"query": "zebra crossing"}')
    replies = [
        says("The zebra crossing is at the corner."),
        says("A zebra in the zoo."),
        says("Nothing of interest."),
        does(recall),
        says("At the corner."),
    ]
    chat_id = await chat_with(workspace, data_dir, replies)
    await ask(workspace, chat_id, "Where can I cross?")
    left = await ask(workspace, chat_id, "Which animal?")
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="Else?", replaces_turn_id=left.turn.id))
    await until_ended(workspace, chat_id, after=position)
    content = await ask(workspace, chat_id, "Where was that zebra crossing?")

    [result] = results(content.messages)
    assert not result.is_error
    first, second = result.text.split("\n\n")[1:]
    assert first.startswith("Turn 1, ") and "The zebra crossing is at the corner." in first
    assert "on a branch that was left" in second and left.turn.id in second


async def test_recall_reads_a_turn_and_the_whole_of_a_cut_result(
    workspace: Workspace, data_dir: Path
) -> None:
    whole = " ".join(f"word{number}" for number in range(20_000))
    big = ToolScript(name="big", steps=(Answer(text=whole),))
    chat_id = await chat_with(workspace, data_dir, [calls("big"), says("Long.")], big)
    [cut] = results((await ask(workspace, chat_id, "read it")).messages)
    assert len(cut.text) < 25_000
    assert f'handle "{cut.output_id}"' in cut.text

    offset = whole.index("word9000")
    wanted = f'{{"handle": "{cut.output_id}", "offset": {offset}}}'
    call = Call(call_id="r", name="recall", arguments=wanted)
    await script(workspace, folder=data_dir, replies=[does(call), says("Found.")], tools=(big,))
    [page] = results((await ask(workspace, chat_id, "and the middle?")).messages)
    assert page.text.startswith("word9000 word9001")


async def test_recall_does_not_read_other_chats(workspace: Workspace, data_dir: Path) -> None:
    first = await chat_with(workspace, data_dir, [says("A secret.")])
    secret = await ask(workspace, first, "What is it?")
    wanted = f'{{"handle": "{secret.turn.id}"}}'
    replies = [does(Call(call_id="r", name="recall", arguments=wanted)), says("No.")]
    second = await chat_with(workspace, data_dir, replies)
    [result] = results((await ask(workspace, second, "What was it?")).messages)
    assert result.is_error
    assert "secret" not in result.text


async def test_a_fork_keeps_the_whole_of_a_cut_result_for_itself(
    workspace: Workspace, data_dir: Path
) -> None:
    whole = " ".join(f"word{number}" for number in range(20_000))
    big = ToolScript(name="big", steps=(Answer(text=whole),))
    chat_id = await chat_with(workspace, data_dir, [calls("big"), says("Long.")], big)
    [original] = results((await ask(workspace, chat_id, "read it")).messages)
    fork = await workspace.fork(chat_id, turn_id=None)
    await workspace.delete_chat(chat_id)
    [copied] = (await workspace.page(fork.id, before_depth=None, limit=9)).turns
    [cut] = results(copied.messages)
    assert cut.output_id != original.output_id
    assert f'handle "{cut.output_id}"' in cut.text

    wanted = f'{{"handle": "{cut.output_id}", "offset": {whole.index("word9000")}}}'
    call = Call(call_id="r", name="recall", arguments=wanted)
    await script(workspace, folder=data_dir, replies=[does(call), says("Found.")], tools=(big,))
    [page] = results((await ask(workspace, fork.id, "and the middle?")).messages)
    assert page.text.startswith("word9000 word9001")


async def test_recall_does_not_read_what_was_deleted(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [says("A secret.")])
    secret = await ask(workspace, chat_id, "What is it?")
    await workspace.delete_turn(secret.turn.id)
    wanted = f'{{"handle": "{secret.turn.id}"}}'
    replies = [does(Call(call_id="r", name="recall", arguments=wanted)), says("No.")]
    await script(workspace, folder=data_dir, replies=replies)
    [result] = results((await ask(workspace, chat_id, "What was it?")).messages)
    assert result.is_error
    assert "secret" not in result.text
