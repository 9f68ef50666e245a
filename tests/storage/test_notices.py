"""What processes on one database tell each other, on every engine that more than one can use."""

import pytest

from tests.storage.conftest import OpenStore
from tests.storage.hearing import listening
from tests.storage.other_process import other_process
from tests.storage.rows import put
from windowpane.errors import VersionConflict
from windowpane.storage.base import Delete, DeleteChildren, Notice
from windowpane.storage.memory import MemoryStore
from windowpane.storage.notices import MOST_NOTICES


def run_of(chat_id: str) -> Notice:
    return Notice(table="runs", id=chat_id, parent_id="")


async def test_what_one_process_commits_the_others_hear(
    shared_database: str, open_store: OpenStore
) -> None:
    one, two, writer = [await open_store(shared_database) for _ in range(3)]
    ears = [await listening(one), await listening(two)]
    await writer.commit([put("cht_1", parent_id="", table="runs")])
    for ear in ears:
        await ear.until_told(run_of("cht_1"))


async def test_a_real_other_process_is_heard(shared_database: str, open_store: OpenStore) -> None:
    ear = await listening(await open_store(shared_database))
    with other_process(shared_database, "tell", "cht_1"):
        await ear.until_told(run_of("cht_1"))


async def test_what_is_deleted_is_told_too(shared_database: str, open_store: OpenStore) -> None:
    store, writer = [await open_store(shared_database) for _ in range(2)]
    await writer.commit([put("cht_1", table="chats"), put("part", parent_id="cht_1", table="runs")])
    ear = await listening(store)
    await writer.commit(
        [
            Delete(table="chats", id="cht_1", expected_version=None),
            DeleteChildren(table="runs", parent_id="cht_1"),
        ]
    )
    await ear.until_told(Notice(table="chats", id="cht_1", parent_id=""))
    await ear.until_told(Notice(table="runs", id="", parent_id="cht_1"))


async def test_nobody_hears_himself(shared_database: str, open_store: OpenStore) -> None:
    mine, other = [await open_store(shared_database) for _ in range(2)]
    my_ear, other_ear = await listening(mine), await listening(other)
    await mine.commit([put("cht_1", parent_id="", table="runs")])
    await other_ear.until_told(run_of("cht_1"))
    assert my_ear.heard == []


async def test_what_was_refused_is_not_told(shared_database: str, open_store: OpenStore) -> None:
    store, writer = [await open_store(shared_database) for _ in range(2)]
    await writer.commit([put("cht_1", parent_id="", table="runs")])
    ear = await listening(store)
    with pytest.raises(VersionConflict):
        await writer.commit(
            [
                put("cht_2", parent_id="", table="runs"),
                put("cht_1", parent_id="", table="runs", expected_version=0),
            ]
        )
    # The refusal came first, so it would have been heard first.
    await writer.commit([put("cht_3", parent_id="", table="runs")])
    await ear.until_told(run_of("cht_3"))
    assert len(ear.heard) == 1


async def test_a_batch_that_touches_much_says_that_anything_may_have_changed(
    shared_database: str, open_store: OpenStore
) -> None:
    store, writer = [await open_store(shared_database) for _ in range(2)]
    ear = await listening(store)
    await writer.commit([put(f"cht_{n}", table="chats") for n in range(MOST_NOTICES + 1)])
    await ear.until(lambda: bool(ear.heard))
    assert ear.heard == [None]


async def test_a_store_that_is_closed_is_silent(
    shared_database: str, open_store: OpenStore
) -> None:
    closed, writer, witness = [await open_store(shared_database) for _ in range(3)]
    ear, other = await listening(closed), await listening(witness)
    await closed.close()
    await writer.commit([put("cht_1", parent_id="", table="runs")])
    await other.until_told(run_of("cht_1"))
    assert ear.heard == []


async def test_in_memory_there_is_nobody_to_hear() -> None:
    store = MemoryStore()
    ear = await listening(store)
    await store.commit([put("cht_1", table="runs")])
    assert ear.heard == []
