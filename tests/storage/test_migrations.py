"""Schemas go forward by themselves, at once or not at all, and never backward."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest

from tests.storage.rows import below, ids_below, put
from windowpane.errors import StorageError, StoreTooNew
from windowpane.storage.migrations import (
    POSTGRES_MIGRATIONS,
    SQLITE_MIGRATIONS,
    Migration,
    pending,
)
from windowpane.storage.postgres import PostgresStore
from windowpane.storage.sqlite import SqliteStore

# The steps after those that the product has.
NEXT, AFTER_NEXT = (f"m{len(SQLITE_MIGRATIONS) + ahead:03}" for ahead in (1, 2))
ADD_LABELS = Migration(
    name=f"{NEXT}_labels",
    statements=(
        "CREATE TABLE labels (label text PRIMARY KEY)",
        "INSERT INTO labels SELECT id FROM records",
    ),
)
ADD_COLORS = Migration(
    name=f"{AFTER_NEXT}_colors", statements=("CREATE TABLE colors (color text)",)
)
BREAK = Migration(
    name=f"{NEXT}_broken",
    statements=("CREATE TABLE half (done text)", "INSERT INTO missing VALUES (1)"),
)

Store = SqliteStore | PostgresStore


@pytest.fixture
def store_with(shared_database: str) -> "StoreWith":
    return StoreWith(shared_database)


class StoreWith:
    """Stores on one database, each as another version of the product would make it."""

    def __init__(self, database: str) -> None:
        self.database = database

    def __call__(self, *later: Migration) -> Store:
        if self.database.startswith("postgresql:"):
            return PostgresStore(self.database, migrations=(*POSTGRES_MIGRATIONS, *later))
        return SqliteStore(Path(self.database), migrations=(*SQLITE_MIGRATIONS, *later))

    def query(self, statement: str) -> Sequence[tuple[object, ...]]:
        if self.database.startswith("postgresql:"):
            with psycopg.connect(self.database) as connection:
                return connection.execute(statement.encode()).fetchall()
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()


async def write_and_close(store: Store, id: str) -> None:
    await store.open()
    await store.commit([put(id)])
    await store.close()


@pytest.mark.parametrize("migrations", [SQLITE_MIGRATIONS, POSTGRES_MIGRATIONS])
def test_migrations_are_numbered_in_order(migrations: tuple[Migration, ...]) -> None:
    numbers = [f"m{number:03}" for number in range(1, len(migrations) + 1)]
    assert [migration.number for migration in migrations] == numbers


def test_both_engines_take_the_same_steps() -> None:
    names = [[step.name for step in steps] for steps in (SQLITE_MIGRATIONS, POSTGRES_MIGRATIONS)]
    assert names[0] == names[1]


def test_what_is_pending_is_what_was_not_taken() -> None:
    steps = (ADD_LABELS, ADD_COLORS)
    assert [pending(steps, version=version) for version in range(3)] == [
        (ADD_LABELS, ADD_COLORS),
        (ADD_COLORS,),
        (),
    ]


async def test_a_newer_version_brings_an_old_database_along(store_with: StoreWith) -> None:
    await write_and_close(store_with(), "old")
    await write_and_close(store_with(ADD_LABELS, ADD_COLORS), "new")
    assert store_with.query("SELECT label FROM labels") == [("old",)]
    assert store_with.query("SELECT color FROM colors") == []

    store = store_with(ADD_LABELS, ADD_COLORS)
    await store.open()
    assert await ids_below(store, "parent") == ["new", "old"]
    await store.close()


async def test_an_older_version_refuses_a_newer_database(store_with: StoreWith) -> None:
    await write_and_close(store_with(ADD_LABELS), "row")
    known = len(SQLITE_MIGRATIONS)
    sentence = f"has schema {known + 1}; this version of Windowpane knows up to {known}"
    with pytest.raises(StoreTooNew, match=sentence):
        await store_with().open()
    assert store_with.query("SELECT count(*) FROM records") == [(1,)]


async def test_a_step_that_fails_changes_nothing(store_with: StoreWith) -> None:
    await write_and_close(store_with(), "row")
    with pytest.raises(StorageError, match="missing"):
        await store_with(BREAK).open()

    store = store_with(ADD_LABELS)
    await store.open()
    assert await ids_below(store, "parent") == ["row"]
    await store.close()
    with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedTable)):
        store_with.query("SELECT * FROM half")


async def test_processes_that_start_together_all_succeed(store_with: StoreWith) -> None:
    await write_and_close(store_with(), "row")
    stores = [store_with(ADD_LABELS, ADD_COLORS) for _ in range(5)]
    await asyncio.gather(*(store.open() for store in stores))
    for store in stores:
        assert len(await below(store, "parent")) == 1
        await store.close()
    assert store_with.query("SELECT label FROM labels") == [("row",)]


async def test_sqlite_is_backed_up_before_a_step_and_only_then(data_dir: Path) -> None:
    store_with = StoreWith(str(data_dir / "chats.db"))
    await write_and_close(store_with(), "row")
    await write_and_close(store_with(), "row")
    assert {file.name for file in data_dir.iterdir()} == {"chats.db"}

    await write_and_close(store_with(ADD_LABELS, ADD_COLORS), "after")

    assert {file.name for file in data_dir.iterdir()} == {"chats.db", f"chats.db.before-{NEXT}.bak"}
    backup = data_dir / f"chats.db.before-{NEXT}.bak"
    assert backup.stat().st_mode & 0o777 == 0o600
    old = SqliteStore(backup, migrations=SQLITE_MIGRATIONS)
    await old.open()
    assert await ids_below(old, "parent") == ["row"]
    await old.close()


async def test_no_step_is_taken_when_the_backup_fails(data_dir: Path) -> None:
    store_with = StoreWith(str(data_dir / "chats.db"))
    await write_and_close(store_with(), "row")
    (data_dir / f"chats.db.before-{NEXT}.bak").mkdir()
    with pytest.raises(StorageError, match=rf"cannot be backed up to .*before-{NEXT}\.bak"):
        await store_with(ADD_LABELS).open()
    assert store_with.query("PRAGMA user_version") == [(len(SQLITE_MIGRATIONS),)]
    assert sorted(file.name for file in data_dir.iterdir()) == [
        "chats.db",
        f"chats.db.before-{NEXT}.bak",
    ]
