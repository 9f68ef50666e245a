"""Every engine against a dictionary: random batches, the same rows, the same conflicts."""

from itertools import count
from typing import assert_never

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tests.storage.rows import below
from windowpane.errors import VersionConflict
from windowpane.storage.base import Change, Delete, DeleteChildren, Move, Put, Store, Table

# One database serves all examples; each lives below ids of its own.
examples = count()

Place = tuple[Table, str]


class Kept(Struct, frozen=True):
    parent_id: str
    position: int
    sealed: bytes
    version: int


class Query(Struct, frozen=True, kw_only=True):
    table: Table
    parent_ids: list[str]
    from_position: int | None
    to_position: int | None
    newest_first: bool
    limit: int | None


MODELLED: tuple[Table, ...] = ("records", "turns")
tables = st.sampled_from(MODELLED)
names = st.sampled_from(["a", "b", "ab", "Z", "é", "漢", "😀", ""])
positions = st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])
versions = st.none() | st.integers(0, 3)
puts = st.builds(
    Put,
    table=tables,
    id=names,
    parent_id=names,
    position=positions,
    sealed=st.binary(max_size=8),
    expected_version=versions,
)
moves = st.builds(
    Move, table=tables, ids=st.lists(names, min_size=1).map(tuple), to_parent_id=names
)
deletes = st.builds(Delete, table=tables, id=names, expected_version=st.none() | st.integers(1, 3))
cascades = st.builds(DeleteChildren, table=tables, parent_id=names)
batches = st.lists(puts | puts | moves | deletes | cascades, max_size=8)
queries = st.builds(
    Query,
    table=tables,
    parent_ids=st.lists(names, max_size=5),
    from_position=st.none() | positions,
    to_position=st.none() | positions,
    newest_first=st.booleans(),
    limit=st.none() | st.integers(0, 5),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(batches, queries), max_size=10))
async def test_an_engine_behaves_like_a_dictionary(
    store: Store, steps: list[tuple[list[Change], Query]]
) -> None:
    prefix = f"{next(examples)}/"
    model: dict[Place, Kept] = {}
    for batch, query in steps:
        after = outcome_of(model, batch)
        seen = await what_happens(store, [within(prefix, change) for change in batch])
        if isinstance(after, dict):
            assert seen is None
            model = after
        else:
            assert seen == (after[0], prefix + after[1])
        await compare(store, model, query, prefix)


async def what_happens(store: Store, batch: list[Change]) -> Place | None:
    try:
        await store.commit(batch)
    except VersionConflict as conflict:
        return ("turns" if conflict.table == "turns" else "records", conflict.id)
    return None


async def compare(store: Store, model: dict[Place, Kept], query: Query, prefix: str) -> None:
    rows = await below(
        store,
        *(prefix + id for id in query.parent_ids),
        from_position=query.from_position,
        to_position=query.to_position,
        newest_first=query.newest_first,
        limit=query.limit,
        table=query.table,
    )
    shown = [
        (row.id, Kept(row.parent_id.removeprefix(prefix), row.position, row.sealed, row.version))
        for row in rows
    ]
    assert shown == [(prefix + id, kept) for id, kept in answer(model, query)]
    for parent_id in query.parent_ids:
        kept = [k for (t, _), k in model.items() if (t, k.parent_id) == (query.table, parent_id)]
        assert await store.count(query.table, prefix + parent_id) == len(kept)


def answer(model: dict[Place, Kept], query: Query) -> list[tuple[str, Kept]]:
    def is_in(kept: Kept) -> bool:
        after = query.from_position is None or kept.position >= query.from_position
        before = query.to_position is None or kept.position <= query.to_position
        return after and before and kept.parent_id in query.parent_ids

    rows = [(id, kept) for (t, id), kept in model.items() if t == query.table and is_in(kept)]
    rows.sort(key=lambda row: (row[1].position, row[0]), reverse=query.newest_first)
    rows.sort(key=lambda row: row[1].parent_id)
    return rows if query.limit is None else rows[: query.limit]


def outcome_of(model: dict[Place, Kept], batch: list[Change]) -> dict[Place, Kept] | Place:
    """What the model is after the batch, or the place at which the batch fails."""
    after = dict(model)
    for change in batch:
        if (failed_at := step(after, change)) is not None:
            return failed_at
    return after


def step(model: dict[Place, Kept], change: Change) -> Place | None:
    match change:
        case Put():
            return put_step(model, change)
        case Move():
            return move_step(model, change)
        case Delete(table=table, id=id, expected_version=expected):
            old = model.get((table, id))
            if expected is not None and (old is None or old.version != expected):
                return (table, id)
            model.pop((table, id), None)
        case DeleteChildren(table=table, parent_id=parent_id):
            for place, kept in list(model.items()):
                if (place[0], kept.parent_id) == (table, parent_id):
                    del model[place]
        case _:
            assert_never(change)
    return None


def put_step(model: dict[Place, Kept], put: Put) -> Place | None:
    place = (put.table, put.id)
    version = model[place].version if place in model else 0
    if put.expected_version not in (None, version):
        return place
    model[place] = Kept(put.parent_id, put.position, put.sealed, version + 1)
    return None


def move_step(model: dict[Place, Kept], move: Move) -> Place | None:
    for id in move.ids:
        if (move.table, id) not in model:
            return (move.table, id)
    for id in set(move.ids):
        old = model[move.table, id]
        moved = Kept(move.to_parent_id, old.position, old.sealed, old.version + 1)
        model[move.table, id] = moved
    return None


def within(prefix: str, change: Change) -> Change:
    """The same change, to rows that belong to this example only."""
    match change:
        case Put():
            return Put(
                table=change.table,
                id=prefix + change.id,
                parent_id=prefix + change.parent_id,
                position=change.position,
                sealed=change.sealed,
                expected_version=change.expected_version,
            )
        case Move(table=table, ids=ids, to_parent_id=parent_id):
            moved = tuple(prefix + id for id in ids)
            return Move(table=table, ids=moved, to_parent_id=prefix + parent_id)
        case Delete(table=table, id=id, expected_version=expected):
            return Delete(table=table, id=prefix + id, expected_version=expected)
        case DeleteChildren(table=table, parent_id=parent_id):
            return DeleteChildren(table=table, parent_id=prefix + parent_id)
        case _:
            assert_never(change)
