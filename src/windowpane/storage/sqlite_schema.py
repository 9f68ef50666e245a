"""Bringing a SQLite file up to date: after a backup, in one transaction, by one process at a time.

The file's header says which step it has taken, and that it is ours.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from typing import cast

from windowpane.errors import StorageError
from windowpane.storage.migrations import Migration, pending
from windowpane.storage.sqlite_thread import roll_back

# "WPNE": so a file of another program is never taken for ours.
APPLICATION_ID = 0x57504E45


def migrate(connection: Connection, *, path: Path, migrations: Sequence[Migration]) -> None:
    if not pending(migrations, version=_version(connection)):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)  # another process may have been faster
        steps = pending(migrations, version=version)
        if version > 0 and steps:
            _back_up(path, before=steps[0])
        for step in steps:
            for statement in step.statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    finally:
        roll_back(connection)


def _version(connection: Connection) -> int:
    return cast(tuple[int], connection.execute("PRAGMA user_version").fetchone())[0]


def _back_up(path: Path, *, before: Migration) -> None:
    backup = path.with_name(f"{path.name}.before-{before.number}.bak")
    unfinished = backup.with_name(f"{backup.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        _copy(path, to=unfinished)
        os.replace(unfinished, backup)
    except (OSError, sqlite3.Error) as error:
        raise StorageError(
            f"The database {path} has to be changed for this version of Windowpane, and cannot be "
            f"backed up to {backup} before: {error}. It was left as it is."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _copy(path: Path, *, to: Path) -> None:
    """From the last committed state, while the caller keeps others from writing."""
    os.close(os.open(to, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
