"""Bringing a PostgreSQL schema up to date: in one transaction, by one process at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from windowpane.errors import StoreUnreachable
from windowpane.storage.migrations import Migration, pending
from windowpane.storage.postgres_rows import Connection

OLDEST_SERVER = 13
# Any number will do as long as nobody else in the database uses it: these are the bytes "WPNE".
MIGRATION_LOCK = 0x57504E45


async def migrate(connection: Connection, *, migrations: Sequence[Migration]) -> None:
    await _check_server(connection)
    if not pending(migrations, version=await _version(connection)):
        return
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        version = await _version(connection)  # another process may have been faster
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS windowpane_migrations (name text PRIMARY KEY,"
            " taken_at timestamptz NOT NULL DEFAULT now())"
        )
        for step in pending(migrations, version=version):
            for statement in step.statements:
                await connection.execute(statement.encode())
            await connection.execute(
                "INSERT INTO windowpane_migrations (name) VALUES (%s)", [step.name]
            )


async def _check_server(connection: Connection) -> None:
    if connection.info.server_version < OLDEST_SERVER * 10_000:
        raise StoreUnreachable(
            f"Windowpane needs PostgreSQL {OLDEST_SERVER} or newer; this server is "
            f"{connection.info.parameter_status('server_version')}."
        )
    cursor = await connection.execute("SELECT current_schema()")
    if await cursor.fetchone() == (None,):
        raise StoreUnreachable(
            "None of the schemas in the connection's search_path exists in this database. "
            "Create one with CREATE SCHEMA, or leave search_path out of the URL."
        )


async def _version(connection: Connection) -> int:
    # Not to_regclass: a session that waited for the lock may still remember that it gave nothing.
    cursor = await connection.execute(
        "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'windowpane_migrations'"
        " AND relnamespace = current_schema()::regnamespace)"
    )
    if await cursor.fetchone() == (False,):
        return 0
    cursor = await connection.execute("SELECT count(*) FROM windowpane_migrations")
    return cast(tuple[int], await cursor.fetchone())[0]
