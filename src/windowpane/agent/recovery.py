"""Turns that nobody answers any more: read from what they left and closed as interrupted.

Whoever notices first closes one; for everybody else nothing is left to do.
"""

from __future__ import annotations

import logging
from datetime import datetime

from msgspec import structs

from windowpane.agent.fold import Unfinished
from windowpane.errors import NotFound, RecordDamaged, VersionConflict
from windowpane.ids import new_id
from windowpane.storage.base import Change, Delete
from windowpane.storage.history import end_run, put_message, put_turn
from windowpane.storage.shelves import EVENTS, PROGRESS, RECORDS, RUNS, TOP, TURNS, Run
from windowpane.storage.vault import Stored, Vault

logger = logging.getLogger(__name__)


async def interrupt(vault: Vault, stored: Stored[Run], *, at: datetime) -> bool:
    """Close a turn with the text that it left; false if somebody else has done so.

    The chat is usable at once.
    """
    turn_id, chat_id = stored.value.turn_id, stored.id
    version = await vault.version(PROGRESS, turn_id)
    if version == 0:
        return False
    changes: list[Change] = [
        # A process that lives after all has written meanwhile, and this must not cut its text.
        Delete(table="runs", id=turn_id, expected_version=version),
        *await _closing(vault, turn_id, at=at),
        *end_run(vault, chat_id=chat_id, turn_id=turn_id),
    ]
    try:
        await vault.commit(changes)
    except VersionConflict:
        return False
    return True


async def _closing(vault: Vault, turn_id: str, *, at: datetime) -> list[Change]:
    try:
        before = await vault.get(TURNS, turn_id)
    except (NotFound, RecordDamaged) as error:
        logger.warning("A turn was left unfinished and cannot be closed: %s", error)
        return []
    unfinished = Unfinished(
        turn=before.value, messages=(await vault.all_children(RECORDS, [turn_id])).values
    )
    for logged in (await vault.all_children(EVENTS, [turn_id])).values:
        unfinished.draft.add(logged.event)
    await _add_open(vault, unfinished)
    turn = structs.replace(before.value, state="interrupted", ended_at=at)
    changes: list[Change] = [put_turn(vault, before, turn)]
    if not unfinished.draft.is_empty:
        message = unfinished.draft.message(
            id=new_id("record"), model=turn.model, at=at, finish="error"
        )
        position = len(unfinished.messages)
        changes.append(put_message(vault, message, turn_id=turn_id, position=position))
    return changes


async def _add_open(vault: Vault, unfinished: Unfinished) -> None:
    try:
        progress = await vault.find(PROGRESS, unfinished.turn.id)
    except RecordDamaged as error:
        logger.warning("The last words of a turn are lost: %s", error)
        return
    if progress is not None and progress.value.open_part is not None:
        unfinished.draft.add_open(progress.value.open_part)


async def interrupt_if_dead(vault: Vault, stored: Stored[Run], *, at: datetime) -> bool:
    """False only if the turn is still being answered."""
    if await vault.store.is_alive(stored.value.process_id):
        return False
    await interrupt(vault, stored, at=at)
    return True


async def interrupt_all_dead(vault: Vault, *, at: datetime) -> None:
    for stored in (await vault.all_children(RUNS, [TOP])).items:
        await interrupt_if_dead(vault, stored, at=at)
