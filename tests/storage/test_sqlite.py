"""The SQLite file itself: who may read it, and what is said when it cannot be used."""

import asyncio
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.storage.conftest import OpenStore
from tests.storage.ordinary import run_as_ordinary
from tests.storage.rows import below, ids_below, put
from windowpane.errors import DiskFull, StorageError, StoreUnreachable
from windowpane.storage import sqlite_file
from windowpane.storage.base import DeleteChildren

CANARY = b"canary-in-ciphertext"


@pytest.fixture
def path(data_dir: Path) -> Path:
    return data_dir / "windowpane.sqlite3"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def test_only_its_owner_can_read_the_database(path: Path, open_store: OpenStore) -> None:
    before = os.umask(0)
    try:
        store = await open_store(str(path))
        await store.commit([put("row")])
        await store.join("prc_1")
    finally:
        os.umask(before)
    assert {file.name: mode(file) for file in path.parent.rglob("*")} == {
        "windowpane.sqlite3": 0o600,
        "windowpane.sqlite3-wal": 0o600,
        "windowpane.sqlite3-shm": 0o600,
        "windowpane.sqlite3-processes": 0o700,
        "prc_1.lock": 0o600,
    }


async def test_what_was_deleted_is_overwritten(path: Path, open_store: OpenStore) -> None:
    store = await open_store(str(path))
    await store.commit([put(str(n), sealed=CANARY * 20) for n in range(200)])
    await store.close()
    assert CANARY in path.read_bytes()

    await store.open()
    await store.commit([DeleteChildren(table="records", parent_id="parent")])
    await store.close()
    assert CANARY not in path.read_bytes()
    assert not path.with_name(f"{path.name}-wal").exists()


async def test_files_of_dead_processes_are_removed(path: Path, open_store: OpenStore) -> None:
    store = await open_store(str(path))
    folder = path.with_name(f"{path.name}-processes")
    folder.mkdir()
    for name in ("prc_dead", "prc_long_dead"):
        (folder / f"{name}.lock").touch()
    assert not await store.is_alive("prc_dead")
    assert [file.name for file in folder.iterdir()] == ["prc_long_dead.lock"]
    await store.join("../outside")
    assert [file.name for file in folder.iterdir()] == ["..%2Foutside.lock"]


async def test_a_folder_of_processes_that_cannot_be_made_is_named(
    path: Path, open_store: OpenStore
) -> None:
    path.with_name(f"{path.name}-processes").touch()
    store = await open_store(str(path))
    with pytest.raises(StorageError, match="sqlite3-processes cannot be used: File exists"):
        await store.join("prc_1")
    await store.commit([put("row")])


async def test_a_missing_folder_is_named(data_dir: Path, open_store: OpenStore) -> None:
    missing = data_dir / "missing"
    with pytest.raises(StoreUnreachable, match=f"The folder {missing} .* does not exist. Create"):
        await open_store(str(missing / "windowpane.sqlite3"))


async def test_a_folder_is_not_a_database(data_dir: Path, open_store: OpenStore) -> None:
    with pytest.raises(StoreUnreachable, match=f"{data_dir} cannot be opened .*Is a directory"):
        await open_store(str(data_dir))


@pytest.mark.parametrize("contents", [b"notes of mine\n" * 100, b"short", bytes(range(256)) * 40])
async def test_a_file_of_another_kind_is_left_alone(
    path: Path, open_store: OpenStore, contents: bytes
) -> None:
    path.write_bytes(contents)
    with pytest.raises(StoreUnreachable, match=f"{path} is not a Windowpane database"):
        await open_store(str(path))
    assert path.read_bytes() == contents


async def test_a_database_of_another_program_is_left_alone(
    path: Path, open_store: OpenStore
) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE records (theirs)")
    other.close()
    contents = path.read_bytes()
    with pytest.raises(StoreUnreachable, match="database of another program, and was left"):
        await open_store(str(path))
    assert path.read_bytes() == contents


async def test_an_empty_file_becomes_a_database(path: Path, open_store: OpenStore) -> None:
    path.touch()
    store = await open_store(str(path))
    await store.commit([put("row")])
    assert await ids_below(store, "parent") == ["row"]


def test_a_folder_without_permission_is_named(path: Path) -> None:
    path.parent.chmod(0o500)
    said = run_as_ordinary(OPEN_AND_SAY, str(path))
    assert said.startswith(f"StoreUnreachable The database {path} cannot be opened for writing: ")
    assert "Permission denied. Check the permissions" in said


async def test_a_database_without_permission_is_named(path: Path, open_store: OpenStore) -> None:
    store = await open_store(str(path))
    await store.close()
    path.chmod(0o400)
    said = run_as_ordinary(OPEN_AND_SAY, str(path))
    assert said.startswith(f"StoreUnreachable The database {path} cannot be opened for writing: ")
    assert "Permission denied. Check the permissions" in said


OPEN_AND_SAY = """
import asyncio, sys
from windowpane.storage.choose import store_from
try:
    asyncio.run(store_from(sys.argv[1]).open())
except Exception as error:
    print(type(error).__name__, error)
"""


