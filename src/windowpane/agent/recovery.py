"""Turns that nobody answers any more: read from what they left and closed as interrupted.

Whoever notices first closes one; for everybody else nothing is left to do.
"""

from __future__ import annotations

import logging
from datetime import datetime

from msgspec import structs

from windowpane.agent.accounts import receipt_rows
from windowpane.agent.budgets import given_back, place_of
from windowpane.agent.fold import Unfinished
from windowpane.agent.results import with_message
from windowpane.agent.waiting import waiting_head
from windowpane.errors import ChatBusy, NotFound, RecordDamaged, ToolsWaiting, VersionConflict
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.projects import Chat
from windowpane.storage.base import Change, Delete
from windowpane.storage.history import end_run, put_message, put_turn
from windowpane.storage.shelves import (
    EVENTS,
    PROGRESS,
    RECORDS,
    RUNS,
    TOP,
    TURNS,
    Progress,
    Run,
)
from windowpane.storage.vault import Stored, Vault

logger = logging.getLogger(__name__)

NO_PROGRESS = Progress(open_part=None, receipt=None)


async def interrupt(vault: Vault, stored: Stored[Run], *, at: datetime) -> bool:
    """Close a turn with the text and the account that it left; false if somebody else has done so.

    The chat is usable at once.
    """
    turn_id, chat_id = stored.value.turn_id, stored.id
    version = await vault.version(PROGRESS, turn_id)
    if version == 0:
        return False
    progress = await _progress(vault, turn_id)
    changes: list[Change] = [
        # A process that lives after all has written meanwhile, and this must not cut its text.
        Delete(table="runs", id=turn_id, expected_version=version),
        *await _closing(vault, turn_id, progress, at=at),
        *_accounted(vault, progress, at=at),
        *end_run(vault, chat_id=chat_id, turn_id=turn_id),
    ]
    try:
        await vault.commit(changes)
    except VersionConflict:
        return False
    return True


async def _progress(vault: Vault, turn_id: str) -> Progress:
    try:
        progress = await vault.find(PROGRESS, turn_id)
    except RecordDamaged as error:
        logger.warning("The last words of a turn are lost: %s", error)
        return NO_PROGRESS
    return NO_PROGRESS if progress is None else progress.value


async def _closing(vault: Vault, turn_id: str, progress: Progress, *, at: datetime) -> list[Change]:
    try:
        before = await vault.get(TURNS, turn_id)
    except (NotFound, RecordDamaged) as error:
        logger.warning("A turn was left unfinished and cannot be closed: %s", error)
        return []
    unfinished = Unfinished(
        turn=before.value, messages=(await vault.all_children(RECORDS, [turn_id])).values
    )
    for logged in (await vault.all_children(EVENTS, [turn_id])).values:
        unfinished.add(logged.event)
    if progress.open_part is not None:
        unfinished.draft.add_open(progress.open_part)
    turn = structs.replace(before.value, state="interrupted", ended_at=at)
    changes: list[Change] = [put_turn(vault, before, turn)]
    if message := _left_behind(unfinished, at=at):
        position = len(with_message(unfinished.messages, message)) - 1
        changes.append(put_message(vault, message, turn_id=turn_id, position=position))
    return changes


def _left_behind(unfinished: Unfinished, *, at: datetime) -> Message | None:
    """What was being written, or the results of those calls that had ended.

    Nobody knows how far the other calls came, so they stay without a result, and are not sent.
    """
    if not unfinished.draft.is_empty:
        return unfinished.draft.message(
            id=new_id("record"), model=unfinished.turn.model, at=at, finish="error"
        )
    if not unfinished.messages:  # those that asked for the calls cannot be opened
        return None
    return unfinished.answered(id=new_id("record"), at=at)


def _accounted(vault: Vault, progress: Progress, *, at: datetime) -> list[Change]:
    """The request on its way: what it used is spent, what was set aside for it is free again."""
    if progress.receipt is None:
        return []
    return [
        *receipt_rows(vault, progress.receipt, at=at),
        *given_back(vault, place_of(progress.receipt), progress.receipt.id),
    ]


async def interrupt_if_dead(vault: Vault, stored: Stored[Run], *, at: datetime) -> bool:
    """False only if the turn is still being answered."""
    if await vault.store.is_alive(stored.value.process_id):
        return False
    await interrupt(vault, stored, at=at)
    return True


async def ensure_idle(vault: Vault, chat: Chat, *, at: datetime) -> None:
    """Raises if a chat is answering or waits for a person; a dead process's answer is closed first.

    To be called after the chat was read: whoever begins to answer it from then on changes it.
    """
    run = await vault.find(RUNS, chat.id)
    if run is not None and not await interrupt_if_dead(vault, run, at=at):
        raise ChatBusy
    if await waiting_head(vault, chat) is not None:
        raise ToolsWaiting


async def interrupt_all_dead(vault: Vault, *, at: datetime) -> None:
    for stored in (await vault.all_children(RUNS, [TOP])).items:
        await interrupt_if_dead(vault, stored, at=at)
