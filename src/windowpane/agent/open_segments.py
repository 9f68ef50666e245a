"""Segments of the search index that are open in this process, few enough to fit.

A segment never changes, so what was opened once stays true. One that cannot be opened is named in
the log and forgotten by whoever asked for it.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import OrderedDict

from msgspec import Struct

from windowpane.errors import RecordDamaged
from windowpane.search import RECIPE, OpenSegment
from windowpane.storage.base import Row
from windowpane.storage.segments import SEGMENTS, Segment, SegmentTurns
from windowpane.storage.vault import Vault

logger = logging.getLogger(__name__)

# The index of about 200,000 turns of ordinary length.
KEPT_BYTES = 200_000_000


class Opened(Struct, frozen=True, kw_only=True):
    id: str
    turns: SegmentTurns
    index: OpenSegment
    size_bytes: int


class OpenSegments:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._known: OrderedDict[str, Opened] = OrderedDict()
        self._broken: set[str] = set()

    async def get(self, id: str) -> Opened | None:
        """None for a segment that is gone, damaged or made by another recipe."""
        if id in self._broken:
            return None
        if id not in self._known:
            rows = await self._vault.store.get(SEGMENTS.table, [id])
            opened = await asyncio.to_thread(self._opened, rows[0]) if rows else None
            if opened is None:
                return None
            self.keep(opened)
        self._known.move_to_end(id)
        return self._known[id]

    async def stored(self, id: str) -> Segment | None:
        """A segment as it was written, to grow from."""
        rows = await self._vault.store.get(SEGMENTS.table, [id])
        return await asyncio.to_thread(self._read, rows[0]) if rows else None

    def keep(self, opened: Opened) -> None:
        """Those that were not asked for longest go first; whoever holds one may use it on."""
        self._known[opened.id] = opened
        while len(self._known) > 1 and self._size_bytes > KEPT_BYTES:
            self._known.popitem(last=False)

    def give_up(self, id: str) -> None:
        """A segment that opens and does not answer counts as lost."""
        self._known.pop(id, None)
        self._broken.add(id)

    @property
    def _size_bytes(self) -> int:
        return sum(one.size_bytes for one in self._known.values())

    def _opened(self, row: Row) -> Opened | None:
        segment = self._read(row)
        if segment is None:
            return None
        try:
            return new_opened(row.id, segment)
        except sqlite3.DatabaseError as error:
            logger.warning("The search segment %s is damaged and is made anew: %s", row.id, error)
            return None

    def _read(self, row: Row) -> Segment | None:
        try:
            segment = self._vault.opened(SEGMENTS, row).value
        except RecordDamaged as damage:
            logger.warning("A search segment is made anew. %s", damage)
            return None
        return segment if segment.recipe == RECIPE else None


def new_opened(id: str, segment: Segment) -> Opened:
    """Raises ``sqlite3.DatabaseError`` where the bytes are no index."""
    return Opened(
        id=id,
        turns=segment.turns,
        index=OpenSegment(segment.index),
        size_bytes=len(segment.index),
    )
