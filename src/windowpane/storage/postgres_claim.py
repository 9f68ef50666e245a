"""A process's claim to be alive, held as a session lock on a connection of its own.

The server lets go of it when the connection ends, and the kernel ends the connection when the
process dies. After a restart of the server the claim is made again without being asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import blake2b
from typing import cast

import psycopg

from windowpane.errors import StorageError
from windowpane.storage.postgres_link import until_readable
from windowpane.storage.postgres_rows import Connection

logger = logging.getLogger(__name__)

ATTEMPTS = 200
PAUSE_SECONDS = 0.005
RETRY_SECONDS = 0.25

# When our machine vanishes, nobody ends the connection: so the server asks for signs of life, and
# gives up after less than half a minute.
KEEPALIVE = (
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
)


def lock_key(process_id: str) -> int:
    """64 bits, signed, as the server's locks are named."""
    digest = blake2b(process_id.encode(), digest_size=8, person=b"windowpane claim").digest()
    return int.from_bytes(digest, "big", signed=True)


class Claim:
    def __init__(self, process_id: str, *, connect: Callable[[], Awaitable[Connection]]) -> None:
        self._process_id = process_id
        self._connect = connect
        self._holding: asyncio.Task[None] | None = None

    async def make(self) -> None:
        connection = await self._locked()
        self._holding = asyncio.create_task(self._hold(connection), name="windowpane-claim")

    async def drop(self) -> None:
        if self._holding is not None:
            self._holding.cancel()
            with suppress(asyncio.CancelledError):
                await self._holding

    async def _hold(self, connection: Connection) -> None:
        while True:
            try:
                await _until_lost(connection)
            finally:
                await _release(connection)
            logger.warning("The connection that says this process lives was lost; claiming again.")
            connection = await self._locked_again()

    async def _locked_again(self) -> Connection:
        while True:
            with suppress(psycopg.OperationalError, StorageError):
                return await self._locked()
            await asyncio.sleep(RETRY_SECONDS)

    async def _locked(self) -> Connection:
        """Somebody who looks whether we live holds the lock for a moment, so try again."""
        connection = await self._connect()
        try:
            for statement in KEEPALIVE:
                await connection.execute(statement)
            for _ in range(ATTEMPTS):
                if await _try_lock(connection, key=lock_key(self._process_id)):
                    return connection
                await asyncio.sleep(PAUSE_SECONDS)
            raise StorageError(f"Another process lives under the same id: {self._process_id}.")
        except BaseException:
            await connection.close()
            raise


async def _try_lock(connection: Connection, *, key: int) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", [key])
    return cast(tuple[bool], await cursor.fetchone())[0]


async def _release(connection: Connection) -> None:
    """Says so: the server sees the end of a connection a moment later than we do."""
    with suppress(psycopg.Error):
        await connection.execute("SELECT pg_advisory_unlock_all()")
    await connection.close()


async def _until_lost(connection: Connection) -> None:
    while True:
        await until_readable(connection)
        try:
            await connection.execute("SELECT 1")
        except psycopg.OperationalError:
            return
