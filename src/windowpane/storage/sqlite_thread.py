"""The one thread that owns a SQLite connection, and the jobs that it does for an event loop.

Jobs that wait at the same time are done together: the writes among them share a transaction, in
which each still happens wholly or not at all. Knows nothing of tables.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from sqlite3 import Connection
from typing import Generic, TypeVar

from windowpane.errors import StorageError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Translate = Callable[[sqlite3.Error], StorageError]

# Bounds how long another process waits for its turn to write.
JOBS_PER_TRANSACTION = 256


class Job(Generic[T_co]):
    """Work for the thread, and the future through which its outcome comes back."""

    def __init__(self, work: Callable[[Connection], T_co], *, writes: bool) -> None:
        self.work = work
        self.writes = writes
        self.future: asyncio.Future[T_co] = asyncio.get_running_loop().create_future()
        self.error: Exception | None = None
        self._answers: list[T_co] = []

    def run(self, connection: Connection) -> None:
        """Raises only what SQLite says; any other fault in the work is for who asked for it."""
        self._answers, self.error = [], None
        try:
            self._answers.append(self.work(connection))
        except sqlite3.Error:
            raise
        except Exception as error:
            self.error = error

    def deliver(self, translate: Translate) -> None:
        """In the event loop's thread. Whoever asked may have stopped waiting meanwhile."""
        if self.future.cancelled():
            return
        if self.error is None:
            self.future.set_result(self._answers[0])
        elif isinstance(self.error, sqlite3.Error):
            self.future.set_exception(translate(self.error))
        else:
            self.future.set_exception(self.error)


class SqliteThread:
    """Started with a function that makes the connection; stopped by ``stop``, after what waits."""

    def __init__(self, connect: Callable[[], Connection], *, translate: Translate) -> None:
        self._connect = connect
        self._translate = translate
        self._queue: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._opening = Job(lambda _: None, writes=False)
        self._thread = threading.Thread(target=self._main, name="windowpane-sqlite", daemon=True)

    async def start(self) -> None:
        self._thread.start()
        try:
            await self._opening.future
        except asyncio.CancelledError:
            self._queue.put(None)
            raise

    async def do(self, work: Callable[[Connection], T], *, writes: bool) -> T:
        """A caller that is cancelled stops waiting; what it asked for is still done."""
        job = Job(work, writes=writes)
        self._queue.put(job)
        return await job.future

    async def stop(self) -> None:
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _main(self) -> None:
        try:
            connection = self._connect()
        except Exception as error:  # for whoever opens the store, whatever it is
            self._opening.error = error
            self._tell([self._opening])
            return
        _run_alone(connection, self._opening)
        self._tell([self._opening])
        while self._serve(connection):
            pass
        connection.close()

    def _serve(self, connection: Connection) -> bool:
        """Do what waits; false when the end was among it.

        All of it was asked for before any of it is answered, so writing first is as true an
        order as any other.
        """
        waiting = self._waiting()
        jobs = [job for job in waiting if job is not None]
        if writes := [job for job in jobs if job.writes]:
            write_together(connection, writes)
            self._tell(writes)
        for job in jobs:
            if not job.writes and not job.future.cancelled():
                _run_alone(connection, job)
                self._tell([job])
        return len(jobs) == len(waiting)

    def _waiting(self) -> list[Job[object] | None]:
        waiting = [self._queue.get()]
        with suppress(Empty):
            while len(waiting) < JOBS_PER_TRANSACTION:
                waiting.append(self._queue.get_nowait())
        return waiting

    def _deliver(self, jobs: Sequence[Job[object]]) -> None:
        for job in jobs:
            job.deliver(self._translate)

    def _tell(self, jobs: Sequence[Job[object]]) -> None:
        with suppress(RuntimeError):  # the event loop is gone, and with it whoever waited
            self._loop.call_soon_threadsafe(self._deliver, jobs)


def write_together(connection: Connection, jobs: Sequence[Job[object]]) -> None:
    """In one transaction; if SQLite refuses that, each in its own, to get its own answer."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        for job in jobs:
            job.error = error
        return
    try:
        for job in jobs:
            _run_in_savepoint(connection, job)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        roll_back(connection)
        if len(jobs) == 1:
            jobs[0].error = error
            return
        for job in jobs:
            write_together(connection, [job])


def roll_back(connection: Connection) -> None:
    """Some errors, a full disk among them, have ended the transaction already."""
    if connection.in_transaction:
        # If even this fails, the next transaction fails to begin, and whoever began it is told.
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def _run_in_savepoint(connection: Connection, job: Job[object]) -> None:
    connection.execute("SAVEPOINT job")
    job.run(connection)
    if job.error is not None:
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")


def _run_alone(connection: Connection, job: Job[object]) -> None:
    try:
        job.run(connection)
    except sqlite3.Error as error:
        job.error = error
