"""A walk through everything in a vault: how much there is, and what cannot be opened.

Caches are left out: one that cannot be opened is made anew by whoever needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from windowpane.cli.report import Contents
from windowpane.errors import RecordDamaged
from windowpane.storage.shelves import (
    CHATS,
    DEFINITIONS,
    DRAFTS,
    EVENTS,
    OUTPUTS,
    PREFERENCES,
    PROJECTS,
    RECEIPTS,
    RECORDS,
    RUNS,
    SPECIALS,
    TEXTS,
    TOMBSTONES,
    TOP,
    TOPICS,
    TURNS,
    USAGE,
    VIEWS,
    left_of,
    outputs_of,
)
from windowpane.storage.vault import Shelf, Vault

T = TypeVar("T")

# So many turns are read at once: enough to be quick, few enough for little memory.
TURNS_AT_ONCE = 500


class Walk:
    """Goes by ids, which are readable also where what they name is not."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._damaged: list[str] = []

    async def contents(self) -> Contents:
        await self._below(DEFINITIONS, [TOP])
        await self._below(PREFERENCES, [TOP])
        await self._below(RUNS, [TOP])
        projects = await self._below(PROJECTS, [TOP])
        await self._below(TOPICS, projects)
        await self._below(VIEWS, projects)
        await self._below(DRAFTS, projects)
        await self._below(USAGE, await self._vault.store.parents("usage"))
        chats = await self._below(CHATS, projects)
        turns = sum([await self._chat(chat_id) for chat_id in chats])
        return Contents(
            projects=len(projects), chats=len(chats), turns=turns, damaged=self._damaged
        )

    async def _chat(self, chat_id: str) -> int:
        await self._below(SPECIALS, [chat_id])
        await self._below(TEXTS, [chat_id])
        await self._below(DRAFTS, [chat_id])
        await self._below(TOMBSTONES, [chat_id])
        turns = await self._below(TURNS, [chat_id, left_of(chat_id)])
        for start in range(0, len(turns), TURNS_AT_ONCE):
            some = turns[start : start + TURNS_AT_ONCE]
            await self._below(RECORDS, some)
            await self._below(EVENTS, some)
            await self._below(RECEIPTS, some)
            await self._below(DRAFTS, some)
            await self._below(OUTPUTS, [outputs_of(turn_id) for turn_id in some])
        return len(turns)

    async def _below(self, shelf: Shelf[T], parent_ids: Sequence[str]) -> list[str]:
        """The ids of what lies there, each having been opened."""
        if not parent_ids:
            return []
        rows = await self._vault.store.children(
            shelf.table,
            parent_ids,
            from_position=None,
            to_position=None,
            newest_first=False,
            limit=None,
        )
        for row in rows:
            try:
                self._vault.opened(shelf, row)
            except RecordDamaged as damage:
                self._damaged.append(str(damage))
        return [row.id for row in rows]
