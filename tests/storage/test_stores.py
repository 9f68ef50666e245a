"""What every engine promises: the same tests on memory, SQLite and PostgreSQL."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.storage.conftest import OpenStore
from tests.storage.rows import below, ids_below, put
from windowpane.errors import StorageError, VersionConflict
from windowpane.storage.base import TABLES, Delete, DeleteChildren, Move, Store, Table

UNUSUAL_IDS = ("a", "Z", "z", "é", "ß", "漢字", "😀", "with space", "100%", "quo'te", "a:1:2", "")


@pytest.mark.parametrize("table", TABLES)
async def test_a_row_comes_back_as_it_was_written(store: Store, table: Table) -> None:
    before = datetime.now(UTC)
    change = put("row", parent_id="up", position=7, sealed=b"\x00\xff words", table=table)
    await store.commit([change])

    [row] = await store.get(table, ["row"])

    assert (row.id, row.parent_id, row.position) == ("row", "up", 7)
    assert (row.sealed, row.version) == (b"\x00\xff words", 1)
    assert timedelta(0) <= row.written_at - before < timedelta(minutes=1)
    assert await store.count(table, "up") == 1


@pytest.mark.parametrize("id", UNUSUAL_IDS)
async def test_any_text_can_be_an_id(store: Store, id: str) -> None:
    await store.commit([put(id, parent_id=id)])
    assert [row.id for row in await store.get("records", [id])] == [id]
    assert await ids_below(store, id) == [id]
    assert await ids_below(store, id, "another") == [id]


async def test_a_row_can_be_empty_or_large(store: Store) -> None:
    large = bytes(range(256)) * 20_000
    await store.commit([put("empty", sealed=b""), put("large", sealed=large)])
    empty_row, large_row = await store.get("records", ["empty", "large"])
    assert (empty_row.sealed, large_row.sealed) == (b"", large)


async def test_rows_come_in_the_order_they_were_asked_for(store: Store) -> None:
    await store.commit([put(id) for id in "abcd"])
    rows = await store.get("records", ["d", "missing", "a", "c", "a"])
    assert [row.id for row in rows] == ["d", "a", "c", "a"]
    assert await store.get("records", []) == []


async def test_ids_come_alone_in_order_and_from_a_place_on(store: Store) -> None:
    places = {"c": 1, "a": 2, "b": 2, "other": -5}
    await store.commit([put(id, position=position) for id, position in places.items()])
    assert await store.child_ids("records", "parent", from_position=None) == [
        "other",
        "c",
        "a",
        "b",
    ]
    assert await store.child_ids("records", "parent", from_position=2) == ["a", "b"]
    assert await store.child_ids("records", "nobody", from_position=None) == []


async def test_tables_do_not_see_each_other(store: Store) -> None:
    await store.commit([put("same", table="records"), put("same", table="turns", sealed=b"turn")])
    await store.commit([Delete(table="records", id="same", expected_version=None)])
    assert [row.sealed for row in await store.get("turns", ["same"])] == [b"turn"]


async def test_parents_are_known_as_long_as_they_have_a_row(store: Store) -> None:
    await store.commit(
        [put("one", parent_id="b"), put("two", parent_id="a"), put("three", parent_id="b")]
    )
    assert await store.parents("records") == ["a", "b"]
    await store.commit([DeleteChildren(table="records", parent_id="b")])
    assert await store.parents("records") == ["a"]
    assert await store.parents("turns") == []


async def test_each_write_counts(store: Store) -> None:
    for _ in range(3):
        await store.commit([put("row")])
    [row] = await store.get("records", ["row"])
    assert row.version == 3


async def test_a_write_replaces_place_and_contents(store: Store) -> None:
    await store.commit([put("row", parent_id="old", position=1, sealed=b"old")])
    await store.commit([put("row", parent_id="new", position=2, sealed=b"new")])
    [row] = await store.get("records", ["row"])
    assert (row.parent_id, row.position, row.sealed) == ("new", 2, b"new")
    assert await ids_below(store, "old") == []
    assert await ids_below(store, "new") == ["row"]


async def test_a_deleted_row_that_is_written_again_is_new(store: Store) -> None:
    await store.commit([put("row"), put("row")])
    await store.commit([Delete(table="records", id="row", expected_version=2)])
    await store.commit([put("row", expected_version=0)])
    [row] = await store.get("records", ["row"])
    assert row.version == 1


async def test_children_are_ordered_by_position_then_by_id(store: Store) -> None:
    places = {"b": 2, "a": 2, "c": 1, "Z": 2, "é": 2, "d": -5}
    await store.commit([put(id, position=position) for id, position in places.items()])
    assert await ids_below(store, "parent") == ["d", "c", "Z", "a", "b", "é"]
    assert await ids_below(store, "parent", newest_first=True) == ["é", "b", "a", "Z", "c", "d"]


async def test_pages_go_both_ways_and_include_both_ends(store: Store) -> None:
    await store.commit([put(str(n), position=n) for n in range(10)])
    assert await ids_below(store, "parent", from_position=3, to_position=5) == ["3", "4", "5"]
    assert await ids_below(store, "parent", from_position=8) == ["8", "9"]
    assert await ids_below(store, "parent", to_position=1) == ["0", "1"]
    assert await ids_below(store, "parent", to_position=6, newest_first=True, limit=3) == [*"654"]
    assert await ids_below(store, "parent", from_position=6, limit=2) == ["6", "7"]
    assert await ids_below(store, "parent", limit=0) == []


async def test_several_parents_come_in_the_order_of_their_ids(store: Store) -> None:
    await store.commit(
        [put(f"{parent}{n}", parent_id=parent, position=n) for parent in "cab" for n in (1, 2)]
    )
    assert await ids_below(store, "c", "a", "missing", "a") == ["a1", "a2", "c1", "c2"]
    assert await ids_below(store, "c", "a", newest_first=True) == ["a2", "a1", "c2", "c1"]
    assert await ids_below(store, "c", "b", from_position=2, limit=1) == ["b2"]
    assert await ids_below(store) == []


async def test_thousands_of_parents_are_read_at_once(store: Store) -> None:
    parents = [f"p{n:05}" for n in range(5000)]
    await store.commit([put(f"child of {parent}", parent_id=parent) for parent in parents])
    assert len(await below(store, *parents)) == 5000
    assert len(await store.get("records", [f"child of {parent}" for parent in parents])) == 5000


@pytest.mark.parametrize("expected_version", [0, 1, 3])
async def test_a_row_that_moved_on_stops_the_write(store: Store, expected_version: int) -> None:
    await store.commit([put("row"), put("row", sealed=b"second")])
    with pytest.raises(VersionConflict, match="records/row") as caught:
        await store.commit([put("row", sealed=b"late", expected_version=expected_version)])
    assert (caught.value.table, caught.value.id) == ("records", "row")
    [row] = await store.get("records", ["row"])
    assert (row.version, row.sealed) == (2, b"second")


async def test_a_row_that_is_gone_stops_the_write(store: Store) -> None:
    with pytest.raises(VersionConflict, match="records/row"):
        await store.commit([put("row", expected_version=1)])
    with pytest.raises(VersionConflict, match="records/row"):
        await store.commit([Delete(table="records", id="row", expected_version=1)])
    await store.commit([Delete(table="records", id="row", expected_version=None)])
    assert await store.get("records", ["row"]) == []


async def test_the_expected_version_lets_the_write_through(store: Store) -> None:
    await store.commit([put("row", expected_version=0)])
    await store.commit([put("row", expected_version=1, sealed=b"second")])
    await store.commit([Delete(table="records", id="row", expected_version=2)])
    assert await store.get("records", ["row"]) == []


async def test_a_batch_sees_its_own_earlier_changes(store: Store) -> None:
    await store.commit(
        [
            put("row", expected_version=0),
            put("row", expected_version=1),
            Delete(table="records", id="row", expected_version=2),
            put("row", expected_version=0, sealed=b"last"),
        ]
    )
    [row] = await store.get("records", ["row"])
    assert (row.version, row.sealed) == (1, b"last")


async def test_a_batch_that_fails_leaves_nothing(store: Store) -> None:
    await store.commit([put("kept", position=1), put("moved", position=2), put("cascaded")])
    before = await below(store, "parent", "elsewhere")
    with pytest.raises(VersionConflict, match="turns/missing"):
        await store.commit(
            [
                put("new", expected_version=0),
                put("kept", position=9, sealed=b"changed"),
                Move(table="records", ids=("moved",), to_parent_id="elsewhere"),
                DeleteChildren(table="records", parent_id="parent"),
                Delete(table="turns", id="missing", expected_version=4),
            ]
        )
    assert await below(store, "parent", "elsewhere") == before


async def test_rows_move_to_another_parent_unopened(store: Store) -> None:
    await store.commit([put(id, position=n, sealed=id.encode()) for n, id in enumerate("abc")])
    await store.commit([Move(table="records", ids=("c", "a", "c"), to_parent_id="left")])
    assert await ids_below(store, "parent") == ["b"]
    rows = await below(store, "left")
    assert [(r.id, r.position, r.sealed, r.version) for r in rows] == [
        ("a", 0, b"a", 2),
        ("c", 2, b"c", 2),
    ]


async def test_moving_a_row_that_is_gone_moves_nothing(store: Store) -> None:
    await store.commit([put("here")])
    with pytest.raises(VersionConflict, match="records/gone"):
        await store.commit([Move(table="records", ids=("here", "gone"), to_parent_id="left")])
    assert await ids_below(store, "parent") == ["here"]


async def test_what_a_batch_does_later_does_not_hide_what_it_missed(store: Store) -> None:
    await store.commit([put("here")])
    with pytest.raises(VersionConflict, match="records/gone"):
        await store.commit(
            [
                Move(table="records", ids=("here", "gone"), to_parent_id="left"),
                put("gone"),
                Delete(table="records", id="here", expected_version=None),
            ]
        )
    assert await ids_below(store, "parent") == ["here"]


async def test_who_read_a_row_before_it_moved_cannot_move_it_back(store: Store) -> None:
    await store.commit([put("row", expected_version=0)])
    await store.commit([Move(table="records", ids=("row",), to_parent_id="left")])
    with pytest.raises(VersionConflict):
        await store.commit([put("row", expected_version=1)])


async def test_children_are_deleted_with_their_parent_and_no_others(store: Store) -> None:
    changes = [put(f"{parent}{n}", parent_id=parent) for parent in ("a", "b", "ab") for n in (1, 2)]
    await store.commit([*changes, put("a", parent_id="top", table="turns")])
    await store.commit(
        [
            Delete(table="turns", id="a", expected_version=None),
            DeleteChildren(table="records", parent_id="a"),
            DeleteChildren(table="records", parent_id="ab"),
            DeleteChildren(table="events", parent_id="b"),
        ]
    )
    assert await ids_below(store, "a", "b", "ab") == ["b1", "b2"]
    assert [await store.count("records", parent) for parent in ("a", "b", "ab")] == [0, 2, 0]


async def test_an_empty_batch_is_nothing(store: Store) -> None:
    await store.commit([])
    assert await ids_below(store, "parent") == []


async def test_many_tasks_write_at_once_and_every_write_counts(store: Store) -> None:
    async def write(task: int) -> None:
        for n in range(5):
            changes = [put(f"{task}-{n}", position=n, expected_version=0), put("shared")]
            await store.commit(changes)

    await asyncio.gather(*(write(task) for task in range(40)))

    assert len(await below(store, "parent")) == 201
    [shared] = await store.get("records", ["shared"])
    assert shared.version == 200


async def test_of_many_claims_at_once_one_wins(store: Store) -> None:
    async def claim(task: int) -> int | None:
        try:
            claimed = put("claim", sealed=str(task).encode(), expected_version=0)
            await store.commit([put(f"attempt {task}"), claimed])
        except VersionConflict:
            return None
        return task

    outcomes = await asyncio.gather(*(claim(task) for task in range(40)))

    [winner] = [task for task in outcomes if task is not None]
    [row] = await store.get("records", ["claim"])
    assert row.sealed == str(winner).encode()
    assert await ids_below(store, "parent") == [f"attempt {winner}", "claim"]


async def test_reading_while_others_write_shows_whole_batches(store: Store) -> None:
    async def write() -> None:
        for n in range(50):
            pair = [put("left", position=n), put("right", position=n)]
            await store.commit(pair)

    writing = asyncio.create_task(write())
    while not writing.done():
        assert len({row.position for row in await below(store, "parent")}) <= 1
        await asyncio.sleep(0)
    await writing


async def test_an_error_in_one_batch_does_not_touch_its_neighbours(store: Store) -> None:
    await store.commit([put("taken")])

    async def write(n: int) -> None:
        batch = [put(f"{n}"), put("taken" if n % 2 else f"free {n}", expected_version=0)]
        await store.commit(batch)

    outcomes = await asyncio.gather(*(write(n) for n in range(20)), return_exceptions=True)

    assert [isinstance(outcome, VersionConflict) for outcome in outcomes] == [False, True] * 10
    found = await store.get("records", [str(n) for n in range(20)])
    assert [row.id for row in found] == [str(n) for n in range(0, 20, 2)]


async def test_a_caller_that_stops_waiting_harms_nobody(store: Store) -> None:
    tasks = [asyncio.create_task(store.commit([put(f"{n}"), put(f"also {n}")])) for n in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await store.commit([put("after")])

    ids = set(await ids_below(store, "parent"))
    assert {f"{n}" for n in range(1, 20, 2)} <= ids and "after" in ids
    assert all((f"{n}" in ids) == (f"also {n}" in ids) for n in range(20))


async def test_epochs_are_never_given_twice(store: Store) -> None:
    epochs = await asyncio.gather(*(store.next_epoch() for _ in range(30)))
    assert len(set(epochs)) == 30
    assert await store.next_epoch() > max(epochs)


async def test_a_process_lives_from_joining_to_closing(
    database: str, open_store: OpenStore
) -> None:
    store = await open_store(database)
    assert not await store.is_alive("prc_one")
    await store.join("prc_one")
    await store.join("prc_one")
    assert await store.is_alive("prc_one")
    assert not await store.is_alive("prc_two")
    await store.close()
    await store.open()
    assert not await store.is_alive("prc_one")


async def test_the_size_grows_with_what_is_stored(store: Store) -> None:
    before = await store.size_bytes()
    await store.commit([put(str(n), sealed=bytes(10_000)) for n in range(100)])
    assert await store.size_bytes() >= before + 1_000_000 - 50_000


async def test_a_closed_store_opens_again(database: str, open_store: OpenStore) -> None:
    store = await open_store(database)
    await store.commit([put("row")])
    await store.close()
    await store.close()
    await store.open()
    await store.open()
    assert await ids_below(store, "parent") == ["row"]


async def test_a_closed_store_says_so(shared_database: str, open_store: OpenStore) -> None:
    store = await open_store(shared_database)
    await store.close()
    with pytest.raises(StorageError, match=r"is closed\."):
        await store.get("records", ["row"])
    with pytest.raises(StorageError, match=r"is closed\."):
        await store.commit([put("row")])
