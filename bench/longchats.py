"""Chats of any length for benchmarks: written in large batches, as answered turns leave them.

Each turn has its digest, so that nothing is counted when it is planned, and texts come from a few
hundred, so that making them costs little. A window holds about a hundred turns: chats of different
lengths send the same.
"""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import structs

from windowpane.agent.digest import digest_of
from windowpane.cli.opening import opened_workspace, unlocked_key
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.ids import new_id
from windowpane.messages import Message, Role
from windowpane.parts import Text
from windowpane.projects import Chat
from windowpane.providers.scripted import End, Reply, Say, Script
from windowpane.settings import Settings
from windowpane.storage.base import Change
from windowpane.storage.choose import store_from
from windowpane.storage.history import put_chat, put_message, put_new_turn
from windowpane.storage.shelves import CHATS
from windowpane.storage.vault import Vault
from windowpane.tokens import Counter, TokenCache, counter_for
from windowpane.turns import Turn, TurnContent
from windowpane.workspace import Workspace

MODEL = "script/scripted"
WINDOW_TOKENS = 24_000
BATCH_TURNS = 2_000
BEGAN_AT = datetime(2024, 1, 9, 18, tzinfo=UTC)
ANSWER = "It fits, because the boundary moved by a fifth. " * 8
WORDS = (
    "window pane model context token budget boundary summary receipt turn filter branch topic "
    "the a of to and in is that it for was on are as with they be at one have this from by hot "
    "provider stream message answer question because therefore however remember forget"
).split()


def texts() -> list[str]:
    chance = random.Random(20_261_118)
    return [" ".join(chance.choices(WORDS, k=chance.randrange(20, 140))) for _ in range(500)]


@asynccontextmanager
async def scripted_workspace(folder: Path) -> AsyncGenerator[Workspace]:
    """On SQLite, with a model that always gives the same answer."""
    async with opened_workspace(Settings(data=str(folder))) as workspace:
        if all(known.name != "script" for known in workspace.models.definitions):
            await workspace.models.add(_definition(folder / "script.json"))
        yield workspace


def _definition(path: Path) -> ProviderDefinition:
    steps = (Say(chunks=(ANSWER,)), End(finish="stop"))
    model = ModelInfo(name="scripted", context_window_tokens=WINDOW_TOKENS)
    script = Script(replies=(Reply(steps=steps, is_repeatable=True),), models=(model,))
    path.write_bytes(msgspec.json.encode(script))
    return ProviderDefinition(
        id=new_id("provider"), name="script", family="scripted", base_url=str(path)
    )


async def new_chat(workspace: Workspace, *, turns: int) -> str:
    project = await workspace.create_project(name=f"{turns} turns")
    chat = await workspace.create_chat(project.id)
    await workspace.choose_model(chat.id, model=MODEL)
    vault = Vault(
        store_from(workspace.settings.database_or_default), key=unlocked_key(workspace.settings)
    )
    await vault.open()
    await _fill(vault, chat.id, turns=turns)
    await vault.close()
    return chat.id


async def _fill(vault: Vault, chat_id: str, *, turns: int) -> None:
    stored = await vault.get(CHATS, chat_id)
    contents = _contents(stored.value, turns=turns)
    changes: list[Change] = []
    newest_id: str | None = None
    for content in contents:
        newest_id = content.turn.id
        changes.extend(_rows(vault, content))
        if content.turn.depth % BATCH_TURNS == BATCH_TURNS - 1:
            await vault.commit(changes)
            changes = []
    grown = structs.replace(stored.value, turn_count=turns, head_id=newest_id, title="A talk")
    await vault.commit([*changes, put_chat(vault, grown, expected_version=stored.version)])


def _contents(chat: Chat, *, turns: int) -> Iterator[TurnContent]:
    said = texts()
    counter = counter_for(MODEL, cache=TokenCache(max_entries=10_000))
    parent_id: str | None = None
    for depth in range(turns):
        at = BEGAN_AT + timedelta(minutes=depth)
        spoken = (said[depth % len(said)], said[(depth + 250) % len(said)])
        turn = Turn(
            id=new_id("turn"),
            chat_id=chat.id,
            parent_id=parent_id,
            depth=depth,
            model=MODEL,
            state="complete",
            created_at=at,
            ended_at=at,
            finish="stop",
        )
        parent_id = turn.id
        yield _digested(turn, spoken, counter=counter)


def _digested(turn: Turn, spoken: tuple[str, str], *, counter: Counter) -> TurnContent:
    roles: tuple[Role, Role] = ("user", "assistant")
    messages = tuple(
        Message(
            id=new_id("record"),
            role=role,
            parts=(Text(text=text),),
            created_at=turn.created_at,
            model=turn.model if role == "assistant" else None,
        )
        for role, text in zip(roles, spoken, strict=True)
    )
    content = TurnContent(turn=turn, messages=messages)
    digested = structs.replace(turn, digest=digest_of(content, counter=counter))
    return structs.replace(content, turn=digested)


def _rows(vault: Vault, content: TurnContent) -> list[Change]:
    return [
        put_new_turn(vault, content.turn),
        *(
            put_message(vault, message, turn_id=content.turn.id, position=position)
            for position, message in enumerate(content.messages)
        ),
    ]
