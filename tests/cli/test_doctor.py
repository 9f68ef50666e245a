"""``windowpane doctor``: what it finds, says and leaves alone."""

import json
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.commands import give_script, run
from tests.postgres import free_port
from tests.workspaces import MODEL, says
from windowpane import __version__


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A vault with one turn in it."""
    folder = tmp_path / "data"
    give_script(folder, replies=[says("Five.")])
    run("send", "--model", MODEL, "two", data=folder)
    return folder


def report(*words: str, data: Path, code: int, **more: str) -> dict[str, Any]:
    outcome = run("doctor", "--json", *words, data=data, more=more)
    assert (outcome.code, outcome.err) == (code, "")
    return json.loads(outcome.out)


@contextmanager
def database(data: Path) -> Generator[sqlite3.Connection]:
    with closing(sqlite3.connect(data / "windowpane.sqlite3")) as connection, connection:
        yield connection


def test_before_the_first_run_nothing_is_wrong_and_nothing_is_made(tmp_path: Path) -> None:
    data = tmp_path / "data"
    told = report(data=data, code=0)
    assert told["problems"] == []
    assert told["contents"] is None
    assert told["key"]["state"] == "absent"
    assert not data.exists()
    assert "Nothing is wrong." in run("doctor", data=data).out


def test_a_healthy_vault_is_described(data: Path) -> None:
    told = report(data=data, code=0)
    assert told["installation"]["version"] == __version__
    assert all(told["installation"]["packages"].values())
    assert told["data"]["path"] == str(data)
    assert told["data"]["mode"] == "0700"
    assert told["data"]["free_bytes"] > 0
    assert told["key"] == {"path": str(data / "vault.key"), "state": "plain"}
    assert told["database"]["engine"] == "sqlite"
    assert told["database"]["location"] == str(data / "windowpane.sqlite3")
    assert told["database"]["size_bytes"] > 0
    assert told["database"]["schema"] >= 1
    assert told["contents"] == {"projects": 1, "chats": 1, "turns": 1, "damaged": []}

    text = run("doctor", data=data)
    assert (text.code, text.err) == (0, "")
    assert "1 project, 1 chat, 1 turn" in text.out
    assert text.out.endswith("Nothing is wrong.\n")


def test_looking_changes_nothing(data: Path) -> None:
    with database(data) as before:
        dump = list(before.iterdump())
    report(data=data, code=0)
    with database(data) as after:
        assert list(after.iterdump()) == dump


def test_a_damaged_record_is_named_and_the_rest_counted(data: Path) -> None:
    with database(data) as connection:
        [(record_id,)] = connection.execute("SELECT id FROM records WHERE position = 1").fetchall()
        connection.execute("UPDATE records SET sealed = zeroblob(80) WHERE id = ?", [record_id])
    told = report(data=data, code=1)
    [name] = told["contents"]["damaged"]
    assert name.startswith(f"The record records/{record_id} cannot be opened")
    assert told["contents"]["turns"] == 1
    assert [problem["code"] for problem in told["problems"]] == ["record_damaged"]
    text = run("doctor", data=data)
    assert text.code == 1
    assert record_id in text.out
    assert "One thing is wrong:\n- A record is damaged" in text.out


def test_what_lies_below_a_damaged_chat_is_looked_at_too(data: Path) -> None:
    with database(data) as connection:
        connection.execute("UPDATE chats SET sealed = zeroblob(80)")
        connection.execute("UPDATE records SET sealed = zeroblob(80) WHERE position = 0")
    assert len(report(data=data, code=1)["contents"]["damaged"]) == 2


def test_open_permissions_come_with_their_remedy(data: Path) -> None:
    data.chmod(0o755)
    (data / "vault.key").chmod(0o640)
    told = report(data=data, code=1)
    assert told["key"]["state"] == "unreadable"
    remedies = {problem["code"]: problem["message"] for problem in told["problems"]}
    assert f"chmod 700 {data}" in remedies["data_open"]
    assert f"chmod 600 {data / 'vault.key'}" in remedies["key_unreadable"]
    assert "2 things are wrong:" in run("doctor", data=data).out


def test_a_protected_vault_is_looked_into_with_its_passphrase(data: Path) -> None:
    run("vault", "passphrase", data=data, stdin="correct horse\n")
    locked = report(data=data, code=0)
    assert locked["key"]["state"] == "wrapped"
    assert locked["contents"] is None
    assert "locked: give the passphrase" in run("doctor", data=data).out
    opened = report(data=data, code=0, WINDOWPANE_PASSPHRASE="correct horse")
    assert opened["contents"]["turns"] == 1
    wrong = report(data=data, code=1, WINDOWPANE_PASSPHRASE="battery staple")
    assert wrong["problems"][0]["code"] == "wrong_passphrase"


def test_a_lost_key_and_a_wrong_key_are_told(data: Path, tmp_path: Path) -> None:
    (data / "vault.key").unlink()
    assert report(data=data, code=1)["problems"][0]["code"] == "key_unreadable"
    run("chat", data=tmp_path / "other")
    shutil.copy(tmp_path / "other" / "vault.key", data / "vault.key")
    assert report(data=data, code=1)["problems"][0]["code"] == "wrong_key"


def test_a_database_that_does_not_open_is_told_without_its_password(data: Path) -> None:
    url = f"postgresql://panes:s3cret@127.0.0.1:{free_port()}/panes?password=s3cret"
    told = report("--database", url, data=data, code=1)
    assert told["database"]["engine"] == "postgresql"
    assert told["problems"][0]["code"] == "store_unreachable"
    assert "s3cret" not in json.dumps(told)


def test_a_file_that_is_no_database_is_told(data: Path) -> None:
    (data / "windowpane.sqlite3").write_text("Nothing to see here. " * 100)
    assert report(data=data, code=1)["problems"][0]["code"] == "store_unreachable"


def test_a_vault_in_postgresql_is_described(tmp_path: Path, postgres_database: str) -> None:
    data = tmp_path / "data"
    run("chat", "--database", postgres_database, data=data)
    told = report("--database", postgres_database, data=data, code=0)
    assert told["database"]["schema"] >= 1
    assert told["contents"] == {"projects": 0, "chats": 0, "turns": 0, "damaged": []}
