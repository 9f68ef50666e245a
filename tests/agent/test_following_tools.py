"""A chat with tools, answered in one process and followed, decided on and stopped from others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.agent.test_following import newest, whole
from tests.tool_turns.scene import HANGING, LOOK, WRITE, calls, chat_with, paused
from tests.workspaces import (
    KEY,
    does,
    says,
    script,
    settings_in,
    soon,
    until_ended,
    until_paused,
    workspace_over,
)
from windowpane.agent.chat_page import ChatPage
from windowpane.agent.fold import Unfinished
from windowpane.asking import SendRequest
from windowpane.errors import NothingRunning, NotWaiting
from windowpane.events import (
    Event,
    EventId,
    MessageDone,
    PartDelta,
    PartStarted,
    Reload,
    ToolProgressed,
    TurnEnded,
    TurnPaused,
    TurnResumed,
    TurnStarted,
)
from windowpane.providers.scripted import Reply, Say
from windowpane.storage.choose import store_from
from windowpane.storage.history import put_stop
from windowpane.storage.shelves import StopRequest
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import Answer, ToolScript, Wait
from windowpane.turns import TurnContent
from windowpane.workspace import Workspace

SLOW = ToolScript(name="slow", steps=(Wait(seconds=0.5), Answer(text="at last")))


@pytest.fixture
async def processes(shared_database: str, data_dir: Path) -> AsyncIterator[list[Workspace]]:
    """Three processes on one database."""
    async with AsyncExitStack() as stack:
        first = workspace_over(store_from(shared_database), folder=data_dir, replies=())
        opened = [await stack.enter_async_context(first)]
        for _ in range(2):
            vault = Vault(store_from(shared_database), key=KEY)
            another = Workspace(vault, settings=settings_in(data_dir))
            opened.append(await stack.enter_async_context(another))
        yield opened


async def until(
    workspace: Workspace, chat_id: str, kind: type[Event], *, after: EventId
) -> list[Event]:
    seen: list[Event] = []
    with workspace.follow(chat_id, after=after) as reader:
        while not any(isinstance(event, kind | Reload) for event in seen):
            seen += [logged.event for logged in await soon(reader.read())]
    return seen


async def until_working(workspace: Workspace, chat_id: str) -> ChatPage:
    """Wait until a call is being carried out."""
    with workspace.follow(chat_id, after=(await whole(workspace, chat_id)).position) as reader:
        while not (page := await whole(workspace, chat_id)).tool_runs:
            await soon(reader.read())
        return page


def folded(events: Sequence[Event]) -> TurnContent:
    finished = [event for event in events if not isinstance(event, PartStarted | PartDelta)]
    return Unfinished.of(finished).content(draft_id="")


def slowly(text: str) -> Reply:
    """Seen by others while it is being said."""
    return says(*text, delay_seconds=0.05)


async def test_a_turn_that_comes_to_wait_elsewhere_is_seen_to_wait(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, _ = processes
    chat_id = await chat_with(here, data_dir, [calls("look", "write")], LOOK, WRITE)
    position = (await whole(there, chat_id)).position
    waiting = await paused(here, chat_id)

    events = await until(there, chat_id, TurnPaused, after=position)

    assert isinstance(events[0], TurnStarted)
    assert folded(events) == waiting
    page = await whole(there, chat_id)
    assert (page.turns[-1], page.is_answering) == (waiting, False)


async def test_what_is_decided_in_one_process_is_seen_in_all(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, third = processes
    replies = [calls("write", "write"), slowly("Both are written.")]
    chat_id = await chat_with(here, data_dir, replies, WRITE)
    waiting = await paused(here, chat_id)
    position = (await whole(third, chat_id)).position

    await there.decide(waiting.turn.id, {"write-0": "accept"})
    [half] = await until(third, chat_id, TurnPaused, after=position)
    assert isinstance(half, TurnPaused)
    assert [call.decision for call in half.turn.pending_calls] == ["accept", None]

    position = third.position(chat_id)
    await here.decide(waiting.turn.id, {"write-1": "accept"})
    events = await until_ended(third, chat_id, after=position)
    assert isinstance(events[0], TurnResumed)
    assert folded(events) == await newest(third, chat_id) == await newest(here, chat_id)
    assert (await newest(third, chat_id)).messages[-1].text == "Both are written."


async def test_a_turn_goes_on_in_the_process_in_which_it_was_decided(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, _ = processes
    chat_id = await chat_with(here, data_dir, [calls("look", "write")], LOOK, WRITE)
    waiting = await paused(here, chat_id)
    await script(here, folder=data_dir, replies=[slowly("Written.")], tools=[LOOK, WRITE])
    position = (await whole(here, chat_id)).position

    await there.decide(waiting.turn.id, {"write-1": "accept"})
    assert there.is_answering(chat_id)
    events = await until_ended(here, chat_id, after=position)

    assert isinstance(events[0], TurnResumed)
    content = await newest(here, chat_id)
    assert folded(events) == content == await newest(there, chat_id)
    assert [one.role for one in content.messages] == ["user", "assistant", "tool", "assistant"]
    assert content.turn.state == "complete"
    with pytest.raises(NotWaiting):
        await here.decide(waiting.turn.id, {"write-1": "reject"})


async def test_who_missed_that_a_turn_waited_gets_it_anew_from_who_went_on_with_it(
    processes: list[Workspace], data_dir: Path
) -> None:
    """The one who answers now counts its events from another number than the one before."""
    here, there, late = processes
    chat_id = await chat_with(here, data_dir, [calls("slow", "write")], SLOW, WRITE)
    for n in range(40):  # so that this process has counted further
        here.position(f"cht_{n}")
    position = here.position(chat_id)
    await here.send(chat_id, SendRequest(text="go"))
    page = await until_working(late, chat_id)
    await until_paused(here, chat_id, after=position)
    waiting = await newest(there, chat_id)
    tools = [SLOW, WRITE, HANGING]
    await script(here, folder=data_dir, replies=[calls("hanging")], tools=tools)
    await there.decide(waiting.turn.id, {"write-1": "accept"})
    await until_working(there, chat_id)

    await until_working(late, chat_id)
    with late.follow(chat_id, after=page.position) as reader:
        events = [logged.event for logged in reader.take()]
    assert isinstance(events[-1], Reload) or any(isinstance(one, TurnResumed) for one in events)
    assert (await newest(late, chat_id)).messages == (await newest(there, chat_id)).messages
    place = there.position(chat_id)
    await late.stop(chat_id)
    await until_ended(there, chat_id, after=place)


async def test_the_progress_of_a_tool_is_seen_elsewhere(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, _ = processes
    chat_id = await chat_with(here, data_dir, [calls("hanging")], HANGING)
    position = (await whole(there, chat_id)).position
    await here.send(chat_id, SendRequest(text="go"))

    await until(there, chat_id, ToolProgressed, after=position)
    async with asyncio.timeout(30):
        while not (page := await until_working(there, chat_id)).tool_runs[0].output:
            await asyncio.sleep(0.01)

    [run] = page.tool_runs
    assert (run.call_id, run.message, run.fraction) == ("hanging-0", "at it", 0.5)
    assert run.output == "so far"
    await there.stop(chat_id)
    await until_ended(there, chat_id, after=page.position)
    assert (await newest(there, chat_id)).turn.state == "aborted"


async def test_a_soft_stop_reaches_the_process_that_answers(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, _ = processes
    chat_id = await chat_with(here, data_dir, [calls("slow"), says("never said")], SLOW)
    position = here.position(chat_id)
    await here.send(chat_id, SendRequest(text="go"))
    await until_working(there, chat_id)

    await there.stop_softly(chat_id)
    await there.stop_softly(chat_id)

    await until_ended(here, chat_id, after=position)
    content = await newest(there, chat_id)
    assert (content.turn.state, content.turn.finish) == ("complete", "stopped")
    assert [one.role for one in content.messages] == ["user", "assistant", "tool"]
    with pytest.raises(NothingRunning):
        await there.stop_softly(chat_id)


async def test_a_soft_stop_takes_nothing_from_a_hard_one(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, third = processes
    chat_id = await chat_with(here, data_dir, [calls("hanging")], HANGING)
    position = here.position(chat_id)
    await here.send(chat_id, SendRequest(text="go"))
    await until_working(there, chat_id)
    await there.stop_softly(chat_id)
    await asyncio.gather(there.stop(chat_id), third.stop_softly(chat_id))
    await until_ended(here, chat_id, after=position)
    assert (await newest(there, chat_id)).turn.state == "aborted"


async def test_a_waiting_turn_is_stopped_from_any_process_and_seen_to_end(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, third = processes
    chat_id = await chat_with(here, data_dir, [calls("write")], WRITE)
    await paused(here, chat_id)
    places = [(one, (await whole(one, chat_id)).position) for one in (here, third)]

    await there.stop(chat_id)

    for workspace, position in places:
        events = await until_ended(workspace, chat_id, after=position)
        assert [type(event) for event in events] == [MessageDone, TurnEnded]
        assert (await newest(workspace, chat_id)).turn.state == "aborted"
    with pytest.raises(NothingRunning):
        await third.stop(chat_id)


async def test_a_message_sent_elsewhere_rejects_what_waits_and_is_answered(
    processes: list[Workspace], data_dir: Path
) -> None:
    here, there, _ = processes
    chat_id = await chat_with(here, data_dir, [calls("write")], WRITE)
    await paused(here, chat_id)
    await script(here, folder=data_dir, replies=[says("Instead.")], tools=[WRITE])
    seen: list[Event] = []
    with here.follow(chat_id, after=(await whole(here, chat_id)).position) as reader:
        await there.send(chat_id, SendRequest(text="No, look instead."))
        while sum(isinstance(event, TurnEnded) for event in seen) < 2:
            seen += [logged.event for logged in await soon(reader.read())]
    assert [type(event) for event in seen[:3]] == [MessageDone, TurnEnded, TurnStarted]
    rejected, answered = (await whole(here, chat_id)).turns
    assert (rejected.turn.state, rejected.turn.finish) == ("complete", "tool_use")
    assert answered.messages[-1].text == "Instead."


async def test_a_stop_asked_for_as_a_turn_came_to_wait_does_not_end_it_when_it_goes_on(
    processes: list[Workspace], data_dir: Path, shared_database: str
) -> None:
    here, there, _ = processes
    speaking = does(Say(chunks=("One ", "moment."), delay_seconds=0.1))
    chat_id = await chat_with(here, data_dir, [calls("write"), speaking], WRITE)
    waiting = await paused(here, chat_id)
    vault = Vault(store_from(shared_database), key=KEY)
    await vault.open()
    late = StopRequest(asked_at=waiting.turn.created_at, is_soft=False)
    await vault.commit([put_stop(vault, late, turn_id=waiting.turn.id, chat_id=chat_id)])
    await vault.close()

    position = here.position(chat_id)
    await here.decide(waiting.turn.id, {"write-0": "accept"})
    await until_ended(here, chat_id, after=position)
    assert (await newest(there, chat_id)).turn.state == "complete"
