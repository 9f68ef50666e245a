"""Which engine a setting means, and that the others stay unloaded."""

import subprocess
import sys
from pathlib import Path

import pytest

from windowpane.errors import BadSetting
from windowpane.storage.choose import store_from
from windowpane.storage.memory import MemoryStore
from windowpane.storage.postgres import PostgresStore
from windowpane.storage.sqlite import SqliteStore


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_postgres_url_means_postgres(scheme: str) -> None:
    assert isinstance(store_from(f"{scheme}://somebody@localhost/chats"), PostgresStore)


def test_memory_means_memory() -> None:
    assert isinstance(store_from("memory:"), MemoryStore)


async def test_a_path_means_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    store = store_from("~/chats.db")
    assert isinstance(store, SqliteStore)
    await store.open()
    await store.close()
    assert (tmp_path / "chats.db").exists()


@pytest.mark.parametrize(
    "database", ["", "/", ".", "mysql://localhost/chats", "https://example.org"]
)
def test_anything_else_is_refused(database: str) -> None:
    with pytest.raises(BadSetting, match=r"The setting database is neither a PostgreSQL URL"):
        store_from(database)


def test_what_a_sqlite_user_does_not_need_is_not_loaded() -> None:
    code = (
        "import sys, windowpane.storage.choose as c, windowpane.storage.keys; c.store_from('x.db');"
        " print(sorted({'psycopg', 'psycopg_pool', 'argon2', 'uvloop'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
