"""A SQLite file on disk: made private, recognised as ours, opened as we need it.

Also says in a sentence what SQLite's error codes mean for the person whose file it is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import cast

from windowpane.errors import DiskFull, StorageError, StoreUnreachable
from windowpane.storage.migrations import Migration
from windowpane.storage.sqlite_schema import APPLICATION_ID, migrate

BUSY_SECONDS = 10.0
RETRY_SECONDS = 0.02
# What is left of a log after it was written into the database; old ciphertext goes with the rest.
LOG_LIMIT_BYTES = 8 * 1024 * 1024


def connect(path: Path, *, migrations: Sequence[Migration]) -> Connection:
    _make_private_file(path)
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, cached_statements=256
    )
    try:
        _refuse_foreign(connection, path=path)
        _configure(connection, path=path)
        migrate(connection, path=path, migrations=migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def size_bytes(path: Path) -> int:
    """The database and its log; both are on the disk."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def sync(connection: Connection) -> None:
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def explained(error: sqlite3.Error, *, path: Path) -> StorageError:
    name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
    match "_".join(name.split("_")[:2]):
        case "SQLITE_FULL":
            return DiskFull(path=str(path), free_bytes=_free_bytes(path.parent))
        case "SQLITE_IOERR":
            free_bytes = _free_bytes(path.parent)
            return StorageError(
                f"Reading or writing {path} failed ({name}; {free_bytes:,} bytes are free there). "
                "Nothing of this change was stored. Check the disk and its limits."
            )
        case "SQLITE_BUSY" | "SQLITE_LOCKED":
            return StoreUnreachable(
                f"Another program has kept {path} locked for {BUSY_SECONDS:.0f} seconds. "
                "Wait for it or end it, then try again."
            )
        case "SQLITE_NOTADB":
            return StoreUnreachable(
                f"{path} is not a Windowpane database. Choose another path for the database."
            )
        case "SQLITE_CORRUPT":
            return StorageError(f"The database {path} is damaged ({error}). Restore a backup.")
        case "SQLITE_READONLY" | "SQLITE_PERM" | "SQLITE_CANTOPEN" | "SQLITE_AUTH":
            return StoreUnreachable(
                f"The database {path} cannot be opened for writing ({name}). "
                "Check the permissions of the file and of its folder."
            )
        case _:
            return StorageError(f"The database {path} reported {name}: {error}.")


def _free_bytes(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:  # the folder was taken away under us, and nothing can be written in there
        return 0


def _make_private_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except FileNotFoundError:
        raise StoreUnreachable(
            f"The folder {path.parent} for the database does not exist. "
            "Create it, or choose another path for the database."
        ) from None
    except OSError as error:
        raise StoreUnreachable(
            f"The database {path} cannot be opened for writing: {error.strerror}. "
            "Check the permissions, or choose another path for the database."
        ) from error


def _refuse_foreign(connection: Connection, *, path: Path) -> None:
    # In this order: a process that makes the file at this moment writes tables and id together.
    is_empty = _number(connection, "SELECT count(*) FROM sqlite_schema") == 0
    if not is_empty and _number(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise StoreUnreachable(
            f"{path} is a database of another program, and was left as it is. "
            "Choose another path for the database."
        )


def _configure(connection: Connection, *, path: Path) -> None:
    if _write_ahead(connection) != "wal":
        raise StoreUnreachable(
            f"{path} lies on a file system on which SQLite cannot keep a write-ahead log. "
            "Choose a path on a local disk."
        )
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA journal_size_limit = {LOG_LIMIT_BYTES}")


def _write_ahead(connection: Connection) -> str:
    """SQLite does not wait by itself when two processes switch a new file at the same moment."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            row = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            return cast(tuple[str], row)[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)


def _number(connection: Connection, query: str) -> int:
    return cast(tuple[int], connection.execute(query).fetchone())[0]
