"""From settings to an open workspace: data folder, key, store, vault.

The one place where commands open a vault, so that all of them make the same things on a first
run and say the same sentences when something is in the way.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from windowpane.cli.terminal import ask_secret, can_ask
from windowpane.errors import KeyFileExists, KeyUnreadable, StorageError, VaultLocked
from windowpane.settings import Settings
from windowpane.storage.choose import store_from
from windowpane.storage.keys import create_key_file, load_key
from windowpane.storage.sealing import VaultKey
from windowpane.storage.vault import CHECK_ID, Vault
from windowpane.workspace import Workspace


@asynccontextmanager
async def opened_workspace(settings: Settings) -> AsyncGenerator[Workspace]:
    _make_private_folder(Path(settings.data))
    key = await _key(settings)
    vault = Vault(store_from(settings.database_or_default), key=key)
    async with Workspace(vault, settings=settings) as workspace:
        yield workspace


def unlocked_key(settings: Settings) -> VaultKey:
    """The key in the file, with the passphrase from the settings or from the person there."""
    path = Path(settings.key_file_or_default)
    try:
        return load_key(path, passphrase=settings.passphrase or None)
    except VaultLocked:
        return load_key(path, passphrase=asked_passphrase(path))


def asked_passphrase(path: Path) -> str:
    if not can_ask():
        raise VaultLocked(
            f"The key in {path} is protected by a passphrase. "
            "Set WINDOWPANE_PASSPHRASE, or run this in a terminal to be asked for it."
        )
    return ask_secret("Passphrase: ")


async def refuse_lost_key(settings: Settings) -> None:
    """Where there is no key file: a database that a key sealed would never open with a new one."""
    store = store_from(settings.database_or_default)
    await store.open()
    try:
        is_sealed = bool(await store.get("vault", [CHECK_ID]))
    finally:
        await store.close()
    # Looked for again: another process may have its first run at the same moment.
    if is_sealed and not _is_there(Path(settings.key_file_or_default)):
        raise KeyUnreadable(
            f"There is no key file at {settings.key_file_or_default}, but the database is sealed "
            "with a key. Restore the file from a copy, or point to it with the setting key_file."
        )


async def _key(settings: Settings) -> VaultKey:
    path = Path(settings.key_file_or_default)
    if _is_there(path):
        return unlocked_key(settings)
    await refuse_lost_key(settings)
    try:
        return create_key_file(path, passphrase=settings.passphrase or None)
    except KeyFileExists:  # by such a process
        return unlocked_key(settings)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise KeyUnreadable(f"The key file {path} cannot be read: {error.strerror}.") from error


def _make_private_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"The data folder {path} cannot be made: {error.strerror}. Choose another with --data."
        ) from error
