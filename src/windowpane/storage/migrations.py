"""The schema, as the list of steps that made it: forward only, plain data, one list per engine.

A database's version is the number of steps that it has taken. How a step is taken safely is the
engine's affair.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.errors import StoreTooNew
from windowpane.storage.base import Table


class Migration(Struct, frozen=True, kw_only=True):
    name: str
    statements: tuple[str, ...]

    @property
    def number(self) -> str:
        """``m002`` of ``m002_whatever``."""
        return self.name.partition("_")[0]


def pending(migrations: Sequence[Migration], *, version: int) -> Sequence[Migration]:
    """The steps that a database at ``version`` has yet to take."""
    if version > len(migrations):
        raise StoreTooNew(found=version, known=len(migrations))
    return migrations[version:]


def _sqlite_table(table: Table) -> tuple[str, str]:
    return (
        f"""
        CREATE TABLE {table} (
            id TEXT PRIMARY KEY,
            parent_id TEXT NOT NULL,
            position INTEGER NOT NULL,
            written_at INTEGER NOT NULL,
            version INTEGER NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT
        """,
        f"CREATE INDEX {table}_by_parent ON {table} (parent_id, position, id)",
    )


def _postgres_table(table: Table) -> tuple[str, str, str]:
    # Collation "C" orders ids as SQLite and Python do. What is sealed does not compress, so the
    # server shall not try.
    return (
        f"""
        CREATE TABLE {table} (
            id text COLLATE "C" PRIMARY KEY,
            parent_id text COLLATE "C" NOT NULL,
            position bigint NOT NULL,
            written_at bigint NOT NULL,
            version bigint NOT NULL,
            sealed bytea NOT NULL
        )
        """,
        f"ALTER TABLE {table} ALTER COLUMN sealed SET STORAGE EXTERNAL",
        f"CREATE INDEX {table}_by_parent ON {table} (parent_id, position, id)",
    )


# Written out and not taken from ``base``: a step that was released is never edited, because
# there are databases that took it as it was.
_TABLES_OF_M001: tuple[Table, ...] = (
    "vault",
    "preferences",
    "definitions",
    "projects",
    "topics",
    "views",
    "chats",
    "turns",
    "pages",
    "records",
    "events",
    "runs",
)

_TABLES_OF_M002: tuple[Table, ...] = (
    "receipts",
    "texts",
    "usage",
    "ledgers",
    "drafts",
    "tombstones",
)

SQLITE_MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        name="m001_initial",
        statements=(
            *(statement for table in _TABLES_OF_M001 for statement in _sqlite_table(table)),
            "CREATE TABLE epochs (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL)"
            " STRICT",
            "INSERT INTO epochs (one, last) VALUES (1, 0)",
        ),
    ),
    Migration(
        name="m002_accounts",
        statements=tuple(
            statement for table in _TABLES_OF_M002 for statement in _sqlite_table(table)
        ),
    ),
    Migration(name="m003_search", statements=_sqlite_table("segments")),
)

POSTGRES_MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        name="m001_initial",
        statements=(
            *(statement for table in _TABLES_OF_M001 for statement in _postgres_table(table)),
            "CREATE SEQUENCE epochs AS bigint",
        ),
    ),
    Migration(
        name="m002_accounts",
        statements=tuple(
            statement for table in _TABLES_OF_M002 for statement in _postgres_table(table)
        ),
    ),
    Migration(name="m003_search", statements=_postgres_table("segments")),
)
