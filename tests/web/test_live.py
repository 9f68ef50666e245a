"""Watching a chat: what tabs are sent, once for all of them, from wherever they go on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workspaces import MODEL, ask, does, new_chat, says, script, until_text, workspace_over
from windowpane.asking import SendRequest
from windowpane.events import EventId
from windowpane.providers.scripted import Call, End, Hang, Say, Think
from windowpane.storage.memory import MemoryStore
from windowpane.tools.scripted import Answer, Tell, ToolScript
from windowpane.web import frames
from windowpane.web.live import MOST_PENDING_FRAMES, LiveChats, Watcher
from windowpane.web.open_part import loaded_html
from windowpane.workspace import Workspace

Frame = dict[str, Any]


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncGenerator[Workspace]:
    async with workspace_over(MemoryStore(), folder=tmp_path, replies=()) as workspace:
        yield workspace


@asynccontextmanager
async def answering(
    workspace: Workspace, folder: Path, *replies: Any
) -> AsyncGenerator[tuple[LiveChats, str]]:
    await script(workspace, folder=folder, replies=replies)
    yield LiveChats(workspace), await new_chat(workspace)


def read(data: bytes) -> list[tuple[str, Frame]]:
    events: list[tuple[str, Frame]] = []
    for block in data.decode().split("\n\n")[:-1]:
        id_line, data_line = block.split("\n")
        events.append((id_line.removeprefix("id: "), msgspec.json.decode(data_line[6:])))
    return events


async def until(watcher: Watcher, kind: str) -> list[tuple[str, Frame]]:
    """All that a tab is sent, up to the first frame of a kind."""
    seen: list[tuple[str, Frame]] = []
    while not any(frame["type"] == kind for _, frame in seen):
        seen += read(await watcher.take())
    return seen


def kinds(seen: list[tuple[str, Frame]]) -> list[str]:
    return [frame["type"] for _, frame in seen]


async def send(workspace: Workspace, chat_id: str) -> None:
    await workspace.send(chat_id, SendRequest(text="go", model=MODEL))


async def test_an_answer_is_told_from_its_start_to_its_end(
    workspace: Workspace, tmp_path: Path
) -> None:
    reply = does(Think(chunks=("Hm.",)), Say(chunks=("One ", "two.")), End(finish="stop"))
    async with answering(workspace, tmp_path, reply) as (live, chat_id):
        with live.watching(chat_id, after=workspace.position(chat_id)) as watcher:
            await send(workspace, chat_id)
            seen = await until(watcher, "state")
    assert kinds(seen)[0] == "turn"
    assert kinds(seen)[-1] == "state"
    assert seen[-1][1]["state"] == "complete"
    ids = [EventId.parse(id) for id, _ in seen]
    assert ids == sorted(ids)


async def test_what_is_told_adds_up_to_what_is_loaded(workspace: Workspace, tmp_path: Path) -> None:
    """The browser's tests apply patches; here the whole turn a late tab gets is compared."""
    reply = does(
        Think(chunks=("First *this*.",)),
        Say(chunks=tuple("# A\n\nb `c` **d\n\n- e")),
        Call(call_id="a", name="read", arguments='{"x": 1}'),
    )
    async with answering(workspace, tmp_path, reply, says("Done.")) as (live, chat_id):
        before = workspace.position(chat_id)
        with live.watching(chat_id, after=before) as watcher:
            await send(workspace, chat_id)
            await until(watcher, "state")
            with live.watching(chat_id, after=before) as late:
                [(_, whole)] = read(await late.take())
        page = await workspace.page(chat_id, before_depth=None, limit=1)
    assert whole["type"] == "turn"
    assert whole["html"] == loaded_html(
        page.turns[-1], open_part=None, tool_runs=(), held=None, place=None
    )


async def test_tools_are_told_as_they_would_be_loaded(workspace: Workspace, tmp_path: Path) -> None:
    """While they run, while the turn waits, and when it has gone on."""
    calls = does(
        Call(call_id="a", name="look", arguments="{}"),
        Call(call_id="b", name="write", arguments="{}"),
    )
    tools = (
        ToolScript(name="look", steps=(Answer(text="seen"),)),
        ToolScript(name="write", steps=(Tell(message="half"), Answer(text="ok")), approval="ask"),
    )
    await script(workspace, folder=tmp_path, replies=[calls, says("Done.")], tools=tools)
    chat_id = await new_chat(workspace)
    live = LiveChats(workspace)

    async def loaded() -> str:
        page = await workspace.page(chat_id, before_depth=None, limit=1)
        return loaded_html(
            page.turns[-1], open_part=None, tool_runs=page.tool_runs, held=None, place=None
        )

    before = workspace.position(chat_id)
    with live.watching(chat_id, after=before) as watcher:
        await send(workspace, chat_id)
        waiting = await until(watcher, "state")
        assert waiting[-1][1]["state"] == "waiting"
        with live.watching(chat_id, after=before) as late:
            [(_, whole)] = read(await late.take())
        assert whole["html"] == await loaded()
        page = await workspace.page(chat_id, before_depth=None, limit=1)
        await workspace.decide(page.turns[-1].turn.id, {"b": "accept"})
        seen = await until(watcher, "state")
        assert (kinds(seen)[0], seen[-1][1]["state"]) == ("turn", "complete")
        with live.watching(chat_id, after=page.position) as late:
            [(_, whole)] = read(await late.take())
        assert whole["html"] == await loaded()


