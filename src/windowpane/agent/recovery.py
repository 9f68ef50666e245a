"""Turns whose process died: read from their log and closed as interrupted, text kept.

The same reading serves to show a turn that another process is answering now.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import structs

from windowpane.agent.accounts import receipt_rows
from windowpane.agent.fold import Unfinished
from windowpane.errors import ChatBusy
from windowpane.ids import new_id
from windowpane.storage.base import Change
from windowpane.storage.history import end_run, put_message, put_turn
from windowpane.storage.shelves import EVENTS, RECORDS, RUNS, TOP, TURNS, Run
from windowpane.storage.vault import Stored, Vault


async def read_unfinished(vault: Vault, run: Run) -> Unfinished:
    turn = (await vault.get(TURNS, run.turn_id)).value
    records = await vault.all_children(RECORDS, [run.turn_id])
    unfinished = Unfinished(turn=turn, messages=records.values)
    for logged in (await vault.all_children(EVENTS, [run.turn_id])).values:
        unfinished.draft.add(logged.event)
    return unfinished


async def interrupt(vault: Vault, stored: Stored[Run], *, at: datetime) -> None:
    """Close a dead process's turn; the chat is usable at once."""
    run, chat_id = stored.value, stored.id
    unfinished = await read_unfinished(vault, run)
    if run.open_part is not None:
        unfinished.draft.add_open(run.open_part)
    changes: list[Change] = []
    if not unfinished.draft.is_empty:
        message = unfinished.draft.message(
            id=new_id("record"), model=unfinished.turn.model, at=at, finish="error"
        )
        position = len(unfinished.messages)
        changes.append(put_message(vault, message, turn_id=run.turn_id, position=position))
    before = await vault.get(TURNS, run.turn_id)
    turn = structs.replace(before.value, state="interrupted", ended_at=at)
    changes.append(put_turn(vault, before, turn))
    if run.receipt is not None:
        changes.extend(receipt_rows(vault, run.receipt, at=at))
    changes.extend(end_run(vault, chat_id=chat_id, turn_id=run.turn_id))
    await vault.commit(changes)


async def interrupt_if_dead(vault: Vault, stored: Stored[Run], *, at: datetime) -> bool:
    if await vault.store.is_alive(stored.value.process_id):
        return False
    await interrupt(vault, stored, at=at)
    return True


async def ensure_idle(vault: Vault, chat_id: str, *, at: datetime) -> None:
    """Raises ``ChatBusy`` while a chat is answering; a dead process's answer is closed first."""
    run = await vault.find(RUNS, chat_id)
    if run is not None and not await interrupt_if_dead(vault, run, at=at):
        raise ChatBusy


async def interrupt_all_dead(vault: Vault, *, at: datetime) -> int:
    runs = await vault.all_children(RUNS, [TOP])
    closed = [await interrupt_if_dead(vault, stored, at=at) for stored in runs.items]
    return sum(closed)
