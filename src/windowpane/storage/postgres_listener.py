"""What other processes tell this one, heard on a connection of its own.

After a restart of the server it listens again without being asked, and says that it may have
missed something. It costs nothing while nobody speaks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

import psycopg

from windowpane.storage.base import Hear
from windowpane.storage.notices import decoded
from windowpane.storage.postgres_link import until_readable
from windowpane.storage.postgres_rows import CHANNEL, Connection

logger = logging.getLogger(__name__)

RETRY_SECONDS = 0.25


class Listener:
    """``sender`` is how this process signs what it tells: it need not hear itself."""

    def __init__(
        self, hear: Hear, *, sender: str, connect: Callable[[], Awaitable[Connection]]
    ) -> None:
        self._hear = hear
        self._sender = sender
        self._connect = connect
        self._listening: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        connection = await self._connected()
        self._listening = asyncio.create_task(self._run(connection), name="windowpane-listener")

    async def end(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening

    async def _run(self, connection: Connection) -> None:
        while True:
            try:
                await self._hear_until_lost(connection)
            finally:
                await connection.close()
            logger.warning("The connection that hears other processes was lost; listening again.")
            connection = await self._connected_again()
            self._hear(None)

    async def _hear_until_lost(self, connection: Connection) -> None:
        while True:
            await until_readable(connection)
            try:
                connection.pgconn.consume_input()
            except psycopg.OperationalError:
                return
            while (told := connection.pgconn.notifies()) is not None:
                sender, notice = decoded(told.extra.decode())
                if sender != self._sender:
                    self._hear(notice)

    async def _connected_again(self) -> Connection:
        while True:
            with suppress(psycopg.OperationalError):
                return await self._connected()
            await asyncio.sleep(RETRY_SECONDS)

    async def _connected(self) -> Connection:
        connection = await self._connect()
        try:
            await connection.execute(f"LISTEN {CHANNEL}")
        except BaseException:
            await connection.close()
            raise
        return connection