async def test_every_tab_is_sent_the_same_bytes(workspace: Workspace, tmp_path: Path) -> None:
    async with answering(workspace, tmp_path, says("One ", "two.")) as (live, chat_id):
        after = workspace.position(chat_id)
        with live.watching(chat_id, after=after) as one, live.watching(chat_id, after=after) as two:
            await send(workspace, chat_id)
            assert await until(one, "state") == await until(two, "state")


async def test_a_tab_that_knows_the_turn_gets_only_the_open_piece(
    workspace: Workspace, tmp_path: Path
) -> None:
    reply = does(Think(chunks=("Hm.",)), Say(chunks=("Half a sen",)), Hang())
    async with answering(workspace, tmp_path, reply) as (live, chat_id):
        with live.watching(chat_id, after=workspace.position(chat_id)):
            await send(workspace, chat_id)
            await until_text(workspace, chat_id, "Half a sen")
            page = await workspace.page(chat_id, before_depth=None, limit=1)
            with live.watching(chat_id, after=page.position) as late:
                [(_, frame)] = read(await late.take())
        await workspace.stop(chat_id)
    assert (frame["type"], frame["index"]) == ("piece", 1)
    assert "Half a sen" in frame["html"]


async def test_a_tab_that_knows_all_is_told_nothing(workspace: Workspace, tmp_path: Path) -> None:
    async with answering(workspace, tmp_path, says("One."), says("Two.")) as (live, chat_id):
        await ask(workspace, chat_id, "first")
        with live.watching(chat_id, after=workspace.position(chat_id)) as watcher:
            await send(workspace, chat_id)
            seen = await until(watcher, "state")
    assert kinds(seen)[0] == "turn"
    assert seen[0][1]["depth"] == 1


async def test_a_tab_that_saw_only_the_beginning_gets_the_turn_as_it_ended(
    workspace: Workspace, tmp_path: Path
) -> None:
    async with answering(workspace, tmp_path, says("One."), says("Two.")) as (live, chat_id):
        await ask(workspace, chat_id, "first")
        before = workspace.position(chat_id)
        content = await ask(workspace, chat_id, "second")
        knowing = live.watching(chat_id, after=workspace.position(chat_id))
        with knowing, live.watching(chat_id, after=before) as watcher:
            [(_, frame)] = read(await watcher.take())
    assert frame["type"] == "turn"
    loaded = loaded_html(content, open_part=None, tool_runs=(), held=None, place=None)
    assert frame["html"] == loaded


@pytest.mark.parametrize("place", ["another epoch", "an older turn", "the future"])
async def test_a_place_that_is_not_continued_means_reload(
    place: str, workspace: Workspace, tmp_path: Path
) -> None:
    async with answering(workspace, tmp_path, says("One."), says("Two.")) as (live, chat_id):
        old = workspace.position(chat_id)
        await ask(workspace, chat_id, "first")
        await ask(workspace, chat_id, "second")
        now = workspace.position(chat_id)
        after = {
            "another epoch": EventId(epoch=now.epoch + 1, seq=now.seq),
            "an older turn": old,
            "the future": EventId(epoch=now.epoch, seq=now.seq + 100),
        }[place]
        with live.watching(chat_id, after=after) as watcher:
            assert kinds(read(await watcher.take())) == ["reload"]
            assert await watcher.take() == b""


async def test_no_turn_is_missed_when_one_follows_closely_on_another(
    workspace: Workspace, tmp_path: Path
) -> None:
    async with answering(workspace, tmp_path, says("One."), says("Two.")) as (live, chat_id):
        with live.watching(chat_id, after=workspace.position(chat_id)) as watcher:
            await ask(workspace, chat_id, "first")
            await ask(workspace, chat_id, "second")
            seen: list[str] = []
            # A tab that was not told of both ends must have been told to reload.
            while seen.count("state") < 2 and "reload" not in seen:
                seen += kinds(read(await watcher.take()))


async def test_a_tab_that_is_far_behind_is_told_to_reload(
    workspace: Workspace, tmp_path: Path
) -> None:
    async with answering(workspace, tmp_path, says("One.")) as (live, chat_id):
        with (
            live.watching(chat_id, after=workspace.position(chat_id)) as slow,
            live.watching(chat_id, after=workspace.position(chat_id)) as quick,
        ):
            for _ in range(MOST_PENDING_FRAMES + 1):
                slow.offer(b": filler\n\n")
            await send(workspace, chat_id)
            await until(quick, "state")
            assert kinds(read(await slow.take())) == ["reload"]
            assert await slow.take() == b""


async def test_the_page_describes_the_frames_as_they_are() -> None:
    script = Path(frames.__file__).with_name("static") / "js" / "stream.js"
    text = script.read_text()
    for frame in (
        frames.TurnFrame,
        frames.PieceFrame,
        frames.PatchFrame,
        frames.StateFrame,
        frames.ReloadFrame,
    ):
        line = next(line for line in text.splitlines() if f"}} {frame.__name__}" in line)
        described = line.partition("{{ ")[2].partition(" }}")[0].split(", ")
        names = [field.partition(":")[0].removesuffix("?") for field in described]
        assert names == ["type", *frame.__struct_fields__]
