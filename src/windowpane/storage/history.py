"""Chats, turns and messages as batches of changes, and as pages read back.

Each function here says which rows one act of the workspace touches. The path of a chat is the
turns whose parent is the chat, by depth, so that a page of it is one indexed read.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.errors import RecordDamaged
from windowpane.events import LoggedEvent
from windowpane.messages import Message
from windowpane.projects import Chat, Project
from windowpane.storage.base import Change, DeleteChildren, Put
from windowpane.storage.shelves import (
    CHATS,
    EVENTS,
    OUTPUTS,
    PROGRESS,
    PROJECTS,
    RECORDS,
    RUNS,
    STOPS,
    TOP,
    TURNS,
    Progress,
    Run,
    StopRequest,
    ToolOutput,
    micros,
    outputs_of,
    stop_id,
)
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn, TurnContent


class PathPage(Struct, frozen=True, kw_only=True):
    """Some turns of a chat's path, oldest first, and what of them could not be opened."""

    turns: tuple[TurnContent, ...]
    damaged: tuple[RecordDamaged, ...]


def put_project(vault: Vault, project: Project, *, expected_version: int | None) -> Put:
    return vault.put(
        PROJECTS,
        project,
        id=project.id,
        parent_id=TOP,
        position=micros(project.created_at),
        expected_version=expected_version,
    )


def put_chat(vault: Vault, chat: Chat, *, expected_version: int | None) -> Put:
    return vault.put(
        CHATS,
        chat,
        id=chat.id,
        parent_id=chat.project_id,
        position=micros(chat.active_at),
        expected_version=expected_version,
    )


def put_new_turn(vault: Vault, turn: Turn) -> Put:
    """A turn at the end of its chat's path."""
    return vault.put(
        TURNS,
        turn,
        id=turn.id,
        parent_id=turn.chat_id,
        position=turn.depth,
        expected_version=0,
    )


def stored_new_turn(turn: Turn) -> Stored[Turn]:
    """A turn as ``put_new_turn`` has left it."""
    return Stored(id=turn.id, parent_id=turn.chat_id, position=turn.depth, version=1, value=turn)


def put_turn(vault: Vault, stored: Stored[Turn], turn: Turn) -> Put:
    """A turn that has changed, where it is: on the path or left of it."""
    return vault.put(
        TURNS,
        turn,
        id=turn.id,
        parent_id=stored.parent_id,
        position=turn.depth,
        expected_version=stored.version,
    )


def put_message(vault: Vault, message: Message, *, turn_id: str, position: int) -> Put:
    return vault.put(
        RECORDS,
        message,
        id=message.id,
        parent_id=turn_id,
        position=position,
        expected_version=None,
    )


def put_output(vault: Vault, output: ToolOutput, *, id: str) -> Put:
    return vault.put(
        OUTPUTS,
        output,
        id=id,
        parent_id=outputs_of(output.turn_id),
        position=0,
        expected_version=0,
    )


def put_event(vault: Vault, logged: LoggedEvent) -> Put:
    return vault.put(
        EVENTS,
        logged,
        id=f"{logged.turn_id}:{logged.id}",
        parent_id=logged.turn_id,
        position=logged.id.seq,
        expected_version=0,
    )


def put_run(vault: Vault, run: Run, *, chat_id: str) -> list[Change]:
    """The claim: it fails if the chat is answering already."""
    claim = vault.put(RUNS, run, id=chat_id, parent_id=TOP, position=0, expected_version=0)
    progress = Progress(open_part=None, receipt=None)
    return [
        claim,
        put_progress(vault, progress, turn_id=run.turn_id, chat_id=chat_id, expected_version=0),
        # Asked at the very moment at which the turn had to wait; it may go on now.
        vault.delete(STOPS, stop_id(run.turn_id)),
    ]


def put_progress(
    vault: Vault, progress: Progress, *, turn_id: str, chat_id: str, expected_version: int
) -> Put:
    """Fails once the run has ended, however it did."""
    return vault.put(
        PROGRESS,
        progress,
        id=turn_id,
        parent_id=chat_id,
        position=0,
        expected_version=expected_version,
    )


def put_stop(vault: Vault, request: StopRequest, *, turn_id: str, chat_id: str) -> Put:
    """A soft one fails if there is one already: it must not take the place of a hard one."""
    return vault.put(
        STOPS,
        request,
        id=stop_id(turn_id),
        parent_id=chat_id,
        position=0,
        expected_version=0 if request.is_soft else None,
    )


def end_run(vault: Vault, *, chat_id: str, turn_id: str) -> list[Change]:
    """The run and its events go together: from here on the records are the only account."""
    return [
        vault.delete(RUNS, chat_id),
        DeleteChildren(table="runs", parent_id=chat_id),
        DeleteChildren(table="events", parent_id=turn_id),
    ]


async def path_page(
    vault: Vault, chat_id: str, *, before_depth: int | None, limit: int | None
) -> PathPage:
    """The newest turns of the path, or those before a depth."""
    turns = await vault.children(
        TURNS,
        [chat_id],
        from_position=None,
        to_position=None if before_depth is None else before_depth - 1,
        newest_first=True,
        limit=limit,
    )
    contents = await contents_of(vault, list(reversed(turns.values)))
    return PathPage(turns=contents.turns, damaged=turns.damaged + contents.damaged)


async def contents_of(vault: Vault, turns: Sequence[Turn]) -> PathPage:
    if not turns:
        return PathPage(turns=(), damaged=())
    records = await vault.all_children(RECORDS, [turn.id for turn in turns])
    messages: dict[str, list[Message]] = {turn.id: [] for turn in turns}
    for record in records.items:
        messages[record.parent_id].append(record.value)
    contents = tuple(TurnContent(turn=turn, messages=tuple(messages[turn.id])) for turn in turns)
    return PathPage(turns=contents, damaged=records.damaged)
