"""Which processes live, told by locks on files: the kernel lets go of them when a process dies.

One file per process in a folder beside the database. A file that nobody holds belongs to a dead
process and is removed by whoever finds it.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from windowpane.errors import StorageError

ATTEMPTS = 200
PAUSE_SECONDS = 0.005


class ProcessLocks:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}

    def join(self, process_id: str) -> None:
        if process_id in self._held:
            return
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._remove_stale()
            self._held[process_id] = self._locked(self._path(process_id))
        except OSError as error:
            raise StorageError(
                f"The folder {self._folder} cannot be used: {error.strerror}. "
                "It tells processes that share this database which of them live."
            ) from error

    def is_alive(self, process_id: str) -> bool:
        return process_id in self._held or _is_locked(self._path(process_id))

    def leave(self) -> None:
        for process_id, descriptor in self._held.items():
            self._path(process_id).unlink(missing_ok=True)
            os.close(descriptor)
        self._held.clear()

    def _remove_stale(self) -> None:
        for path in self._folder.glob("*.lock"):
            _is_locked(path)

    def _path(self, process_id: str) -> Path:
        return self._folder / f"{quote(process_id, safe='')}.lock"

    def _locked(self, path: Path) -> int:
        """Somebody who looks whether we live holds the lock for microseconds, so try again."""
        for _ in range(ATTEMPTS):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if _try_lock(descriptor) and _is_at(path, descriptor):
                return descriptor
            os.close(descriptor)
            time.sleep(PAUSE_SECONDS)
        raise StorageError(f"Another process lives under the same id: {path.stem}.")


def _is_locked(path: Path) -> bool:
    """Removes the file on the way if nobody holds it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        if not _try_lock(descriptor):
            return True
        if _is_at(path, descriptor):
            path.unlink()
        return False
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the file that was opened is still the one with that name."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    return False
