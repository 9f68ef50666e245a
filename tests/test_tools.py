"""Tools in a chat: called, allowed, refused, stopped, and gone on with after a restart."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from tests.workspaces import (
    CALLING_MODEL,
    KEY,
    MODEL,
    ask,
    does,
    new_chat,
    says,
    script,
    settings_in,
    until_ended,
    until_paused,
    workspace_over,
)
from windowpane.accounting import totals_of
from windowpane.agent.turns import TurnMarks
from windowpane.choices import Choices, chosen_names
from windowpane.errors import InvalidInput, NothingRunning, NotWaiting, PromptTooLarge, ToolsWaiting
from windowpane.events import (
    Event,
    ToolEnded,
    ToolProgressed,
    ToolStarted,
    TurnPaused,
    TurnResumed,
)
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.providers.scripted import Call, Reply, Report, Say, ScriptedProvider
from windowpane.storage.accounts import receipts_of
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import Answer, Break, Give, Hang, Tell, ToolScript, Wait
from windowpane.turns import TurnContent
from windowpane.usage import TokenUsage
from windowpane.workspace import PlanRequest, SendRequest, Workspace

LOOK = ToolScript(name="look", steps=(Answer(text="an open door"),))
WRITE = ToolScript(name="write", steps=(Answer(text="written"),), approval="ask")
BROKEN = ToolScript(name="broken", steps=(Break(message="no"),))
HANGING = ToolScript(
    name="hanging", steps=(Tell(message="at it", fraction=0.5), Give(text="so far"), Hang())
)


def calls(*names: str) -> Reply:
    """A model that calls these tools at once; each call's id is its tool's name and place."""
    made = [Call(call_id=f"{name}-{n}", name=name, arguments="{}") for n, name in enumerate(names)]
    return does(*made)


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, data_dir: Path) -> str:
    if request.param == "sqlite":
        return str(data_dir / "windowpane.sqlite3")
    return request.getfixturevalue("postgres_database")


@pytest.fixture
def store(address: str) -> Store:
    return store_from(address)


async def chat_with(
    workspace: Workspace, folder: Path, replies: Sequence[Reply], *tools: ToolScript
) -> str:
    await script(workspace, folder=folder, replies=replies, tools=tools or (LOOK,))
    return await new_chat(workspace)


async def paused(workspace: Workspace, chat_id: str, text: str = "go") -> TurnContent:
    """Send, and wait until the turn waits."""
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text=text))
    await until_paused(workspace, chat_id, after=position)
    return await newest(workspace, chat_id)


async def newest(workspace: Workspace, chat_id: str) -> TurnContent:
    return (await workspace.page(chat_id, before_depth=None, limit=1)).turns[-1]


async def until_event(workspace: Workspace, chat_id: str, kind: type[Event]) -> None:
    with workspace.follow_turn(chat_id) as reader:
        while not any(isinstance(logged.event, kind) for logged in await reader.read()):
            pass


def results(messages: Sequence[Message]) -> list[ToolResult]:
    return [part for one in messages for part in one.parts if isinstance(part, ToolResult)]


def requests(workspace: Workspace) -> list[tuple[Message, ...]]:
    provider, _ = workspace.models.resolve(MODEL)
    assert isinstance(provider, ScriptedProvider)
    return [request.messages for request in provider.requests]


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
    store: Store, address: str, data_dir: Path
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
    again = store_from(address)
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


async def test_a_closed_program_keeps_what_tools_had_done(
    store: Store, address: str, data_dir: Path
) -> None:
    async with workspace_over(store, folder=data_dir, replies=()) as before:
        chat_id = await chat_with(before, data_dir, [calls("look", "hanging")], LOOK, HANGING)
        await before.send(chat_id, SendRequest(text="go"))
        await until_event(before, chat_id, ToolProgressed)
        await until_event(before, chat_id, ToolEnded)
    again = store_from(address)
    async with Workspace(Vault(again, key=KEY), settings=settings_in(data_dir)) as after:
        content = await newest(after, chat_id)
        assert content.turn.state == "interrupted"
        done, cut = results(content.messages)
        assert done.text == "an open door"
        assert cut.text.endswith("Windowpane was closed before this call had ended.")


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


async def test_the_rounds_of_a_turn_that_waited_count_on(
    workspace: Workspace, data_dir: Path
) -> None:
    workspace.settings = structs.replace(workspace.settings, max_iterations=2)
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


async def test_a_model_that_cannot_call_is_offered_nothing(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=())
    chat_id = await new_chat(workspace)
    assert (await workspace.plan(chat_id, PlanRequest())).tools == ()


async def test_the_plan_names_the_tools_in_one_order_with_their_weight(
    workspace: Workspace, data_dir: Path
) -> None:
    prompted = structs.replace(LOOK, prompt="Look before you leap.")
    chat_id = await chat_with(workspace, data_dir, (), prompted, WRITE)
    ready = await workspace.plan(chat_id, PlanRequest())
    assert [tool.name for tool in ready.tools] == ["recall", "look", "write"]
    assert ready.system == "Look before you leap."
    assert sum(one.definition_tokens for one in ready.tool_weights) == ready.fixed.tools_tokens
    assert ready.tool_weights[1].prompt_tokens > 0


async def choose(workspace: Workspace, chat_id: str, choices: Choices) -> None:
    await workspace.choices.change_chat(chat_id, choices, names=chosen_names(choices))


async def test_with_all_tools_off_past_calls_go_in_words(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look"), says("Open."), says("Bye.")])
    await ask(workspace, chat_id, "Is it open?")
    await choose(workspace, chat_id, Choices(tool_mode="all-off"))
    ready = await workspace.plan(chat_id, PlanRequest(draft="Thanks"))
    assert ready.tools == ()
    await ask(workspace, chat_id, "Thanks")
    sent = requests(workspace)[-1]
    assert not any(isinstance(part, ToolCall | ToolResult) for one in sent for part in one.parts)
    assert "[called look: {}]\n[gave: an open door]" in sent[1].text


async def test_a_forbidden_tool_is_refused_and_one_that_is_off_is_unknown(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look", "recall"), says("Ok.")])
    await choose(workspace, chat_id, Choices(tools={}, tool_approvals={"look": "never"}))
    content = await ask(workspace, chat_id, "go")
    forbidden, unknown = results(content.messages)
    assert forbidden.text == "The tool look may not be used here."
    assert unknown.text.startswith("There is no tool called recall.")


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


async def test_recall_does_not_read_other_chats(workspace: Workspace, data_dir: Path) -> None:
    first = await chat_with(workspace, data_dir, [says("A secret.")])
    secret = await ask(workspace, first, "What is it?")
    wanted = f'{{"handle": "{secret.turn.id}"}}'
    replies = [does(Call(call_id="r", name="recall", arguments=wanted)), says("No.")]
    second = await chat_with(workspace, data_dir, replies)
    [result] = results((await ask(workspace, second, "What was it?")).messages)
    assert result.is_error
    assert "secret" not in result.text


async def test_no_answer_outlives_its_chat(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("write")], WRITE)
    waiting = await paused(workspace, chat_id)
    await workspace.delete_chat(chat_id)
    with pytest.raises(InvalidInput):
        await workspace.decide(waiting.turn.id, {"write-0": "accept"})


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
