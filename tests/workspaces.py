"""Workspaces for tests: a real one over any store, answering from a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from windowpane.asking import AskAgain, SendRequest
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.events import Event, EventId, Reload, TurnEnded, TurnPaused
from windowpane.ids import new_id
from windowpane.providers.scripted import End, Reply, Say, Script, Step
from windowpane.settings import Settings
from windowpane.storage.base import Store
from windowpane.storage.sealing import VaultKey
from windowpane.storage.vault import Vault
from windowpane.tools.scripted import ToolScript
from windowpane.turns import TurnContent
from windowpane.workspace import Workspace

KEY = VaultKey(bytes(range(32)))
MODEL = "script/scripted"
PLAIN_MODEL = ModelInfo(name="scripted")
CALLING_MODEL = ModelInfo(name="scripted", abilities=("tools",))
PATIENCE_SECONDS = 60
Result = TypeVar("Result")


def says(*chunks: str, delay_seconds: float = 0.0, when: str = "", after: str = "") -> Reply:
    steps = (Say(chunks=chunks, delay_seconds=delay_seconds), End(finish="stop"))
    return Reply(steps=steps, when=when, after=after)


def does(*steps: Step, when: str = "") -> Reply:
    return Reply(steps=steps, when=when)


def settings_in(folder: Path) -> Settings:
    """Nothing is tried again, unless a test says so."""
    return Settings(data=str(folder), open_part_flush_seconds=0.05, most_retries=0)


@asynccontextmanager
async def workspace_over(
    store: Store, *, folder: Path, replies: Sequence[Reply]
) -> AsyncGenerator[Workspace]:
    async with Workspace(Vault(store, key=KEY), settings=settings_in(folder)) as workspace:
        await script(workspace, folder=folder, replies=replies)
        yield workspace


async def script(
    workspace: Workspace,
    *,
    folder: Path,
    replies: Sequence[Reply],
    models: tuple[ModelInfo, ...] = (PLAIN_MODEL,),
    tools: Sequence[ToolScript] = (),
) -> None:
    """Make ``script/scripted`` answer with these replies, and call tools if it has any."""
    path = folder / f"{new_id('provider')}.json"
    played = Script(
        replies=tuple(replies),
        models=(CALLING_MODEL,) if tools else models,
        tools=tuple(msgspec.to_builtins(tool) for tool in tools),
    )
    path.write_bytes(msgspec.json.encode(played))
    if any(known.name == "script" for known in workspace.models.definitions):
        await workspace.models.remove("script")
    definition = ProviderDefinition(
        id=new_id("provider"), name="script", family="scripted", base_url=str(path)
    )
    await workspace.models.add(definition)


async def new_chat(workspace: Workspace) -> str:
    project = await workspace.create_project(name="Ledger")
    chat = await workspace.create_chat(project.id)
    await workspace.choose_model(chat.id, model=MODEL)
    return chat.id


async def told_chat(
    workspace: Workspace, *, folder: Path, replies: Sequence[Reply], texts: Iterable[str]
) -> str:
    """A chat in which these texts were asked and answered; what replies are left are waiting."""
    await script(workspace, folder=folder, replies=replies)
    chat_id = await new_chat(workspace)
    for text in texts:
        await ask(workspace, chat_id, text)
    return chat_id


async def ask(workspace: Workspace, chat_id: str, text: str) -> TurnContent:
    """Send and wait for the end; the turn as a reader finds it in the store afterwards."""
    turn = await workspace.send(chat_id, SendRequest(text=text))
    with workspace.follow_turn(chat_id) as reader:
        while not any(isinstance(logged.event, TurnEnded) for logged in await soon(reader.read())):
            pass
    page = await workspace.page(chat_id, before_depth=None, limit=40)
    return next(content for content in page.turns if content.turn.id == turn.id)


async def ask_again(workspace: Workspace, turn_id: str, again: AskAgain) -> TurnContent:
    """Ask a turn again and wait for the end; the turn that stands in its place then."""
    chat_id = (await workspace.turns.get(turn_id)).value.chat_id
    position = workspace.position(chat_id)
    turn = await workspace.ask_again(turn_id, again)
    await until_ended(workspace, chat_id, after=position)
    return next(one for one in await path_of(workspace, chat_id) if one.turn.id == turn.id)


async def path_of(workspace: Workspace, chat_id: str) -> list[TurnContent]:
    return list((await workspace.page(chat_id, before_depth=None, limit=100)).turns)


def spoken(turns: Sequence[TurnContent]) -> str:
    """What was asked and answered, turn by turn."""
    return " ".join("".join(message.text for message in content.messages) for content in turns)


async def until_ended(workspace: Workspace, chat_id: str, *, after: EventId) -> list[Event]:
    seen: list[Event] = []
    with workspace.follow(chat_id, after=after) as reader:
        while True:
            for logged in await soon(reader.read()):
                seen.append(logged.event)
                if isinstance(logged.event, TurnEnded | Reload):
                    return seen


async def until_paused(workspace: Workspace, chat_id: str, *, after: EventId) -> list[Event]:
    """What happens until the turn waits or ends."""
    seen: list[Event] = []
    with workspace.follow(chat_id, after=after) as reader:
        while True:
            for logged in await soon(reader.read()):
                seen.append(logged.event)
                if isinstance(logged.event, TurnPaused | TurnEnded | Reload):
                    return seen


async def until_text(workspace: Workspace, chat_id: str, wanted: str) -> None:
    """Wait until the open part holds some text."""
    with workspace.follow(chat_id, after=workspace.position(chat_id)) as reader:
        while True:
            page = await workspace.page(chat_id, before_depth=None, limit=1)
            if page.open_part is not None and wanted in page.open_part.text:
                return
            await soon(reader.read())


async def soon(coming: Awaitable[Result]) -> Result:
    """A wait that has an end: what never comes shall fail its test, and not hold up the run."""
    return await asyncio.wait_for(coming, PATIENCE_SECONDS)


class Clock:
    """The time of day, which a test can put forward."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def pass_seconds(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)


def put_forward(patch: pytest.MonkeyPatch) -> Clock:
    """A clock for workspaces that are opened from now on."""
    clock = Clock()
    patch.setattr("windowpane.workspace.now", clock)
    return clock
