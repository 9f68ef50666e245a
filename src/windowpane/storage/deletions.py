"""Deletions as rows: what can still come back, and what is left when it cannot."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

import msgspec

from windowpane.deletions import Deletion, Tombstone
from windowpane.storage.base import Delete, Put
from windowpane.storage.shelves import DELETIONS, DUE, TOMBSTONES, micros
from windowpane.storage.vault import Listing, Vault
from windowpane.turns import TurnContent

# Written once when something is deleted; written again only to say that it is final.
PENDING_VERSION = 1


def put_deletion(vault: Vault, deletion: Deletion) -> Put:
    return vault.put(
        DELETIONS,
        deletion,
        id=deletion.id,
        parent_id=DUE,
        position=micros(deletion.due_at),
        expected_version=PENDING_VERSION if deletion.is_final else 0,
    )


def put_unfinished(vault: Vault, deletion: Deletion) -> Put:
    """Of something that is still being made: whoever makes it takes this back with the last batch.

    Such a one is final from the beginning, so that nobody is offered to undo it.
    """
    return vault.put(
        DELETIONS,
        deletion,
        id=deletion.id,
        parent_id=DUE,
        position=micros(deletion.due_at),
        expected_version=0,
    )


def take_back(deletion: Deletion) -> Delete:
    """Fails if it is final by now: only one of undoing and carrying out can happen."""
    return Delete(table="tombstones", id=deletion.id, expected_version=PENDING_VERSION)


def finish(vault: Vault, deletion: Deletion) -> Delete:
    return vault.delete(DELETIONS, deletion.id)


async def deletions_until(vault: Vault, at: datetime | None) -> Listing[Deletion]:
    """Those that can no longer be undone at a moment, or all, the oldest first."""
    return await vault.children(
        DELETIONS,
        [DUE],
        from_position=None,
        to_position=None if at is None else micros(at),
        newest_first=False,
        limit=None,
    )


def put_tombstone(vault: Vault, content: TurnContent, *, deleted_at: datetime) -> Put:
    turn = content.turn
    stone = Tombstone(
        id=turn.id,
        chat_id=turn.chat_id,
        parent_id=turn.parent_id,
        depth=turn.depth,
        content_sha256=sha256(msgspec.msgpack.encode(content.messages)).hexdigest(),
        created_at=turn.created_at,
        deleted_at=deleted_at,
        raw_tokens=turn.digest.raw_tokens if turn.digest else None,
    )
    return vault.put(
        TOMBSTONES,
        stone,
        id=turn.id,
        parent_id=turn.chat_id,
        position=turn.depth,
        expected_version=None,
    )
