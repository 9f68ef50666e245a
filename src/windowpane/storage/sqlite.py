"""``SqliteStore``: one file, one thread, more than one process if need be."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar

from windowpane.errors import StorageError
from windowpane.storage import sqlite_file, sqlite_rows
from windowpane.storage.base import Change, Hear, Row, Table
from windowpane.storage.migrations import Migration
from windowpane.storage.process_locks import ProcessLocks
from windowpane.storage.sqlite_thread import SqliteThread
from windowpane.storage.sqlite_watch import FileWatch, foreign_writes

T = TypeVar("T")


class SqliteStore:
    def __init__(self, path: Path, *, migrations: Sequence[Migration]) -> None:
        self._path = path
        self._migrations = migrations
        self._processes = ProcessLocks(path.with_name(f"{path.name}-processes"))
        self._thread: SqliteThread | None = None
        self._watches: list[FileWatch] = []

    async def open(self) -> None:
        if self._thread is not None:
            return
        thread = SqliteThread(self._connect, translate=self._explained)
        await thread.start()
        self._thread = thread

    async def close(self) -> None:
        for watch in self._watches:
            await watch.end()
        self._watches.clear()
        thread, self._thread = self._thread, None
        if thread is not None:
            await thread.stop()
            self._processes.leave()

    async def get(self, table: Table, ids: Sequence[str]) -> list[Row]:
        return await self._read(partial(sqlite_rows.rows_with, table=table, ids=ids))

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
        return await self._read(
            partial(
                sqlite_rows.rows_below,
                table=table,
                parent_ids=parent_ids,
                from_position=from_position,
                to_position=to_position,
                newest_first=newest_first,
                limit=limit,
            )
        )

    async def child_ids(
        self, table: Table, parent_id: str, *, from_position: int | None
    ) -> list[str]:
        return await self._read(
            partial(
                sqlite_rows.ids_below,
                table=table,
                parent_id=parent_id,
                from_position=from_position,
            )
        )

    async def count(self, table: Table, parent_id: str) -> int:
        return await self._read(partial(sqlite_rows.count_below, table=table, parent_id=parent_id))

    async def parents(self, table: Table) -> list[str]:
        return await self._read(partial(sqlite_rows.parents_in, table=table))

    async def commit(self, changes: Sequence[Change]) -> None:
        apply = partial(sqlite_rows.apply, changes=tuple(changes))
        await self._running().do(apply, writes=True)

    async def next_epoch(self) -> int:
        epoch = await self._running().do(sqlite_rows.next_epoch, writes=True)
        # A commit survives the process, and only a synced log survives the power: tabs remember
        # this number, so it must not be given out twice.
        await self._read(sqlite_file.sync)
        return epoch

    async def join(self, process_id: str) -> None:
        await self._read(lambda _: self._processes.join(process_id))

    async def is_alive(self, process_id: str) -> bool:
        return await self._read(lambda _: self._processes.is_alive(process_id))

    async def listen(self, hear: Hear) -> None:
        watch = FileWatch(hear, count=lambda: self._read(foreign_writes))
        await watch.begin()
        self._watches.append(watch)

    async def size_bytes(self) -> int:
        return await self._read(lambda _: sqlite_file.size_bytes(self._path))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._running().do(work, writes=False)

    def _running(self) -> SqliteThread:
        if self._thread is None:
            raise StorageError(f"The database {self._path} is closed.")
        return self._thread

    def _connect(self) -> Connection:
        return sqlite_file.connect(self._path, migrations=self._migrations)

    def _explained(self, error: sqlite3.Error) -> StorageError:
        return sqlite_file.explained(error, path=self._path)
