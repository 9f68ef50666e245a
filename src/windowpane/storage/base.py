"""The ``Store`` protocol: tables of sealed rows, read by id or by parent, written in batches.

A store knows ids, parents, positions, times, sizes and versions, and nothing else: what a row
says is sealed before it gets here and opened after it left. Every engine passes the same tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

Table = Literal[
    "vault",
    "preferences",
    "definitions",
    "projects",
    "topics",
    "views",
    "chats",
    "turns",
    "pages",
    "records",
    "events",
    "runs",
    "receipts",
    "texts",
    "usage",
    "ledgers",
    "drafts",
    "tombstones",
    "segments",
]
TABLES: tuple[Table, ...] = (
    "vault",
    "preferences",
    "definitions",
    "projects",
    "topics",
    "views",
    "chats",
    "turns",
    "pages",
    "records",
    "events",
    "runs",
    "receipts",
    "texts",
    "usage",
    "ledgers",
    "drafts",
    "tombstones",
    "segments",
)


class Row(Struct, frozen=True, kw_only=True, gc=False):
    """``version`` counts the writes of this id; ``position`` orders the rows of one parent."""

    id: str
    parent_id: str
    position: int
    written_at: datetime
    version: int
    sealed: bytes


class Put(Struct, frozen=True, kw_only=True):
    """Write a row. ``expected_version`` 0: it must be new; None: whatever is there."""

    table: Table
    id: str
    parent_id: str
    position: int
    sealed: bytes
    expected_version: int | None


class Move(Struct, frozen=True, kw_only=True):
    """Put rows under another parent, unopened, as when a branch is left.

    Each counts as written. One that does not exist any more is a ``VersionConflict``.
    """

    table: Table
    ids: tuple[str, ...]
    to_parent_id: str


class Delete(Struct, frozen=True, kw_only=True):
    """Remove a row. ``expected_version`` (from 1) None: whatever is there, if it is there."""

    table: Table
    id: str
    expected_version: int | None


class DeleteChildren(Struct, frozen=True, kw_only=True):
    table: Table
    parent_id: str


Change = Put | Move | Delete | DeleteChildren

# Tables whose changes other processes are told of.
TOLD: frozenset[Table] = frozenset({"chats", "turns", "runs"})


class Notice(Struct, frozen=True, kw_only=True):
    """A row that another process wrote or deleted, or all below a parent if ``id`` is empty.

    ``parent_id`` is empty where the change did not name it.
    """

    table: Table
    id: str
    parent_id: str


# None: anything may have changed, since notices were lost or the engine cannot say what it was.
Hear = Callable[[Notice | None], None]


class Store(Protocol):
    async def open(self) -> None:
        """Connect and migrate. Raises ``StoreUnreachable`` or ``StoreTooNew``."""
        ...

    async def close(self) -> None: ...

    async def get(self, table: Table, ids: Sequence[str]) -> list[Row]:
        """The rows that exist, in the order of ``ids``."""
        ...

    async def children(
        self,
        table: Table,
        parent_ids: Sequence[str],
        *,
        from_position: int | None,
        to_position: int | None,
        newest_first: bool,
        limit: int | None,
    ) -> list[Row]:
        """Rows below the parents, by position, both ends included, then by id.

        Several parents are given in the order of their ids, each with its rows in order.
        """
        ...

    async def child_ids(
        self, table: Table, parent_id: str, *, from_position: int | None
    ) -> list[str]:
        """The ids of the rows below a parent from a position on, in order, and nothing else."""
        ...

    async def count(self, table: Table, parent_id: str) -> int: ...

    async def parents(self, table: Table) -> list[str]:
        """Every parent that has a row in a table, in order."""
        ...

    async def commit(self, changes: Sequence[Change]) -> None:
        """All or nothing, in order. Raises ``VersionConflict`` naming the row that had moved on."""
        ...

    async def next_epoch(self) -> int:
        """A number no process got before; kept plain, since it says nothing."""
        ...

    async def join(self, process_id: str) -> None:
        """Say that this process lives; the claim falls with the process, also after kill -9."""
        ...

    async def is_alive(self, process_id: str) -> bool: ...

    async def listen(self, hear: Hear) -> None:
        """From now on until closing, tell what others have committed to the tables in ``TOLD``.

        A notice may come late or for nothing, but none is missing without a None in its place.
        """
        ...

    async def size_bytes(self) -> int: ...
