"""Which store a ``database`` setting means."""

from __future__ import annotations

from pathlib import Path

from windowpane.errors import BadSetting
from windowpane.storage.base import Store
from windowpane.storage.memory import MemoryStore
from windowpane.storage.migrations import POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS
from windowpane.storage.sqlite import SqliteStore

POSTGRES_PREFIXES = ("postgresql://", "postgres://")


def store_from(database: str) -> Store:
    """A PostgreSQL URL, ``memory:``, or the path of a file."""
    if database.startswith(POSTGRES_PREFIXES):
        # Importing psycopg takes longer than everything else that storage needs together.
        from windowpane.storage.postgres import PostgresStore

        return PostgresStore(database, migrations=POSTGRES_MIGRATIONS)
    if database == "memory:":
        return MemoryStore()
    path = Path(database).expanduser()
    if not path.name or "://" in database:
        raise BadSetting(
            "The setting database is neither a PostgreSQL URL (postgresql://…) nor the path of a "
            "file nor memory:."
        )
    return SqliteStore(path, migrations=SQLITE_MIGRATIONS)
