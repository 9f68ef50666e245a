"""Turns read for the search index: opened in a thread, so that answers in progress do not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from windowpane.messages import Message
from windowpane.storage.base import Row
from windowpane.storage.shelves import RECORDS, TURNS
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent

# Rows read at once: a long first reading can be given up between two such pieces.
TURNS_AT_ONCE = 100


class ReadTurn(Struct, frozen=True, kw_only=True):
    """A turn as it is stored: ``parent_id`` is its row's, which tells whether it was left."""

    content: TurnContent
    parent_id: str


class ReadTurns(Struct, frozen=True, kw_only=True):
    """Turns that could be opened, by id, and the ids of those that are there and could not.

    ``size_bytes`` is what they take in the store.
    """

    turns: dict[str, ReadTurn]
    damaged_ids: tuple[str, ...]
    size_bytes: int


async def read_turns(vault: Vault, ids: Sequence[str]) -> ReadTurns:
    pieces = [
        await read_piece(vault, ids[start : start + TURNS_AT_ONCE])
        for start in range(0, len(ids), TURNS_AT_ONCE)
    ]
    return ReadTurns(
        turns={id: turn for piece in pieces for id, turn in piece.turns.items()},
        damaged_ids=tuple(id for piece in pieces for id in piece.damaged_ids),
        size_bytes=sum(piece.size_bytes for piece in pieces),
    )


async def read_piece(vault: Vault, ids: Sequence[str]) -> ReadTurns:
    """A few turns, in two reads of the store."""
    rows = await vault.store.get(TURNS.table, ids)
    records = await vault.store.children(
        RECORDS.table,
        ids,
        from_position=None,
        to_position=None,
        newest_first=False,
        limit=None,
    )
    return await asyncio.to_thread(_opened, vault, rows, records)


def _opened(vault: Vault, rows: Sequence[Row], records: Sequence[Row]) -> ReadTurns:
    """A message that cannot be opened is left out of its turn."""
    listing = vault.listing(TURNS, rows)
    messages: dict[str, list[Message]] = {row.id: [] for row in rows}
    for record in vault.listing(RECORDS, records).items:
        messages.setdefault(record.parent_id, []).append(record.value)
    turns = {
        item.id: ReadTurn(
            content=TurnContent(turn=item.value, messages=tuple(messages[item.id])),
            parent_id=item.parent_id,
        )
        for item in listing.items
    }
    return ReadTurns(
        turns=turns,
        damaged_ids=tuple(damage.id for damage in listing.damaged),
        size_bytes=sum(len(row.sealed) for row in (*rows, *records)),
    )
