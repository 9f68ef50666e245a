"""``PostgresStore``: the store for more than one process or machine.

What was on its way when the server went is read again, or written again if nothing of it had
been committed: which of the two it was, the server is asked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import psycopg

from windowpane.errors import StoreUnreachable, VersionConflict
from windowpane.ids import new_id
from windowpane.storage import postgres_rows
from windowpane.storage.base import Change, Hear, Row, Table
from windowpane.storage.migrations import Migration
from windowpane.storage.postgres_claim import Claim, lock_key
from windowpane.storage.postgres_link import PostgresLink
from windowpane.storage.postgres_listener import Listener
from windowpane.storage.postgres_schema import migrate

STATUS_PATIENCE_SECONDS = 30.0
STATUS_PAUSE_SECONDS = 0.05
# How long a process may be silent before it is taken for dead.
SILENT_SECONDS = 2.0


class PostgresStore:
    def __init__(self, url: str, *, migrations: Sequence[Migration]) -> None:
        self._link = PostgresLink(url)
        self._migrations = migrations
        self._claims: dict[str, Claim] = {}
        self._sender = new_id("process")
        self._listeners: list[Listener] = []
        self._dead: set[str] = set()

    async def open(self) -> None:
        try:
            async with await self._link.connect() as connection:
                await migrate(connection, migrations=self._migrations)
        except psycopg.Error as error:
            raise self._link.explained(error) from error
        await self._link.open()

    async def close(self) -> None:
        for listener in self._listeners:
            await listener.end()
        self._listeners.clear()
        for claim in self._claims.values():
            await claim.drop()
        self._claims.clear()
        await self._link.close()

    async def get(self, table: Table, ids: Sequence[str]) -> list[Row]:
        return await self._link.read(partial(postgres_rows.rows_with, table=table, ids=ids))

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
        return await self._link.read(
            partial(
                postgres_rows.rows_below,
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
        return await self._link.read(
            partial(
                postgres_rows.ids_below,
                table=table,
                parent_id=parent_id,
                from_position=from_position,
            )
        )

    async def count(self, table: Table, parent_id: str) -> int:
        counted = partial(postgres_rows.count_below, table=table, parent_id=parent_id)
        return await self._link.read(counted)

    async def parents(self, table: Table) -> list[str]:
        return await self._link.read(partial(postgres_rows.parents_in, table=table))

    async def commit(self, changes: Sequence[Change]) -> None:
        await self._link.persistently(partial(self._commit_once, changes))

    async def next_epoch(self) -> int:
        # A number that got lost on the way was given to nobody, so asking again is safe.
        return await self._link.read(postgres_rows.next_epoch)

    async def join(self, process_id: str) -> None:
        if process_id in self._claims:
            return
        self._dead.discard(process_id)
        claim = Claim(process_id, connect=self._link.connect)
        try:
            await claim.make()
        except psycopg.Error as error:
            raise self._link.explained(error) from error
        self._claims[process_id] = claim

    async def is_alive(self, process_id: str) -> bool:
        """Whether somebody holds the process's lock, or takes it again before long.

        After a restart of PostgreSQL every process has to say anew that it lives, and the quickest
        must not take the turns and the money of the others for abandoned.
        """
        is_locked = partial(postgres_rows.is_locked, key=lock_key(process_id))
        silent_until = time.monotonic() + SILENT_SECONDS
        while process_id not in self._dead:
            if await self._link.read(is_locked):
                return True
            if time.monotonic() >= silent_until:
                self._dead.add(process_id)
            else:
                await asyncio.sleep(SILENT_SECONDS / 10)
        return False

    async def listen(self, hear: Hear) -> None:
        listener = Listener(hear, sender=self._sender, connect=self._link.connect)
        try:
            await listener.begin()
        except psycopg.Error as error:
            raise self._link.explained(error) from error
        self._listeners.append(listener)

    async def size_bytes(self) -> int:
        return await self._link.read(postgres_rows.size_bytes)

    async def _commit_once(self, changes: Sequence[Change]) -> None:
        """Raises psycopg's errors only when nothing was committed."""
        async with self._link.lent() as connection:
            try:
                transaction_id = await postgres_rows.begin(
                    connection, changes=changes, sender=self._sender
                )
            except (VersionConflict, psycopg.Error):
                if not connection.closed:
                    await connection.rollback()
                raise
            try:
                await connection.execute("COMMIT")
                return
            except psycopg.OperationalError as error:
                failure = error
        if not await self._was_committed(transaction_id):
            raise failure

    async def _was_committed(self, transaction_id: str) -> bool:
        ask = partial(postgres_rows.was_committed, transaction_id=transaction_id)
        deadline = time.monotonic() + STATUS_PATIENCE_SECONDS
        while time.monotonic() < deadline:
            with suppress(StoreUnreachable):
                known = await self._link.read(ask)
                if known is not None:
                    return known
            await asyncio.sleep(STATUS_PAUSE_SECONDS)
        raise StoreUnreachable(
            f"PostgreSQL at {self._link.address} went away while it was storing a change, and "
            "cannot say whether it did. Reload to see what is there."
        )
