"""Key files: where a vault's key lies, plain or wrapped by a passphrase.

A plain file holds 52 base32 characters; a wrapped one holds JSON with everything that opening it
needs except the passphrase. Both are readable by their owner only, and are always written whole:
a crash leaves the old file or the new one. Deriving from a passphrase takes tenths of a second,
so callers in an event loop run these functions in a thread.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from base64 import b32decode, b32encode
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE, S_ISREG

import msgspec

from windowpane.errors import KeyFileExists, KeyUnreadable, VaultError, VaultLocked
from windowpane.storage.sealing import VaultKey, new_vault_key
from windowpane.storage.wrapping import WrappedKey, unwrap, wrap

KEY_CHARACTERS = 52
FILE_LIMIT_BYTES = 4096


def key_text(key: VaultKey) -> str:
    """The key as people keep it: 52 characters of lower-case base32."""
    return b32encode(key.secret).decode().rstrip("=").lower()


def key_from_text(text: str) -> VaultKey:
    """Raises ``KeyUnreadable`` unless the text is exactly what ``key_text`` gives."""
    letters = text.strip().lower()
    if len(letters) != KEY_CHARACTERS:
        raise KeyUnreadable(
            f"A vault key has {KEY_CHARACTERS} characters; this text has {len(letters)}."
        )
    try:
        key = VaultKey(b32decode(letters.encode().upper() + b"===="))
    except ValueError:  # also what a letter beyond ASCII or base32 gives
        raise KeyUnreadable("A vault key consists of the letters a-z and the digits 2-7.") from None
    if key_text(key) != letters:
        raise KeyUnreadable("The last character of this vault key is mistyped.")
    return key


def create_key_file(path: Path, *, passphrase: str | None) -> VaultKey:
    """Make a new key and keep it at ``path``, which must be free."""
    key = new_vault_key()
    write_key_file(path, key=key, passphrase=passphrase)
    return key


def write_key_file(path: Path, *, key: VaultKey, passphrase: str | None) -> None:
    """Keep a key that exists already, as when a vault is moved; ``path`` must be free."""
    with _whole_file(path, contents=_contents(key, passphrase=passphrase)) as written:
        try:
            # A link, unlike a rename, fails when the name is taken.
            os.link(written, path)
        except FileExistsError:
            raise KeyFileExists(path=str(path)) from None


def load_key(path: Path, *, passphrase: str | None) -> VaultKey:
    contents = _read(path)
    if not contents.startswith("{"):
        return _plain(path, contents=contents, passphrase=passphrase)
    wrapped = _parsed(path, contents=contents)
    if passphrase is None:
        raise VaultLocked(
            f"The key in {path} is protected by a passphrase. Give the passphrase to unlock it."
        )
    return unwrap(wrapped, passphrase=passphrase)


def set_passphrase(path: Path, *, old: str | None, new: str | None) -> None:
    """Wrap the key in another passphrase; with ``new`` None it lies plain from then on."""
    key = load_key(path, passphrase=old)
    behind_links = path.resolve()
    with _whole_file(behind_links, contents=_contents(key, passphrase=new)) as written:
        os.replace(written, behind_links)


def _contents(key: VaultKey, *, passphrase: str | None) -> str:
    if passphrase is None:
        return key_text(key) + "\n"
    wrapped = msgspec.json.encode(wrap(key, passphrase=passphrase))
    return msgspec.json.format(wrapped, indent=2).decode() + "\n"


def _plain(path: Path, *, contents: str, passphrase: str | None) -> VaultKey:
    try:
        key = key_from_text(contents)
    except KeyUnreadable as error:
        raise KeyUnreadable(f"{path} is not a key file. {error}") from None
    if passphrase is not None:
        raise KeyUnreadable(
            f"A passphrase was given, but the key in {path} is not protected by one. "
            "Leave the passphrase out, or set one first."
        )
    return key


def _parsed(path: Path, *, contents: str) -> WrappedKey:
    try:
        return msgspec.json.decode(contents, type=WrappedKey)
    except msgspec.DecodeError as error:
        raise KeyUnreadable(f"{path} is not a key file: {error}. Restore it from a copy.") from None


def _read(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            _refuse_open_permissions(path, mode=os.fstat(file.fileno()).st_mode)
            contents = file.read(FILE_LIMIT_BYTES + 1)
    except FileNotFoundError:
        raise KeyUnreadable(
            f"There is no key file at {path}. Restore it from a copy: "
            "without it nothing in this vault can be read."
        ) from None
    except OSError as error:
        raise KeyUnreadable(f"The key file {path} cannot be read: {error.strerror}.") from error
    if len(contents) > FILE_LIMIT_BYTES:
        raise KeyUnreadable(f"{path} is not a key file: it is too large.")
    try:
        return contents.decode("ascii")
    except UnicodeDecodeError:
        raise KeyUnreadable(f"{path} is not a key file: it does not hold plain text.") from None


def _refuse_open_permissions(path: Path, *, mode: int) -> None:
    if S_ISREG(mode) and S_IMODE(mode) & 0o077:
        raise KeyUnreadable(
            f"Other accounts on this machine can get at the key file {path}. "
            f"Close it with: chmod 600 {shlex.quote(str(path))}"
        )


@contextmanager
def _whole_file(path: Path, *, contents: str) -> Generator[Path]:
    """A finished file beside ``path``, safe on disk, for the caller to put in place."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made readable by its owner only, before it holds a byte.
        descriptor, written = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(contents)
                file.flush()
                os.fsync(file.fileno())
            yield Path(written)
            _sync_folder(path.parent)
        finally:
            Path(written).unlink(missing_ok=True)
    except OSError as error:
        raise VaultError(f"The key file {path} cannot be written: {error.strerror}.") from error


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure too."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
