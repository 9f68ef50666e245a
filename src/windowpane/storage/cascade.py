"""What goes with a turn, a chat or a project: the tables below each, batch by batch.

A batch is bounded, so that a large chat does not hold the database up, and every batch may be
repeated: whoever was interrupted begins again. Usage events go with nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from windowpane.storage.base import Change, DeleteChildren, Table
from windowpane.storage.shelves import (
    RUNS,
    TOMBSTONES,
    TURNS,
    chat_ledger_id,
    deleted_of,
    left_of,
    outputs_of,
    project_ledger_id,
    reservations_of,
    topics_changed_id,
)
from windowpane.storage.turn_pages import delete_pages
from windowpane.storage.vault import Vault

# What a turn says or was about to say; its receipts say what it cost.
WORDS_BELOW_TURN: tuple[Table, ...] = ("records", "events", "drafts")
BELOW_TURN: tuple[Table, ...] = (*WORDS_BELOW_TURN, "receipts")
# Special records lie below the chat itself.
BELOW_CHAT: tuple[Table, ...] = ("records", "texts", "drafts", "tombstones", "runs")
BELOW_PROJECT: tuple[Table, ...] = ("chats", "topics", "views", "drafts", "segments")
BATCH_TURNS = 200


async def chat_batches(vault: Vault, chat_id: str) -> AsyncGenerator[list[Change], None]:
    """Everything below a chat; its own row is the caller's affair."""
    parents = (chat_id, left_of(chat_id), deleted_of(chat_id))
    turn_ids = [id for parent in parents for id in await vault.child_ids(TURNS, parent)]
    # A buried turn has its receipts still.
    turn_ids += await vault.child_ids(TOMBSTONES, chat_id)
    for start in range(0, len(turn_ids), BATCH_TURNS):
        some = turn_ids[start : start + BATCH_TURNS]
        yield [
            *_below(BELOW_TURN, some),
            *_below(("records",), [outputs_of(id) for id in some]),
            *(vault.delete(TURNS, id) for id in some),
        ]
    yield [
        *_below(BELOW_CHAT, [chat_id]),
        *delete_pages(chat_id),
        *_ledger(chat_ledger_id(chat_id)),
        vault.delete(RUNS, chat_id),
    ]


def without_words(turn_id: str) -> list[Change]:
    """Of a turn that is buried: what it said goes, what it cost stays."""
    return [*_below(WORDS_BELOW_TURN, [turn_id]), *_below(("records",), [outputs_of(turn_id)])]


async def project_batches(
    vault: Vault, project_id: str, chat_ids: Sequence[str]
) -> AsyncGenerator[list[Change], None]:
    for chat_id in chat_ids:
        async for batch in chat_batches(vault, chat_id):
            yield batch
    yield [
        *_below(BELOW_PROJECT, [project_id]),
        *_below(("topics",), [topics_changed_id(project_id)]),
        *_ledger(project_ledger_id(project_id)),
    ]


def _ledger(id: str) -> list[Change]:
    return _below(("ledgers",), [id, reservations_of(id)])


def _below(tables: Sequence[Table], parent_ids: Sequence[str]) -> list[Change]:
    return [
        DeleteChildren(table=table, parent_id=parent_id)
        for parent_id in parent_ids
        for table in tables
    ]
