"""What ``PostgresStore`` reads and writes, as statements on a connection.

No pool, no retries and no error sentences here: the caller has those. A batch goes to the server
in one piece and comes back in one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import LiteralString, assert_never, cast

from msgspec import Struct
from psycopg import AsyncConnection, AsyncCursor

from windowpane.errors import VersionConflict
from windowpane.storage.base import TABLES, Change, Delete, DeleteChildren, Move, Put, Row, Table
from windowpane.storage.notices import encoded, notices_of
from windowpane.storage.rows import (
    COLUMNS,
    HIGHEST_POSITION,
    LOWEST_POSITION,
    Columns,
    now_micros,
    row_from,
)

Connection = AsyncConnection[tuple[object, ...]]
# On which processes tell each other what they committed.
CHANNEL: LiteralString = "windowpane"
Parameter = str | int | bytes | list[str] | None


async def rows_with(connection: Connection, *, table: Table, ids: Sequence[str]) -> list[Row]:
    found = await _select(connection, f"{table} WHERE id = ANY(%s)", [list(ids)])
    by_id = {row.id: row for row in found}
    return [by_id[id] for id in ids if id in by_id]


async def rows_below(
    connection: Connection,
    *,
    table: Table,
    parent_ids: Sequence[str],
    from_position: int | None,
    to_position: int | None,
    newest_first: bool,
    limit: int | None,
) -> list[Row]:
    # For one parent the index gives the order; for several the server has to sort.
    is_one = len(parent_ids) == 1
    among = "= %s" if is_one else "= ANY(%s)"
    order = "position DESC, id DESC" if newest_first else "position, id"
    what: LiteralString = (
        f"{table} WHERE parent_id {among} AND position BETWEEN %s AND %s"
        f" ORDER BY parent_id, {order} LIMIT %s"
    )
    values = (
        parent_ids[0] if is_one else list(parent_ids),
        LOWEST_POSITION if from_position is None else from_position,
        HIGHEST_POSITION if to_position is None else to_position,
        limit,
    )
    return await _select(connection, what, values)


async def ids_below(
    connection: Connection, *, table: Table, parent_id: str, from_position: int | None
) -> list[str]:
    cursor = await connection.execute(
        f"SELECT id FROM {table} WHERE parent_id = %s AND position >= %s ORDER BY position, id",
        [parent_id, LOWEST_POSITION if from_position is None else from_position],
    )
    return [id for (id,) in cast(list[tuple[str]], await cursor.fetchall())]


async def count_below(connection: Connection, *, table: Table, parent_id: str) -> int:
    return await _number(
        connection, f"SELECT count(*) FROM {table} WHERE parent_id = %s", [parent_id]
    )


async def parents_in(connection: Connection, *, table: Table) -> list[str]:
    found = await connection.execute(f"SELECT DISTINCT parent_id FROM {table} ORDER BY parent_id")
    return [cast(tuple[str], row)[0] for row in await found.fetchall()]


async def next_epoch(connection: Connection) -> int:
    return await _number(connection, "SELECT nextval('epochs')", [])


async def size_bytes(connection: Connection) -> int:
    return await _number(
        connection,
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
        " WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%s)",
        [list(TABLES)],
    )


async def is_locked(connection: Connection, *, key: int) -> bool:
    """Whether a session holds the key; many may look at the same time."""
    looked = await _number(connection, "SELECT pg_try_advisory_xact_lock_shared(%s)::int", [key])
    return looked == 0


async def was_committed(connection: Connection, *, transaction_id: str) -> bool | None:
    """None while the server itself does not know yet."""
    cursor = await connection.execute("SELECT pg_xact_status(%s::xid8)", [transaction_id])
    match await cursor.fetchone():
        case ("committed",):
            return True
        case ("aborted",):
            return False
        case _:
            return None


async def begin(connection: Connection, *, changes: Sequence[Change], sender: str) -> str:
    """Make the changes in a transaction that stays open; its id is given back.

    What others are told goes out with the commit, if there is one. Raises ``VersionConflict``
    with the transaction still open, too.
    """
    statements = list(_statements(changes, written_at=now_micros()))
    told = [encoded(notice, sender=sender) for notice in notices_of(changes)]
    async with connection.pipeline():
        await connection.execute("BEGIN")
        opened = await connection.execute("SELECT pg_current_xact_id()::text")
        cursors = [await connection.execute(s.query, s.values) for s in statements]
        if told:
            await connection.execute(
                f"SELECT pg_notify('{CHANNEL}', told) FROM unnest(%s::text[]) AS told", [told]
            )
    for statement, cursor in zip(statements, cursors, strict=True):
        if cursor.rowcount < len(statement.must_exist):
            raise VersionConflict(table=statement.table, id=await _gone(statement, cursor))
    return cast(tuple[str], await opened.fetchone())[0]


class _Statement(Struct, frozen=True, kw_only=True):
    """``must_exist``: the ids of the rows that it has to find, or somebody was faster."""

    table: Table
    query: LiteralString
    values: dict[str, Parameter]
    must_exist: tuple[str, ...]


def _statements(changes: Iterable[Change], *, written_at: int) -> Iterator[_Statement]:
    for are_cascades, run in groupby(changes, lambda change: isinstance(change, DeleteChildren)):
        if are_cascades:
            yield from _cascades(cast(Iterator[DeleteChildren], run))
            continue
        for change in run:
            match change:
                case Put():
                    yield _put(change, written_at=written_at)
                case Move():
                    yield _move(change, written_at=written_at)
                case Delete():
                    yield _delete(change)
                case DeleteChildren():
                    yield from _cascades([change])
                case _:
                    assert_never(change)


def _put(put: Put, *, written_at: int) -> _Statement:
    # %b sends bytes as they are; as text they would be twice as many.
    insert: LiteralString = (
        f"INSERT INTO {put.table} AS old ({COLUMNS})"
        " VALUES (%(id)s, %(parent)s, %(place)s, %(at)s, 1, %(sealed)b)"
    )
    update: LiteralString = (
        "SET parent_id = %(parent)s, position = %(place)s, written_at = %(at)s,"
        " sealed = %(sealed)b, version = old.version + 1"
    )
    match put.expected_version:
        case None:
            query = f"{insert} ON CONFLICT (id) DO UPDATE {update}"
        case 0:
            query = f"{insert} ON CONFLICT (id) DO NOTHING"
        case _:
            query = (
                f"UPDATE {put.table} AS old {update} WHERE id = %(id)s AND version = %(expected)s"
            )
    values: dict[str, Parameter] = {
        "id": put.id,
        "parent": put.parent_id,
        "place": put.position,
        "at": written_at,
        "sealed": put.sealed,
        "expected": put.expected_version,
    }
    return _Statement(table=put.table, query=query, values=values, must_exist=(put.id,))


def _move(move: Move, *, written_at: int) -> _Statement:
    query: LiteralString = (
        f"UPDATE {move.table} SET parent_id = %(parent)s, written_at = %(at)s,"
        " version = version + 1 WHERE id = ANY(%(ids)s) RETURNING id"
    )
    ids = tuple(dict.fromkeys(move.ids))
    values: dict[str, Parameter] = {
        "parent": move.to_parent_id,
        "at": written_at,
        "ids": list(ids),
    }
    return _Statement(table=move.table, query=query, values=values, must_exist=ids)


def _delete(delete: Delete) -> _Statement:
    query: LiteralString = f"DELETE FROM {delete.table} WHERE id = %(id)s"
    values: dict[str, Parameter] = {"id": delete.id}
    if delete.expected_version is None:
        return _Statement(table=delete.table, query=query, values=values, must_exist=())
    query = f"{query} AND version = %(expected)s"
    values["expected"] = delete.expected_version
    return _Statement(table=delete.table, query=query, values=values, must_exist=(delete.id,))


def _cascades(cascades: Iterable[DeleteChildren]) -> Iterator[_Statement]:
    """One statement per table: these come by the thousand, and their order does not matter."""
    parents: dict[Table, list[str]] = {}
    for cascade in cascades:
        parents.setdefault(cascade.table, []).append(cascade.parent_id)
    for table, parent_ids in parents.items():
        yield _Statement(
            table=table,
            query=f"DELETE FROM {table} WHERE parent_id = ANY(%(parents)s)",
            values={"parents": parent_ids},
            must_exist=(),
        )


async def _gone(statement: _Statement, cursor: AsyncCursor[tuple[object, ...]]) -> str:
    """Told from what the statement gave back: later ones of the batch have been made already."""
    if len(statement.must_exist) == 1:
        return statement.must_exist[0]
    found = {row[0] for row in await cursor.fetchall()}
    return next(id for id in statement.must_exist if id not in found)


async def _select(
    connection: Connection, what: LiteralString, values: Sequence[Parameter]
) -> list[Row]:
    query: LiteralString = f"SELECT {COLUMNS} FROM {what}"
    cursor = await connection.execute(query, values, binary=True)
    return [row_from(cast(Columns, columns)) for columns in await cursor.fetchall()]


async def _number(connection: Connection, query: LiteralString, values: Sequence[Parameter]) -> int:
    cursor = await connection.execute(query, values)
    return cast(tuple[int], await cursor.fetchone())[0]
