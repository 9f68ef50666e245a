"""What stands between a command and its vault: settings, folder, key, database."""

import os
import shutil
import sqlite3
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from stat import S_IMODE

import pytest

from tests.commands import Outcome, give_script, run, turns_in
from tests.postgres import free_port
from tests.workspaces import MODEL, says

SEND = ("send", "--model", MODEL, "two")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A vault with one turn in it."""
    folder = tmp_path / "data"
    give_script(folder, replies=[says("Five.")])
    assert run(*SEND, data=folder).out == "Five.\n"
    return folder


def refused(outcome: Outcome, sentence: str, *, code: int) -> None:
    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.complaint


def test_a_first_run_makes_a_private_folder_key_and_database(tmp_path: Path) -> None:
    data = tmp_path / "below" / "data"
    assert run("chat", "--data", data, data=tmp_path / "other").code == 0
    assert not (tmp_path / "other").exists()
    modes = {path.name: S_IMODE(path.stat().st_mode) for path in (data, *data.iterdir())}
    assert modes["data"] == 0o700
    assert modes["vault.key"] == 0o600
    assert modes["windowpane.sqlite3"] == 0o600


def test_first_runs_at_the_same_moment_share_one_vault(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ThreadPoolExecutor() as threads:
        running = [threads.submit(run, "chat", data=data) for _ in range(6)]
    assert [outcome.result().err for outcome in running] == [""] * 6
    assert run("doctor", data=data).code == 0


def test_without_a_word_data_lies_in_the_home_folder(tmp_path: Path) -> None:
    outcome = run("chat", data=tmp_path / "data", more={"WINDOWPANE_DATA": ""})
    refused(outcome, "It takes the path of a folder", code=2)
    environment = {"WINDOWPANE_CONFIG": str(tmp_path / "windowpane.toml")}
    (tmp_path / "windowpane.toml").write_text("data = '~/mine'")
    assert run("chat", data=tmp_path / "data", more=environment).code == 0


def test_a_file_in_the_data_folder_is_read_and_flags_beat_it(data: Path) -> None:
    (data / "windowpane.toml").write_text("message_limit_bytes = 2\nlog_level = 'error'")
    refused(run(*SEND, data=data), "The message has 3 bytes; at most 2", code=2)
    more = {"WINDOWPANE_MESSAGE_LIMIT_BYTES": "3"}
    assert run(*SEND, data=data, more=more).code == 0


@pytest.mark.parametrize(
    ("contents", "sentence"),
    [
        (b"port: 1", "is not valid TOML"),
        (b"prot = 1", "there is no setting called prot. Did you mean port?"),
        (b"port = 'many'", "'many' does not fit the setting port."),
        (b"host = '\xff'", "is not text in UTF-8"),
    ],
)
def test_a_file_with_a_mistake_is_named(contents: bytes, sentence: str, data: Path) -> None:
    file = data / "windowpane.toml"
    file.write_bytes(contents)
    outcome = run(*SEND, data=data)
    refused(outcome, sentence, code=2)
    assert str(file) in outcome.complaint
    file.unlink()
    assert len(turns_in(data)) == 1


def test_a_variable_with_a_mistake_is_named(data: Path) -> None:
    outcome = run(*SEND, data=data, more={"WINDOWPANE_PROT": "1"})
    refused(outcome, "WINDOWPANE_PROT: there is no setting called prot. Did you mean port", code=2)


def test_a_chosen_file_must_be_there_and_be_a_file(data: Path) -> None:
    refused(run(*SEND, "--config", "nowhere.toml", data=data), "There is no configuration", code=2)
    refused(run(*SEND, "--config", data, data=data), "cannot be read: Is a directory", code=2)


def test_a_database_elsewhere_has_its_own_contents(data: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "other.sqlite3"
    assert run("chat", "--database", elsewhere, data=data).code == 0
    assert elsewhere.exists()


@pytest.mark.parametrize(
    ("contents", "sentence"),
    [
        ("not a key", "is not a key file. A vault key has 52 characters"),
        ("a" * 51 + "1\n", "is not a key file. A vault key consists of the letters a-z"),
        ("{}", "is not a key file"),
        ("", "is not a key file"),
        ("\x00\xff", "is not a key file: it does not hold plain text"),
    ],
)
def test_a_key_file_that_is_none_is_named(contents: str, sentence: str, data: Path) -> None:
    key = data / "vault.key"
    kept = key.read_bytes()
    key.write_bytes(contents.encode("latin1"))
    refused(run(*SEND, data=data), sentence, code=1)
    assert key.read_bytes() == contents.encode("latin1")
    key.write_bytes(kept)
    assert len(turns_in(data)) == 1


def test_a_key_file_that_others_can_read_is_refused_with_the_remedy(data: Path) -> None:
    (data / "vault.key").chmod(0o644)
    refused(run(*SEND, data=data), f"chmod 600 {data / 'vault.key'}", code=1)


def test_a_lost_key_is_not_replaced_by_a_new_one(data: Path) -> None:
    kept = (data / "vault.key").rename(data / "kept.key")
    refused(run(*SEND, data=data), "but the database is sealed with a key. Restore", code=1)
    assert not (data / "vault.key").exists()
    assert run(*SEND, data=data, more={"WINDOWPANE_KEY_FILE": str(kept)}).code == 0


def test_another_vaults_key_is_refused(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run("chat", data=other)
    shutil.copy(other / "vault.key", data / "vault.key")
    refused(run(*SEND, data=data), "This database was sealed with key", code=1)


def test_a_key_file_of_another_account_is_named(data: Path) -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("Only root, with setpriv, can become somebody else.")
    # Not below the folder of the test, which is closed to others.
    with tempfile.TemporaryDirectory() as folder:
        shared = shutil.copytree(data, Path(folder, "data"))
        for path in (shared.parent, shared):
            path.chmod(0o755)
        outcome = run(*SEND, data=shared, as_user=NOBODY)
        refused(outcome, f"{shared / 'vault.key'} cannot be read: Permission denied", code=1)
        shared.chmod(0o700)
        outcome = run(*SEND, data=shared, as_user=NOBODY)
        refused(outcome, "windowpane.toml cannot be read: Permission denied", code=2)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    url = f"postgresql://panes:s3cret@127.0.0.1:{port}/panes"
    outcome = run("chat", "--database", url, data=data)
    assert (outcome.code, outcome.out) == (1, "")
    assert f"127.0.0.1:{port}" in outcome.complaint
    assert "s3cret" not in outcome.err
    assert not (data / "vault.key").exists()


@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("missing/windowpane.sqlite3", "for the database does not exist"),
        (".", "cannot be opened for writing: Is a directory"),
        ("mysql://panes", "neither a PostgreSQL URL"),
    ],
)
def test_a_database_that_cannot_be_is_named(database: str, sentence: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    outcome = run("chat", "--database", database, data=data)
    assert (outcome.code, outcome.out) == (2 if "://" in database else 1, "")
    assert sentence in outcome.complaint
    assert not (data / "vault.key").exists()


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "notes.txt"
    file.write_text("Nothing to see here. " * 100)
    refused(run("chat", "--database", file, data=data), "is not a Windowpane database", code=1)
    assert file.read_text() == "Nothing to see here. " * 100


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "contacts.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE contacts (name TEXT)")
    connection.close()
    before = file.read_bytes()
    refused(run("chat", "--database", file, data=data), "database of another program", code=1)
    assert file.read_bytes() == before


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = run("chat", "--data", tmp_path / "file", data=tmp_path / "other")
    refused(outcome, "Not a directory", code=2)


def test_a_vault_in_postgresql_is_opened_by_its_url(tmp_path: Path, postgres_database: str) -> None:
    data = tmp_path / "data"
    more = {"WINDOWPANE_DATABASE": postgres_database}
    assert run("chat", data=data, more=more).code == 0
    assert (data / "vault.key").exists()
    (data / "vault.key").unlink()
    refused(run("chat", data=data, more=more), "the database is sealed with a key", code=1)