async def test_a_damaged_database_is_named(path: Path, open_store: OpenStore) -> None:
    store = await open_store(str(path))
    await store.commit([put(str(n), sealed=bytes(2000)) for n in range(200)])
    await store.close()
    contents = bytearray(path.read_bytes())
    second_half = len(contents) // 2
    contents[second_half:] = b"\xff" * (len(contents) - second_half)
    path.write_bytes(contents)

    await store.open()
    with pytest.raises(StorageError, match=f"{path} is damaged .*Restore a backup"):
        await below(store, "parent")


async def test_a_database_that_stays_locked_is_named(
    path: Path, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.2)
    store = await open_store(str(path))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    commits = (store.commit([put(str(n))]) for n in range(3))
    outcomes = await asyncio.gather(*commits, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnreachable] * 3
    assert re.search(f"Another program has kept {path} locked for", str(outcomes[0]))
    assert await ids_below(store, "parent") == []

    other.execute("ROLLBACK")
    other.close()
    await store.commit([put("row")])
    assert await ids_below(store, "parent") == ["row"]


async def test_a_full_disk_is_named_and_the_store_goes_on(
    path: Path, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_pages(monkeypatch, pages=100)
    store = await open_store(str(path))
    await store.commit([put("kept", sealed=b"kept")])

    large = [put(f"large {n}", sealed=bytes(100_000)) for n in range(10)]
    with pytest.raises(DiskFull, match=f"disk that holds {path} is full .*bytes free") as caught:
        await store.commit(large)
    free = int(re.sub(r"\D", "", re.findall(r"\(([\d,]+) bytes free", str(caught.value))[0]))
    assert free <= shutil.disk_usage(path.parent).total

    assert await ids_below(store, "parent") == ["kept"]
    await store.commit([put("small")])
    assert await ids_below(store, "parent") == ["kept", "small"]


async def test_a_batch_that_does_not_fit_does_not_take_its_neighbours_along(
    path: Path, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_pages(monkeypatch, pages=150)
    store = await open_store(str(path))
    batches = [put(f"{n}", sealed=bytes(1_000_000 if n == 5 else 10)) for n in range(10)]

    commits = (store.commit([batch]) for batch in batches)
    outcomes = await asyncio.gather(*commits, return_exceptions=True)

    assert [n for n, outcome in enumerate(outcomes) if isinstance(outcome, DiskFull)] == [5]
    assert await ids_below(store, "parent") == [f"{n}" for n in range(10) if n != 5]


async def test_a_folder_that_is_taken_away_leaves_nobody_waiting(
    path: Path, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_pages(monkeypatch, pages=100)
    store = await open_store(str(path))
    shutil.rmtree(path.parent)
    with pytest.raises(StorageError, match=str(path)):
        await store.commit([put("large", sealed=bytes(1_000_000))])


def limit_pages(monkeypatch: pytest.MonkeyPatch, *, pages: int) -> None:
    """A small disk, as far as SQLite can tell."""
    connect = sqlite3.connect

    def connect_small(path: Path, *, timeout: float, **_: object) -> sqlite3.Connection:
        connection = connect(path, timeout=timeout, isolation_level=None)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_small)


def test_a_write_that_the_system_refuses_is_named_and_the_store_goes_on(path: Path) -> None:
    command = [sys.executable, "-c", WRITE_WITH_A_LIMIT, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second, found = done.stdout.strip().split("\n")
    assert first.startswith(f"StorageError Reading or writing {path} failed (SQLITE_IOERR_WRITE;")
    assert (second, found) == ("stored", "['small']")


WRITE_WITH_A_LIMIT = f"""
import asyncio, resource, sys
from windowpane.storage.base import Put
from windowpane.storage.choose import store_from

async def commit(store, id, size):
    put = Put(table="records", id=id, parent_id="", position=0, sealed=bytes(size),
              expected_version=None)
    try:
        await store.commit([put])
        print("stored")
    except Exception as error:
        print(type(error).__name__, error)

async def main():
    store = store_from(sys.argv[1])
    await store.open()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, {resource.RLIM_INFINITY}))
    await commit(store, "large", 5_000_000)
    await commit(store, "small", 1_000)
    print([row.id for row in await store.get("records", ["large", "small"])])
    await store.close()

asyncio.run(main())
"""


async def test_a_fault_in_one_write_is_its_own(path: Path, open_store: OpenStore) -> None:
    store = await open_store(str(path))
    commits = [put("before"), put("too large", position=2**70), put("after")]
    outcomes = await asyncio.gather(
        *(store.commit([commit]) for commit in commits), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [type(None), OverflowError, type(None)]
    assert await ids_below(store, "parent") == ["after", "before"]


def test_a_store_whose_event_loop_is_gone_ends_quietly(path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", LEAVE_WITHOUT_CLOSING, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("left\n", "")


LEAVE_WITHOUT_CLOSING = """
import asyncio, sys
from windowpane.storage.choose import store_from

async def main():
    store = store_from(sys.argv[1])
    await store.open()
    asyncio.create_task(store.next_epoch())
    await asyncio.sleep(0)

asyncio.run(main())
print("left")
"""


async def test_opening_that_is_given_up_leaves_no_thread(path: Path, open_store: OpenStore) -> None:
    opening = asyncio.ensure_future(open_store(str(path)))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    store = await open_store(str(path))
    await store.commit([put("row")])
