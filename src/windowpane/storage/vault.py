"""The vault: typed values in, sealed rows out, and back.

Above it nobody sees ciphertext, below it nobody sees a word. A row that cannot be opened is
named and left out; the rest of a listing works.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Generic, TypeVar, cast

import msgspec
from msgspec import Struct

from windowpane.errors import NotFound, RecordDamaged, VersionConflict, WrongKey
from windowpane.storage.base import Change, Delete, Put, Row, Store, Table
from windowpane.storage.sealing import VaultKey, key_id_of, seal, unseal

T = TypeVar("T")


class Shelf(Generic[T]):
    """A table together with the type its rows hold and the word people use for one.

    A union cannot be inferred: name it, as in ``Shelf[A | B]``.
    """

    def __init__(self, table: Table, *, holds: type[T] | UnionType, noun: str) -> None:
        self.table: Table = table
        self.noun = noun
        self.encode = msgspec.msgpack.Encoder().encode
        self.decode = msgspec.msgpack.Decoder(cast("type[T]", holds)).decode


class Stored(Struct, Generic[T], frozen=True, kw_only=True):
    id: str
    parent_id: str
    position: int
    version: int
    value: T


class Listing(Struct, Generic[T], frozen=True, kw_only=True):
    """``damaged_positions`` are the places of those that could not be opened."""

    items: tuple[Stored[T], ...]
    damaged: tuple[RecordDamaged, ...]
    damaged_positions: tuple[int, ...]

    @property
    def values(self) -> list[T]:
        return [item.value for item in self.items]


class VaultCheck(Struct, frozen=True, kw_only=True):
    """One sealed row that proves that key and database belong together."""

    made_for: str


CHECK = Shelf("vault", holds=VaultCheck, noun="vault check")
CHECK_ID = "check"


class Vault:
    def __init__(self, store: Store, *, key: VaultKey) -> None:
        self.store = store
        self._key = key
        self._derived: dict[str, bytes] = {}

    async def open(self) -> None:
        """Open the store and refuse a key that did not seal it, before anything is written."""
        await self.store.open()
        try:
            await self._check()
        except BaseException:
            await self.store.close()
            raise

    async def _check(self) -> None:
        rows = await self.store.get("vault", [CHECK_ID])
        if rows:
            self._verify(rows[0])
            return
        check = self.put(
            CHECK,
            VaultCheck(made_for="windowpane"),
            id=CHECK_ID,
            parent_id="",
            position=0,
            expected_version=0,
        )
        try:
            await self.store.commit([check])
        except VersionConflict:  # another process made the check at the same moment
            self._verify((await self.store.get("vault", [CHECK_ID]))[0])

    async def close(self) -> None:
        await self.store.close()

    def derived_key(self, purpose: str) -> bytes:
        """Another secret for another use, from which the vault's own cannot be found.

        Made once: every request asks for one several times.
        """
        if purpose not in self._derived:
            words = f"windowpane {purpose}".encode()
            self._derived[purpose] = hmac.digest(self._key.secret, words, "sha256")
        return self._derived[purpose]

    def put(
        self,
        shelf: Shelf[T],
        value: T,
        *,
        id: str,
        parent_id: str,
        position: int,
        expected_version: int | None,
    ) -> Put:
        sealed = seal(self._key, table=shelf.table, id=id, plain=shelf.encode(value))
        return Put(
            table=shelf.table,
            id=id,
            parent_id=parent_id,
            position=position,
            sealed=sealed,
            expected_version=expected_version,
        )

    def delete(self, shelf: Shelf[T], id: str) -> Delete:
        return Delete(table=shelf.table, id=id, expected_version=None)

    async def commit(self, changes: Sequence[Change]) -> None:
        await self.store.commit(changes)

    async def get(self, shelf: Shelf[T], id: str) -> Stored[T]:
        found = await self.find(shelf, id)
        if found is None:
            raise NotFound(shelf.noun, id=id)
        return found

    async def find(self, shelf: Shelf[T], id: str) -> Stored[T] | None:
        rows = await self.store.get(shelf.table, [id])
        return self.opened(shelf, rows[0]) if rows else None

    async def version(self, shelf: Shelf[T], id: str) -> int:
        """How often it was written, 0 if it does not exist; nothing is opened."""
        rows = await self.store.get(shelf.table, [id])
        return rows[0].version if rows else 0

    async def get_many(self, shelf: Shelf[T], ids: Sequence[str]) -> Listing[T]:
        """Those that exist, in the order of ``ids``."""
        return self.listing(shelf, await self.store.get(shelf.table, ids))

    async def children(
        self,
        shelf: Shelf[T],
        parent_ids: Sequence[str],
        *,
        from_position: int | None,
        to_position: int | None,
        newest_first: bool,
        limit: int | None,
    ) -> Listing[T]:
        rows = await self.store.children(
            shelf.table,
            parent_ids,
            from_position=from_position,
            to_position=to_position,
            newest_first=newest_first,
            limit=limit,
        )
        return self.listing(shelf, rows)

    async def all_children(self, shelf: Shelf[T], parent_ids: Sequence[str]) -> Listing[T]:
        return await self.children(
            shelf, parent_ids, from_position=None, to_position=None, newest_first=False, limit=None
        )

    async def child_ids(self, shelf: Shelf[T], parent_id: str) -> list[str]:
        """Ids only, nothing opened: deleting works on damaged rows too."""
        return await self.store.child_ids(shelf.table, parent_id, from_position=None)

    def listing(self, shelf: Shelf[T], rows: Iterable[Row]) -> Listing[T]:
        items: list[Stored[T]] = []
        damaged: list[RecordDamaged] = []
        positions: list[int] = []
        for row in rows:
            try:
                items.append(self.opened(shelf, row))
            except RecordDamaged as damage:
                damaged.append(damage)
                positions.append(row.position)
        return Listing(
            items=tuple(items), damaged=tuple(damaged), damaged_positions=tuple(positions)
        )

    def opened(self, shelf: Shelf[T], row: Row) -> Stored[T]:
        plain = unseal(self._key, table=shelf.table, id=row.id, sealed=row.sealed)
        try:
            value = shelf.decode(plain)
        except msgspec.DecodeError as error:
            why = f"its contents are not a {shelf.noun}: {error}"
            raise RecordDamaged(table=shelf.table, id=row.id, why=why) from error
        return Stored(
            id=row.id,
            parent_id=row.parent_id,
            position=row.position,
            version=row.version,
            value=value,
        )

    def _verify(self, row: Row) -> None:
        found = key_id_of(row.sealed)
        if found != self._key.key_id:
            raise WrongKey(database_key_id=found, file_key_id=self._key.key_id)
        self.opened(CHECK, row)
