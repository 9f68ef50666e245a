"""``MemoryStore``: the store as dictionaries, for tests and for runs that keep nothing.

It keeps every promise of ``Store`` except one: what it holds is gone with the object.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import assert_never

from windowpane.errors import VersionConflict
from windowpane.storage.base import (
    TABLES,
    Change,
    Delete,
    DeleteChildren,
    Hear,
    Move,
    Put,
    Row,
    Table,
)


class _Rows:
    """One table: rows by id, and for each parent the places of its rows in order."""

    def __init__(self) -> None:
        self.by_id: dict[str, Row] = {}
        self.places: dict[str, list[tuple[int, str]]] = {}

    def replace(self, id: str, row: Row | None) -> Row | None:
        """Put ``row`` where ``id`` is, or nothing; the row that was there comes back."""
        before = self.by_id.pop(id, None)
        if before is not None:
            places = self.places[before.parent_id]
            places.pop(bisect_left(places, (before.position, id)))
            if not places:
                del self.places[before.parent_id]
        if row is not None:
            self.by_id[id] = row
            insort(self.places.setdefault(row.parent_id, []), (row.position, id))
        return before

    def below(
        self, parent_id: str, *, from_position: int | None, to_position: int | None
    ) -> list[Row]:
        places = self.places.get(parent_id, [])
        start, end = 0, len(places)
        if from_position is not None:
            start = bisect_left(places, from_position, key=_position)
        if to_position is not None:
            end = bisect_right(places, to_position, key=_position)
        return [self.by_id[id] for _, id in places[start:end]]


class MemoryStore:
    def __init__(self) -> None:
        self._tables: dict[Table, _Rows] = {table: _Rows() for table in TABLES}
        self._epoch = 0
        self._living: set[str] = set()

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        self._living.clear()

    async def get(self, table: Table, ids: Sequence[str]) -> list[Row]:
        by_id = self._tables[table].by_id
        return [by_id[id] for id in ids if id in by_id]

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
        def every() -> Iterator[Row]:
            for parent_id in sorted(set(parent_ids)):
                rows = self._tables[table].below(
                    parent_id, from_position=from_position, to_position=to_position
                )
                yield from reversed(rows) if newest_first else rows

        return list(islice(every(), limit))

    async def child_ids(
        self, table: Table, parent_id: str, *, from_position: int | None
    ) -> list[str]:
        rows = self._tables[table].below(parent_id, from_position=from_position, to_position=None)
        return [row.id for row in rows]

    async def count(self, table: Table, parent_id: str) -> int:
        return len(self._tables[table].places.get(parent_id, ()))

    async def parents(self, table: Table) -> list[str]:
        return sorted(self._tables[table].places)

    async def commit(self, changes: Sequence[Change]) -> None:
        batch = _Batch(self._tables, written_at=datetime.now(UTC))
        try:
            for change in changes:
                batch.apply(change)
        except VersionConflict:
            batch.undo()
            raise

    async def next_epoch(self) -> int:
        self._epoch += 1
        return self._epoch

    async def join(self, process_id: str) -> None:
        self._living.add(process_id)

    async def is_alive(self, process_id: str) -> bool:
        return process_id in self._living

    async def listen(self, hear: Hear) -> None:
        """Nobody else can write here."""

    async def size_bytes(self) -> int:
        return sum(len(r.sealed) for rows in self._tables.values() for r in rows.by_id.values())


class _Batch:
    """Changes being applied, with what they replaced, so that all of them can be taken back."""

    def __init__(self, tables: dict[Table, _Rows], *, written_at: datetime) -> None:
        self._tables = tables
        self._written_at = written_at
        self._replaced: list[tuple[Table, str, Row | None]] = []

    def apply(self, change: Change) -> None:
        match change:
            case Put():
                self._put(change)
            case Move(table=table, ids=ids, to_parent_id=parent_id):
                for id in dict.fromkeys(ids):
                    self._move(table, id, parent_id)
            case Delete(table=table, id=id, expected_version=expected):
                self._check(table, id, expected)
                self._replace(table, id, None)
            case DeleteChildren(table=table, parent_id=parent_id):
                for _, id in tuple(self._tables[table].places.get(parent_id, ())):
                    self._replace(table, id, None)
            case _:
                assert_never(change)

    def undo(self) -> None:
        for table, id, row in reversed(self._replaced):
            self._tables[table].replace(id, row)

    def _put(self, put: Put) -> None:
        self._check(put.table, put.id, put.expected_version)
        row = Row(
            id=put.id,
            parent_id=put.parent_id,
            position=put.position,
            written_at=self._written_at,
            version=self._version(put.table, put.id) + 1,
            sealed=put.sealed,
        )
        self._replace(put.table, put.id, row)

    def _move(self, table: Table, id: str, parent_id: str) -> None:
        row = self._tables[table].by_id.get(id)
        if row is None:
            raise VersionConflict(table=table, id=id)
        moved = Row(
            id=id,
            parent_id=parent_id,
            position=row.position,
            written_at=self._written_at,
            version=row.version + 1,
            sealed=row.sealed,
        )
        self._replace(table, id, moved)

    def _check(self, table: Table, id: str, expected_version: int | None) -> None:
        if expected_version is not None and self._version(table, id) != expected_version:
            raise VersionConflict(table=table, id=id)

    def _version(self, table: Table, id: str) -> int:
        """A row that does not exist has been written no times."""
        row = self._tables[table].by_id.get(id)
        return row.version if row else 0

    def _replace(self, table: Table, id: str, row: Row | None) -> None:
        self._replaced.append((table, id, self._tables[table].replace(id, row)))


def _position(place: tuple[int, str]) -> int:
    return place[0]
