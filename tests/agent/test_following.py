"""A chat that one process answers, followed from another: the same turns, the same text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workspaces import (
    KEY,
    MODEL,
    Clock,
    ask,
    does,
    new_chat,
    says,
    script,
    settings_in,
    soon,
    until_ended,
    until_text,
    workspace_over,
)
from windowpane.agent.chat_page import ChatPage
from windowpane.agent.fold import Unfinished
from windowpane.agent.turns import TurnMarks
from windowpane.asking import SendRequest
from windowpane.errors import ChatBusy, HeadMoved, NothingRunning
from windowpane.events import (
    Event,
    PartDelta,
    PartStarted,
    Reload,
    TurnEnded,
    TurnsChanged,
    TurnStarted,
)
from windowpane.providers.scripted import Call, Hang, Report, Say, Step, Think
from windowpane.storage.choose import store_from
from windowpane.storage.memory import MemoryStore
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

LONG = does(
    Think(chunks=("Let me ", "see."), delay_seconds=0.02),
    Say(chunks=("Two ", "processes, ", "one ", "answer."), delay_seconds=0.05),
    Call(call_id="c1", name="read", arguments='{"x": 1}'),
)


@pytest.fixture
async def here(shared_database: str, data_dir: Path) -> AsyncIterator[Workspace]:
    """The process that answers."""
    async with workspace_over(store_from(shared_database), folder=data_dir, replies=()) as opened:
        yield opened


@pytest.fixture
async def there(here: Workspace, shared_database: str, data_dir: Path) -> AsyncIterator[Workspace]:
    """Another process on the same database."""
    vault = Vault(store_from(shared_database), key=KEY)
    async with Workspace(vault, settings=settings_in(data_dir)) as opened:
        yield opened


async def newest(workspace: Workspace, chat_id: str) -> TurnContent:
    return (await whole(workspace, chat_id)).turns[-1]


async def whole(workspace: Workspace, chat_id: str) -> ChatPage:
    return await workspace.page(chat_id, before_depth=None, limit=50)


async def test_an_answer_made_elsewhere_is_followed_to_the_same_end(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[LONG, says("And so on.")])
    chat_id = await new_chat(here)
    position = (await whole(there, chat_id)).position

    await here.send(chat_id, SendRequest(text="go"))
    events = await until_ended(there, chat_id, after=position)

    assert isinstance(events[0], TurnStarted) and isinstance(events[-1], TurnEnded)
    finished = [event for event in events if not isinstance(event, PartStarted | PartDelta)]
    followed = Unfinished.of(finished).content(draft_id="")
    assert followed == await newest(there, chat_id) == await newest(here, chat_id)
    assert followed.messages[-1].text == "And so on."


async def test_text_arrives_while_it_is_being_written(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[does(Say(chunks=("Half a ",)), Hang())])
    chat_id = await new_chat(here)
    await whole(there, chat_id)
    await here.send(chat_id, SendRequest(text="go"))

    await until_text(there, chat_id, "Half a ")

    page = await whole(there, chat_id)
    assert page.is_answering
    assert page.turns[-1].turn.state == "sending"


async def test_who_comes_late_sees_what_was_said_and_follows_on(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[does(Say(chunks=("Half a ",)), Hang())])
    chat_id = await new_chat(here)
    await here.send(chat_id, SendRequest(text="go"))
    await until_text(there, chat_id, "Half a ")

    page = await whole(there, chat_id)
    with there.follow(chat_id, after=page.position) as reader:
        opened = [logged.event for logged in reader.take()]
        await here.stop(chat_id)
        events = opened + [logged.event for logged in await reader.read()]
        while not isinstance(events[-1], TurnEnded):
            events += [logged.event for logged in await reader.read()]

    assert events[:2] == [PartStarted(kind="text", name=""), PartDelta(text="Half a ")]
    assert events[-1].turn.state == "aborted"


async def test_turns_that_follow_each_other_are_all_seen_or_the_reader_is_told_to_reload(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[says(f"{n}") for n in range(5)])
    chat_id = await new_chat(here)
    after = (await whole(there, chat_id)).position
    asking = asyncio.create_task(_ask_often(here, chat_id, times=5))
    answers: list[str] = []
    while len(answers) < 5:
        with there.follow(chat_id, after=after) as reader:
            for logged in await reader.read():
                after = logged.id
                if isinstance(logged.event, Reload):
                    page = await whole(there, chat_id)
                    after = page.position
                    ended = [one for one in page.turns if one.turn.state == "complete"]
                    answers = [one.messages[-1].text for one in ended]
                    break
                if isinstance(logged.event, TurnEnded):
                    answers.append((await newest(there, chat_id)).messages[-1].text)
    await asking
    assert answers[-1] == "4"
    assert len((await whole(there, chat_id)).turns) == 5


async def _ask_often(workspace: Workspace, chat_id: str, *, times: int) -> None:
    for n in range(times):
        await ask(workspace, chat_id, f"{n}")


async def test_processes_take_turns_in_one_chat(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    replies = [says(f"to {n}", when=f"question {n}") for n in range(4)]
    await script(here, folder=data_dir, replies=replies)
    chat_id = await new_chat(here)
    for n in range(4):
        asked, watching = (here, there) if n % 2 else (there, here)
        position = (await whole(watching, chat_id)).position
        await asked.send(chat_id, SendRequest(text=f"question {n}", model=MODEL))
        events = await until_ended(watching, chat_id, after=position)
        assert isinstance(events[-1], TurnEnded), events
    turns = (await whole(here, chat_id)).turns
    assert [one.messages[-1].text for one in turns] == [f"to {n}" for n in range(4)]
    assert turns == (await whole(there, chat_id)).turns


async def test_stop_reaches_the_process_that_answers(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    replies = [does(Say(chunks=("so far",)), Hang()), says("again")]
    await script(here, folder=data_dir, replies=replies)
    chat_id = await new_chat(here)
    position = here.position(chat_id)
    await here.send(chat_id, SendRequest(text="go"))
    await until_text(there, chat_id, "so far")

    await there.stop(chat_id)
    await until_ended(here, chat_id, after=position)

    stopped = await newest(there, chat_id)
    assert (stopped.turn.state, stopped.messages[-1].text) == ("aborted", "so far")
    with pytest.raises(NothingRunning):
        await there.stop(chat_id)
    assert (await ask(here, chat_id, "and now?")).messages[-1].text == "again"


async def test_a_stop_that_comes_too_late_stops_nothing_else(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    """The request names the turn, so the next one is not its business."""
    replies = [does(Hang(), when="go"), says("second", when="again")]
    await script(here, folder=data_dir, replies=replies)
    chat_id = await new_chat(here)
    position = here.position(chat_id)
    await here.send(chat_id, SendRequest(text="go"))
    stops = there.stop(chat_id), here.stop(chat_id)
    [late, _] = await asyncio.gather(*stops, return_exceptions=True)
    assert late is None or isinstance(late, NothingRunning)
    await until_ended(here, chat_id, after=position)
    assert (await ask(here, chat_id, "again")).turn.state == "complete"


async def test_deleting_a_chat_elsewhere_ends_its_answer_and_leaves_nothing(
    clock: Clock, here: Workspace, there: Workspace, data_dir: Path, shared_database: str
) -> None:
    replies = [
        does(Say(chunks=("kept",)), Call(call_id="c", name="x", arguments="{}")),
        does(Say(chunks=tuple("on and on " * 200), delay_seconds=0.01), Hang()),
    ]
    await script(here, folder=data_dir, replies=replies)
    chat_id = await new_chat(here)
    await here.send(chat_id, SendRequest(text="go"))
    await until_text(there, chat_id, "on and")
    turn_id = (await newest(there, chat_id)).turn.id
    with here.follow(chat_id, after=(await whole(here, chat_id)).position) as reader:
        await there.delete_chat(chat_id)
        while not any(isinstance(one.event, Reload) for one in await reader.read()):
            pass
    clock.pass_seconds(61)
    await there.purger.purge()

    store = store_from(shared_database)
    await store.open()
    try:
        for table in ("turns", "runs", "records", "events", "receipts", "texts"):
            assert [await store.count(table, id) for id in (chat_id, turn_id)] == [0, 0], table
        assert await store.count("runs", "") == 0
    finally:
        await store.close()
    # What was spent was spent, also for the answer that was cut off.
    assert (await there.usage.chat(chat_id)).calls == 2


async def test_a_chat_that_is_answered_elsewhere_is_busy(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[does(Say(chunks=("so far",)), Hang())])
    chat_id = await new_chat(here)
    seen = (await there.chat(chat_id)).head_id or ""
    turn = await here.send(chat_id, SendRequest(text="go"))

    with pytest.raises(HeadMoved):
        await there.send(chat_id, SendRequest(text="me too", model=MODEL, seen_head_id=seen))
    with pytest.raises(ChatBusy):
        await there.send(chat_id, SendRequest(text="me too", model=MODEL, seen_head_id=turn.id))
    await until_text(there, chat_id, "so far")


async def test_another_branch_chosen_elsewhere_is_loaded_anew(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[says("A"), says("B")])
    chat_id = await new_chat(here)
    first = await ask(here, chat_id, "a")
    position = (await whole(there, chat_id)).position
    await here.send(chat_id, SendRequest(text="b", replaces_turn_id=first.turn.id))
    assert await until_ended(there, chat_id, after=position) == [Reload()]
    page = await whole(there, chat_id)
    if page.is_answering:
        await until_ended(there, chat_id, after=page.position)
    assert [one.messages[-1].text for one in (await whole(there, chat_id)).turns] == ["B"]


async def test_a_place_in_the_log_of_another_process_means_reload(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[says("A")])
    chat_id = await new_chat(here)
    await ask(here, chat_id, "a")
    elsewhere = (await whole(here, chat_id)).position
    assert await until_ended(there, chat_id, after=elsewhere) == [Reload()]


async def test_what_other_chats_do_does_not_make_a_reader_reload(
    here: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[says("A"), says("B")])
    one, two = await new_chat(here), await new_chat(here)
    position = (await whole(here, one)).position
    await ask(here, two, "a")
    await here.send(one, SendRequest(text="b"))
    assert isinstance((await until_ended(here, one, after=position))[0], TurnStarted)


STEPS = st.lists(
    st.builds(Say, chunks=st.lists(st.text("ab \n", min_size=1), min_size=1).map(tuple))
    | st.builds(Think, chunks=st.lists(st.text("th", min_size=1), min_size=1).map(tuple))
    | st.builds(Call, call_id=st.sampled_from("xy"), name=st.just("tool"), arguments=st.just("{}"))
    | st.just(Report(usage=TokenUsage(input_tokens=3, output_tokens=4))),
    min_size=1,
    max_size=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(rounds=st.lists(STEPS, min_size=1, max_size=3), pauses=st.lists(st.integers(0, 6)))
async def test_whenever_one_looks_what_was_followed_is_what_is_stored(
    tmp_path: Path, rounds: list[list[Step]], pauses: list[int]
) -> None:
    store = MemoryStore()
    replies = [does(*steps) for steps in rounds] + [says("The end.")] * 3
    async with workspace_over(store, folder=tmp_path, replies=replies) as here:
        chat_id = await new_chat(here)
        async with Workspace(Vault(store, key=KEY), settings=settings_in(tmp_path)) as there:
            position = (await whole(there, chat_id)).position
            await here.send(chat_id, SendRequest(text="go"))
            with there.follow(chat_id, after=position) as reader:
                seen: list[Event] = []
                while not any(isinstance(event, TurnEnded) for event in seen):
                    for _ in range(pauses.pop() if pauses else 1):
                        await asyncio.sleep(0)
                    # Nobody tells anything in memory: looking at the page is what catches up.
                    await whole(there, chat_id)
                    seen += [logged.event for logged in reader.take()]
            finished = [one for one in seen if not isinstance(one, PartStarted | PartDelta)]
            stored = await newest(there, chat_id)
            assert Unfinished.of(finished).content(draft_id="") == stored
            assert stored == await newest(here, chat_id)


async def test_marks_and_deletions_elsewhere_are_told_to_those_who_look_on(
    here: Workspace, there: Workspace, data_dir: Path
) -> None:
    await script(here, folder=data_dir, replies=[says("A"), says("B")])
    chat_id = await new_chat(here)
    first = await ask(here, chat_id, "a")
    second = await ask(here, chat_id, "b")
    with here.follow(chat_id, after=(await whole(here, chat_id)).position) as reader:
        await there.turns.mark(first.turn.id, TurnMarks(star=3))
        assert [type(one.event) for one in await soon(reader.read())] == [TurnsChanged]
        await there.delete_turn(first.turn.id)
        assert [type(one.event) for one in await soon(reader.read())] == [TurnsChanged]
        await there.delete_turn(second.turn.id)
        assert [type(one.event) for one in await soon(reader.read())] == [Reload]
    assert (await whole(here, chat_id)).turns == ()
