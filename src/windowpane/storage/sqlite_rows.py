"""What ``SqliteStore`` reads and writes, as statements on a connection.

No threads, no transactions and no error sentences here: the caller has those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from sqlite3 import Connection
from typing import assert_never, cast

import msgspec

from windowpane.errors import VersionConflict
from windowpane.storage.base import Change, Delete, DeleteChildren, Move, Put, Row, Table
from windowpane.storage.rows import (
    COLUMNS,
    HIGHEST_POSITION,
    LOWEST_POSITION,
    Columns,
    now_micros,
    row_from,
)

# One parameter however many values, so that every listing is the same prepared statement.
AMONG = "IN (SELECT value FROM json_each(?))"
NO_LIMIT = -1


def rows_with(connection: Connection, *, table: Table, ids: Sequence[str]) -> list[Row]:
    if len(ids) == 1:
        return _select(connection, f"{table} WHERE id = ?", ids)
    found = _select(connection, f"{table} WHERE id {AMONG}", [_json(ids)])
    by_id = {row.id: row for row in found}
    return [by_id[id] for id in ids if id in by_id]


def rows_below(
    connection: Connection,
    *,
    table: Table,
    parent_ids: Sequence[str],
    from_position: int | None,
    to_position: int | None,
    newest_first: bool,
    limit: int | None,
) -> list[Row]:
    is_one = len(parent_ids) == 1
    order = "position DESC, id DESC" if newest_first else "position, id"
    what = (
        f"{table} WHERE parent_id {'= ?' if is_one else AMONG} AND position BETWEEN ? AND ?"
        f" ORDER BY parent_id, {order} LIMIT ?"
    )
    values = (
        parent_ids[0] if is_one else _json(parent_ids),
        LOWEST_POSITION if from_position is None else from_position,
        HIGHEST_POSITION if to_position is None else to_position,
        NO_LIMIT if limit is None else limit,
    )
    return _select(connection, what, values)


def ids_below(
    connection: Connection, *, table: Table, parent_id: str, from_position: int | None
) -> list[str]:
    """The index by parent holds all of it, so no row is read."""
    listed = f"SELECT id FROM {table} WHERE parent_id = ? AND position >= ? ORDER BY position, id"
    first = LOWEST_POSITION if from_position is None else from_position
    found = connection.execute(listed, (parent_id, first))
    return [id for (id,) in cast(Iterator[tuple[str]], found)]


def count_below(connection: Connection, *, table: Table, parent_id: str) -> int:
    counted = f"SELECT count(*) FROM {table} WHERE parent_id = ?"
    return cast(tuple[int], connection.execute(counted, (parent_id,)).fetchone())[0]


def parents_in(connection: Connection, *, table: Table) -> list[str]:
    found = connection.execute(f"SELECT DISTINCT parent_id FROM {table} ORDER BY parent_id")
    return [parent_id for (parent_id,) in cast(Iterator[tuple[str]], found)]


def next_epoch(connection: Connection) -> int:
    row = connection.execute("UPDATE epochs SET last = last + 1 RETURNING last").fetchone()
    return cast(tuple[int], row)[0]


def apply(connection: Connection, *, changes: Iterable[Change]) -> None:
    """Raises ``VersionConflict`` half way; undoing the half is the caller's affair."""
    written_at = now_micros()
    for change in changes:
        match change:
            case Put():
                _put(connection, change, written_at=written_at)
            case Move():
                _move(connection, change, written_at=written_at)
            case Delete():
                _delete(connection, change)
            case DeleteChildren(table=table, parent_id=parent_id):
                connection.execute(f"DELETE FROM {table} WHERE parent_id = ?", (parent_id,))
            case _:
                assert_never(change)


def _put(connection: Connection, put: Put, *, written_at: int) -> None:
    insert = f"INSERT INTO {put.table} ({COLUMNS}) VALUES (:id, :parent, :place, :at, 1, :sealed)"
    update = "SET parent_id = :parent, position = :place, written_at = :at, sealed = :sealed"
    update += ", version = version + 1"
    match put.expected_version:
        case None:
            statement = f"{insert} ON CONFLICT (id) DO UPDATE {update}"
        case 0:
            statement = f"{insert} ON CONFLICT (id) DO NOTHING"
        case _:
            statement = f"UPDATE {put.table} {update} WHERE id = :id AND version = :expected"
    values = {
        "id": put.id,
        "parent": put.parent_id,
        "place": put.position,
        "at": written_at,
        "sealed": put.sealed,
        "expected": put.expected_version,
    }
    if connection.execute(statement, values).rowcount == 0:
        raise VersionConflict(table=put.table, id=put.id)


def _move(connection: Connection, move: Move, *, written_at: int) -> None:
    ids = _json(move.ids)
    moved = connection.execute(
        f"UPDATE {move.table} SET parent_id = ?, written_at = ?, version = version + 1"
        f" WHERE id {AMONG}",
        (move.to_parent_id, written_at, ids),
    ).rowcount
    if moved == len(set(move.ids)):
        return
    found = {row.id for row in rows_with(connection, table=move.table, ids=move.ids)}
    gone = next(id for id in move.ids if id not in found)
    raise VersionConflict(table=move.table, id=gone)


def _delete(connection: Connection, delete: Delete) -> None:
    statement = f"DELETE FROM {delete.table} WHERE id = ?"
    if delete.expected_version is None:
        connection.execute(statement, (delete.id,))
        return
    values = (delete.id, delete.expected_version)
    if connection.execute(f"{statement} AND version = ?", values).rowcount == 0:
        raise VersionConflict(table=delete.table, id=delete.id)


def _select(connection: Connection, what: str, values: Sequence[str | int]) -> list[Row]:
    found = connection.execute(f"SELECT {COLUMNS} FROM {what}", values)
    return [row_from(columns) for columns in cast(Iterator[Columns], found)]


def _json(ids: Sequence[str]) -> str:
    return msgspec.json.encode(ids).decode()
