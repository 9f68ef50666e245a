"""Key files: private, whole, and clear about what is wrong with them."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.ordinary import run_as_ordinary
from windowpane.errors import (
    InvalidInput,
    KeyFileExists,
    KeyUnreadable,
    VaultError,
    VaultLocked,
    WrongPassphrase,
)
from windowpane.storage import wrapping
from windowpane.storage.keys import (
    create_key_file,
    key_from_text,
    key_text,
    load_key,
    set_passphrase,
    write_key_file,
)
from windowpane.storage.sealing import VaultKey, new_vault_key

PASSPHRASE = "correct horse battery staple"


@pytest.fixture
def path(data_dir: Path) -> Path:
    return data_dir / "vault.key"


@pytest.fixture(autouse=True)
def cheap_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost is written in the file, so cheap files open by the same road."""
    monkeypatch.setattr(wrapping, "MEMORY_KIB", 64)


def write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


@given(secret=st.binary(min_size=32, max_size=32))
def test_a_key_as_text_comes_back(secret: bytes) -> None:
    text = key_text(VaultKey(secret))
    assert re.fullmatch("[a-z2-7]{52}", text)
    assert key_from_text(text) == VaultKey(secret)
    assert key_from_text(f" {text.upper()}\n") == VaultKey(secret)


@given(text=st.text(max_size=60))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(KeyUnreadable):
        key_from_text(text)


def test_a_mistyped_key_says_what_is_wrong() -> None:
    text = key_text(VaultKey(bytes(32)))
    sentences = {
        text[:-1]: "A vault key has 52 characters; this text has 51.",
        f"1{text[1:]}": "A vault key consists of the letters a-z and the digits 2-7.",
        f"é{text[1:]}": "A vault key consists of the letters a-z and the digits 2-7.",
        f"{text[:-1]}b": "The last character of this vault key is mistyped.",
    }
    for mistyped, sentence in sentences.items():
        with pytest.raises(KeyUnreadable) as caught:
            key_from_text(mistyped)
        assert str(caught.value) == sentence


@pytest.mark.parametrize("passphrase", [None, PASSPHRASE, "päß 漢字", "\udcff raw bytes"])
def test_a_new_key_file_opens(path: Path, passphrase: str | None) -> None:
    key = create_key_file(path, passphrase=passphrase)
    assert load_key(path, passphrase=passphrase) == key
    assert create_key_file(path.with_name("other"), passphrase=passphrase) != key


@pytest.mark.parametrize("passphrase", [None, PASSPHRASE])
def test_only_its_owner_can_read_a_key_file(data_dir: Path, passphrase: str | None) -> None:
    path = data_dir / "new" / "vault.key"
    before = os.umask(0)
    try:
        create_key_file(path, passphrase=passphrase)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["vault.key"]


def test_a_plain_key_file_holds_52_characters(path: Path) -> None:
    key = create_key_file(path, passphrase=None)
    assert path.read_text() == key_text(key) + "\n"


def test_a_wrapped_key_file_shows_only_the_name_of_the_key(path: Path) -> None:
    key = create_key_file(path, passphrase=PASSPHRASE)
    written = path.read_text()
    assert json.loads(written)["key_id"] == key.key_id
    assert json.loads(written)["kdf"] == "argon2id"
    assert key_text(key) not in written and PASSPHRASE not in written


def test_a_key_from_elsewhere_can_be_kept(path: Path) -> None:
    key = new_vault_key()
    write_key_file(path, key=key, passphrase=PASSPHRASE)
    assert load_key(path, passphrase=PASSPHRASE) == key


def test_a_key_file_is_never_overwritten(path: Path) -> None:
    key = create_key_file(path, passphrase=None)
    with pytest.raises(KeyFileExists, match=f"There is a key file at {path} already"):
        create_key_file(path, passphrase=PASSPHRASE)
    assert load_key(path, passphrase=None) == key
    assert [file.name for file in path.parent.iterdir()] == ["vault.key"]


def test_the_same_passphrase_in_another_composition_opens(path: Path) -> None:
    key = create_key_file(path, passphrase="caf\u00e9")
    assert load_key(path, passphrase="cafe\u0301") == key


def test_a_missing_key_file_is_named(path: Path) -> None:
    with pytest.raises(KeyUnreadable, match=f"There is no key file at {path}. Restore it from a"):
        load_key(path, passphrase=None)


def test_a_folder_is_not_a_key_file(data_dir: Path) -> None:
    with pytest.raises(KeyUnreadable, match=f"{data_dir} cannot be read: Is a directory"):
        load_key(data_dir, passphrase=None)


def test_a_key_file_without_permission_is_named(path: Path) -> None:
    create_key_file(path, passphrase=None)
    path.chmod(0o000)
    said = run_as_ordinary(LOAD_AND_SAY, str(path))
    assert said == f"KeyUnreadable The key file {path} cannot be read: Permission denied.\n"


def test_a_folder_that_cannot_be_written_is_named(path: Path) -> None:
    path.parent.chmod(0o500)
    said = run_as_ordinary(CREATE_AND_SAY, str(path))
    assert said == f"VaultError The key file {path} cannot be written: Permission denied.\n"


