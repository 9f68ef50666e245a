"""A store that knows what was read of it: promises about work are counted, never timed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from windowpane.storage.base import Row, Table
from windowpane.storage.memory import MemoryStore


class CountedStore(MemoryStore):
    """``rows_read`` counts the rows that were given out, by table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows_read: Counter[Table] = Counter()

    async def get(self, table: Table, ids: Sequence[str]) -> list[Row]:
        return self._counted(table, await super().get(table, ids))

    async def children(
        self,
        table: Table,
        parent_ids: Sequence[str],
        *,
        from_position: int | None,
        to_position: int | None,
        newest_first: bool,
        limit: int | None,
    ) -> list[Row]:
        rows = await super().children(
            table,
            parent_ids,
            from_position=from_position,
            to_position=to_position,
            newest_first=newest_first,
            limit=limit,
        )
        return self._counted(table, rows)

    def _counted(self, table: Table, rows: list[Row]) -> list[Row]:
        self.rows_read[table] += len(rows)
        return rows
