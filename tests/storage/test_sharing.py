"""More than one store on the same database, in this process and in others."""

import asyncio
import signal
from subprocess import Popen

import pytest

from tests.storage.conftest import OpenStore
from tests.storage.other_process import lines_left, other_process, read_line
from tests.storage.rows import below, ids_below, put
from windowpane.errors import StorageError, VersionConflict
from windowpane.storage.base import Store

PATIENCE_SECONDS = 30


async def until_dead(store: Store, process_id: str) -> None:
    """PostgreSQL learns from the kernel a moment later; the file's lock is gone at once."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await store.is_alive(process_id):
            await asyncio.sleep(0.01)


async def test_what_one_store_writes_the_other_reads(
    shared_database: str, open_store: OpenStore
) -> None:
    one, other = await open_store(shared_database), await open_store(shared_database)
    await one.commit([put("row", sealed=b"by one", expected_version=0)])
    await other.commit([put("row", sealed=b"by the other", expected_version=1)])
    with pytest.raises(VersionConflict):
        await one.commit([put("row", expected_version=1)])
    assert [row.sealed for row in await one.get("records", ["row"])] == [b"by the other"]


async def test_two_stores_open_a_new_database_at_the_same_moment(
    shared_database: str, open_store: OpenStore
) -> None:
    stores = await asyncio.gather(*(open_store(shared_database) for _ in range(6)))
    await asyncio.gather(*(store.commit([put("row")]) for store in stores))
    [row] = await stores[0].get("records", ["row"])
    assert row.version == 6


async def test_stores_that_write_at_once_lose_nothing(
    shared_database: str, open_store: OpenStore
) -> None:
    stores = [await open_store(shared_database) for _ in range(3)]

    async def write(store: Store, name: int) -> None:
        for n in range(40):
            await store.commit([put(f"{name}-{n}", expected_version=0), put("shared")])

    await asyncio.gather(*(write(store, name) for name, store in enumerate(stores)))

    [shared] = await stores[0].get("records", ["shared"])
    assert shared.version == 120
    assert len(await below(stores[1], "parent")) == 121


async def test_batches_that_touch_the_same_rows_in_another_order_all_succeed(
    shared_database: str, open_store: OpenStore
) -> None:
    stores = [await open_store(shared_database) for _ in range(2)]
    forward = [put(f"row {n}") for n in range(30)]

    async def write(store: Store, *, backward: bool) -> None:
        for _ in range(10):
            await store.commit(forward[::-1] if backward else forward)

    await asyncio.gather(*(write(store, backward=store is stores[0]) for store in stores))

    assert {row.version for row in await below(stores[0], "parent")} == {20}


async def test_processes_share_one_count_of_epochs(
    shared_database: str, open_store: OpenStore
) -> None:
    store = await open_store(shared_database)
    with (
        other_process(shared_database, "count", "30") as one,
        other_process(shared_database, "count", "30") as other,
    ):
        mine: list[int] = []
        for _ in range(30):
            await store.commit([put("counter")])
            mine.append(await store.next_epoch())
        theirs = [int(line) for process in (one, other) for line in lines_left(process)]

    assert len(theirs) == 60
    assert len({*mine, *theirs}) == 90
    [counter] = await store.get("records", ["counter"])
    assert counter.version == 90


async def test_a_killed_process_is_known_to_be_dead(
    shared_database: str, open_store: OpenStore
) -> None:
    store = await open_store(shared_database)
    await store.join("prc_mine")
    with other_process(shared_database, "live", "prc_theirs") as process:
        assert await store.is_alive("prc_theirs")
        process.send_signal(signal.SIGKILL)
        process.wait()
        await until_dead(store, "prc_theirs")
    assert await store.is_alive("prc_mine")


async def test_a_process_that_hangs_is_alive(shared_database: str, open_store: OpenStore) -> None:
    store = await open_store(shared_database)
    with other_process(shared_database, "live", "prc_theirs") as process:
        process.send_signal(signal.SIGSTOP)
        assert await store.is_alive("prc_theirs")
        process.send_signal(signal.SIGCONT)


async def test_two_processes_cannot_live_under_one_id(
    shared_database: str, open_store: OpenStore
) -> None:
    store = await open_store(shared_database)
    with other_process(shared_database, "live", "prc_same"):
        with pytest.raises(StorageError, match="Another process lives under the same id: prc_same"):
            await store.join("prc_same")


async def test_looking_whether_a_process_lives_never_stops_it_from_joining(
    shared_database: str, open_store: OpenStore
) -> None:
    looking, joining = await open_store(shared_database), await open_store(shared_database)

    async def look() -> None:
        while True:
            await looking.is_alive("prc_1")

    looks = [asyncio.create_task(look()) for _ in range(4)]
    await joining.join("prc_1")
    assert await looking.is_alive("prc_1")
    for task in looks:
        task.cancel()
    await asyncio.gather(*looks, return_exceptions=True)


async def test_a_process_killed_while_writing_leaves_whole_batches(
    shared_database: str, open_store: OpenStore
) -> None:
    store = await open_store(shared_database)
    for attempt in range(5):
        with other_process(shared_database, "write", f"attempt {attempt}") as process:
            last = await asyncio.to_thread(read_some, process)
            process.kill()
            last = max([last, *(int(line) for line in lines_left(process))])
        ids = [id for id in await ids_below(store, "parent") if id.startswith(f"attempt {attempt}")]
        left = {id.removesuffix(" left") for id in ids if id.endswith(" left")}
        right = {id.removesuffix(" right") for id in ids if id.endswith(" right")}
        assert left == right >= {f"attempt {attempt} {n}" for n in range(last + 1)}


def read_some(process: Popen[str]) -> int:
    return [int(read_line(process)) for _ in range(20)][-1]
