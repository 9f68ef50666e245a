"""The way to a PostgreSQL server: its address, a pool of connections, sentences for its errors.

A connection that broke while it lay idle is never handed out, so a restarted server is noticed
only by what was on its way at that moment. The password stays in here.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.abc import ConnDict
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from windowpane.errors import BadSetting, StorageError, StoreUnreachable
from windowpane.storage.postgres_rows import Connection

T = TypeVar("T")

POOL_CONNECTIONS = 8
PATIENCE_SECONDS = 10
# A server that goes down ends its connections one after the other.
PAUSES_SECONDS = (0.05, 0.1, 0.2, 0.4)
SECRETS = ("password", "sslpassword")

# What the URL does not say. When a machine vanishes, nobody ends its connections: so we ask for
# signs of life, and give up after less than half a minute.
OURS = {
    "application_name": "windowpane",
    "client_encoding": "utf8",
    "connect_timeout": str(PATIENCE_SECONDS),
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
}


class PostgresLink:
    def __init__(self, url: str) -> None:
        self._conninfo = _conninfo(url)
        parameters = conninfo_to_dict(self._conninfo)
        self._secrets = [str(parameters[name]) for name in SECRETS if parameters.get(name)]
        self.address = _address(parameters)
        self._pool: AsyncConnectionPool[Connection] | None = None

    async def connect(self) -> Connection:
        """A connection of one's own, beside the pool."""
        return await AsyncConnection.connect(self._conninfo, autocommit=True)

    async def open(self) -> None:
        if self._pool is not None:
            return
        pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            self._conninfo,
            kwargs={"autocommit": True},
            min_size=1,
            max_size=POOL_CONNECTIONS,
            timeout=PATIENCE_SECONDS,
            reconnect_timeout=PATIENCE_SECONDS,
            open=False,
        )
        await pool.open()
        self._pool = pool

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    @asynccontextmanager
    async def lent(self) -> AsyncGenerator[Connection]:
        """A connection that works, as far as its socket knows."""
        pool = self._pool
        if pool is None:
            raise StorageError(f"The database {self.address} is closed.")
        with _cancellations_heeded():
            connection = await _working(pool)
            try:
                yield connection
            finally:
                await pool.putconn(connection)

    async def read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Asking twice harms nobody."""

        async def ask() -> T:
            async with self.lent() as connection:
                return await work(connection)

        return await self.persistently(ask)

    async def persistently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try, and try again what certainly left nothing behind; in the end, say what is wrong."""
        for pause_seconds in PAUSES_SECONDS:
            try:
                return await attempt()
            except psycopg.Error as error:
                if not _may_be_repeated(error):
                    raise self.explained(error) from error
            await asyncio.sleep(pause_seconds)
        try:
            return await attempt()
        except psycopg.Error as error:
            raise self.explained(error) from error

    def explained(self, error: psycopg.Error) -> StorageError:
        said = self._without_secrets(str(error).partition("\n")[0].strip(" ."))
        match error:
            case PoolTimeout():
                return StoreUnreachable(
                    f"PostgreSQL at {self.address} has not answered for {PATIENCE_SECONDS} "
                    "seconds. Check that it runs, then try again."
                )
            case errors.DiskFull():
                return StorageError(
                    f"The disk of PostgreSQL at {self.address} is full. Nothing of this change was "
                    "stored. Make room, then try again."
                )
            case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
                return StorageError(
                    f"PostgreSQL at {self.address} does not let Windowpane write: {said}. "
                    "Use an account that owns its schema, on a server that takes writes."
                )
            case psycopg.OperationalError():
                return StoreUnreachable(
                    f"PostgreSQL at {self.address} cannot be used now: {said}. "
                    "Check that it runs and that the database setting is right, then try again."
                )
            case _:
                return StorageError(f"PostgreSQL at {self.address} refused: {said}.")

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return text


async def until_readable(connection: Connection) -> None:
    """Costs nothing while nothing happens: the socket of an idle connection wakes us."""
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()
    descriptor = connection.fileno()
    loop.add_reader(descriptor, woken.set)
    try:
        await woken.wait()
    finally:
        loop.remove_reader(descriptor)


def _may_be_repeated(error: psycopg.Error) -> bool:
    """Two batches were in each other's way, or a connection went with what it had not committed."""
    if isinstance(error, errors.DeadlockDetected | errors.SerializationFailure):
        return True
    if isinstance(error, PoolTimeout) or not isinstance(error, psycopg.OperationalError):
        return False
    # No code: the client noticed. 57P: the server is going down or coming up. 08: the wire.
    return error.sqlstate is None or error.sqlstate.startswith(("57P", "08"))


@contextmanager
def _cancellations_heeded() -> Generator[None]:
    """Before Python 3.12 ``asyncio.wait_for``, on which psycopg waits, forgets a cancellation that
    comes in the same moment as the answer. A task that was told to stop would go on.
    """
    task = asyncio.current_task()
    assert task is not None
    requests = task.cancelling()
    try:
        yield
    finally:
        if task.cancelling() > requests:
            raise asyncio.CancelledError


async def _working(pool: AsyncConnectionPool[Connection]) -> Connection:
    while True:
        connection = await pool.getconn()
        if not _has_news(connection):
            return connection
        await connection.close()
        await pool.putconn(connection)


def _has_news(connection: Connection) -> bool:
    """A server says nothing to an idle connection, except that it hangs up."""
    if connection.closed:
        return True
    watched = select.poll()
    watched.register(connection.fileno(), select.POLLIN)
    return bool(watched.poll(0))


def _conninfo(url: str) -> str:
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # What the parser says may quote the URL, and with it the password.
        raise BadSetting(
            "The setting database is not a PostgreSQL URL. One looks like "
            "postgresql://user:password@host:5432/database; in a password, write % as %25, "
            "@ as %40 and / as %2F."
        ) from None
    parameters = {**OURS, **{name: str(value) for name, value in given.items()}}
    return make_conninfo("", **parameters)


def _address(parameters: ConnDict) -> str:
    user, host = parameters.get("user"), parameters.get("host") or "localhost"
    port, database = parameters.get("port"), parameters.get("dbname")
    return (
        "postgresql://"
        + (f"{user}@" if user else "")
        + str(host)
        + (f":{port}" if port else "")
        + (f"/{database}" if database else "")
    )
