"""Whether another process has written to a SQLite file, asked again and again.

SQLite calls nobody, but it counts: the answer costs microseconds, and the pace is that of
answers being written to disk, so a reader elsewhere is half a second behind at the most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from sqlite3 import Connection
from typing import cast

from windowpane.errors import StorageError
from windowpane.storage.base import Hear

LOOK_SECONDS = 0.25


def foreign_writes(connection: Connection) -> int:
    """A number that changes with every commit of another connection, and with none of ours."""
    return cast(tuple[int], connection.execute("PRAGMA data_version").fetchone())[0]


class FileWatch:
    def __init__(self, hear: Hear, *, count: Callable[[], Awaitable[int]]) -> None:
        self._hear = hear
        self._count = count
        self._watching: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        known = await self._count()
        self._watching = asyncio.create_task(self._run(known), name="windowpane-file-watch")

    async def end(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching

    async def _run(self, known: int) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(StorageError):  # whoever needs the file now is told why it fails
                count = await self._count()
                if count != known:
                    known = count
                    self._hear(None)