LOAD_AND_SAY = """
import sys
from pathlib import Path
from windowpane.storage.keys import create_key_file, load_key
try:
    load_key(Path(sys.argv[1]), passphrase=None)
except Exception as error:
    print(type(error).__name__, error)
"""
CREATE_AND_SAY = LOAD_AND_SAY.replace("    load_key(", "    create_key_file(")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_file_that_others_can_read_is_refused(data_dir: Path, mode: int) -> None:
    path = data_dir / "my vault.key"
    create_key_file(path, passphrase=None)
    path.chmod(mode)
    with pytest.raises(KeyUnreadable, match="Other accounts on this machine") as caught:
        load_key(path, passphrase=None)
    assert str(caught.value).endswith(f"Close it with: chmod 600 '{path}'")


def test_a_read_only_key_file_is_fine(path: Path) -> None:
    key = create_key_file(path, passphrase=None)
    path.chmod(0o400)
    assert load_key(path, passphrase=None) == key


@pytest.mark.parametrize(
    ("contents", "sentence"),
    [
        ("", "is not a key file. A vault key has 52 characters; this text has 0."),
        ("hello\n", "is not a key file. A vault key has 52 characters; this text has 5."),
        ("é" * 52, "is not a key file: it does not hold plain text."),
        ("a" * 5000, "is not a key file: it is too large."),
        ("{}", "is not a key file: Object missing required field `format`. Restore it"),
        ("{broken", "is not a key file: JSON is malformed"),
    ],
)
def test_another_file_is_not_a_key_file(path: Path, contents: str, sentence: str) -> None:
    write(path, contents)
    with pytest.raises(KeyUnreadable) as caught:
        load_key(path, passphrase=None)
    assert str(caught.value).startswith(f"{path} {sentence}")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("format", "windowpane wrapped key 2"),
        ("kdf", "scrypt"),
        ("memory_kib", 2**40),
        ("passes", 10**9),
        ("lanes", 0),
        ("salt", ""),
        ("nonce", "AAAA"),
        ("wrapped", ""),
    ],
)
def test_a_wrapped_key_with_a_wrong_field_is_refused(
    path: Path, field: str, value: str | int
) -> None:
    create_key_file(path, passphrase=PASSPHRASE)
    write(path, json.dumps({**json.loads(path.read_text()), field: value}))
    with pytest.raises(KeyUnreadable, match=rf"is not a key file: .*`\$\.{field}`"):
        load_key(path, passphrase=PASSPHRASE)


@pytest.mark.parametrize("field", ["key_id", "salt", "nonce", "wrapped", "memory_kib", "passes"])
def test_a_wrapped_key_that_was_altered_does_not_open(path: Path, field: str) -> None:
    create_key_file(path, passphrase=PASSPHRASE)
    fields = json.loads(path.read_text())
    old = fields[field]
    fields[field] = old + 1 if isinstance(old, int) else ("B" if old[0] != "B" else "C") + old[1:]
    write(path, json.dumps(fields))
    with pytest.raises(WrongPassphrase):
        load_key(path, passphrase=PASSPHRASE)


def test_a_wrapped_key_without_its_passphrase_stays_locked(path: Path) -> None:
    create_key_file(path, passphrase=PASSPHRASE)
    with pytest.raises(VaultLocked, match=f"{path} is protected by a passphrase. Give the pass"):
        load_key(path, passphrase=None)


def test_a_wrong_passphrase_does_not_open(path: Path) -> None:
    create_key_file(path, passphrase=PASSPHRASE)
    for wrong in ("", "x", PASSPHRASE + " "):
        with pytest.raises(WrongPassphrase, match="does not open this vault's key"):
            load_key(path, passphrase=wrong)


def test_a_passphrase_for_a_plain_key_is_an_error(path: Path) -> None:
    create_key_file(path, passphrase=None)
    with pytest.raises(KeyUnreadable, match=f"A passphrase was given, but the key in {path} is"):
        load_key(path, passphrase=PASSPHRASE)


def test_an_empty_passphrase_protects_nothing_and_is_refused(path: Path) -> None:
    with pytest.raises(InvalidInput, match="The passphrase is empty"):
        create_key_file(path, passphrase="")
    assert not path.exists()


def test_a_passphrase_is_set_changed_and_taken_away(path: Path) -> None:
    key = create_key_file(path, passphrase=None)
    for old, new in ((None, "first"), ("first", "second"), ("second", None)):
        set_passphrase(path, old=old, new=new)
        assert load_key(path, passphrase=new) == key
        assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["vault.key"]


def test_a_wrong_old_passphrase_changes_nothing(path: Path) -> None:
    create_key_file(path, passphrase=PASSPHRASE)
    before = path.read_bytes()
    with pytest.raises(WrongPassphrase):
        set_passphrase(path, old="wrong", new=None)
    assert path.read_bytes() == before


def test_a_crash_while_the_passphrase_is_changed_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = create_key_file(path, passphrase=None)

    def fail(source: Path, target: Path) -> None:
        assert load_key(source, passphrase=PASSPHRASE) == key
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(VaultError, match=f"{path} cannot be written: No space left on device"):
        set_passphrase(path, old=None, new=PASSPHRASE)
    assert load_key(path, passphrase=None) == key
    assert [file.name for file in path.parent.iterdir()] == ["vault.key"]


def test_a_linked_key_file_stays_a_link(data_dir: Path) -> None:
    key = create_key_file(data_dir / "elsewhere" / "real.key", passphrase=None)
    link = data_dir / "vault.key"
    link.symlink_to(data_dir / "elsewhere" / "real.key")
    set_passphrase(link, old=None, new=PASSPHRASE)
    assert link.is_symlink()
    assert load_key(data_dir / "elsewhere" / "real.key", passphrase=PASSPHRASE) == key
