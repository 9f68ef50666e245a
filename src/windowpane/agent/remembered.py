"""Values of a shelf that are kept at hand, and opened again only when their row has changed.

Whoever asks, asks the store: another process may have written since. What is saved is the opening.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from windowpane.errors import RecordDamaged
from windowpane.storage.base import Row
from windowpane.storage.vault import Shelf, Vault

T = TypeVar("T")


class Remembered(Generic[T]):
    def __init__(self, vault: Vault, shelf: Shelf[T]) -> None:
        self._vault = vault
        self._shelf = shelf
        # By their sealed bytes, which never repeat: a row that was deleted and written again
        # counts its versions anew.
        self._known: dict[str, tuple[bytes, T]] = {}

    async def find(self, id: str) -> T | None:
        rows = await self._vault.store.get(self._shelf.table, [id])
        if not rows:
            self._known.pop(id, None)
            return None
        return self._opened(rows[0])

    async def below(self, parent_id: str) -> list[T]:
        """All that can be opened, in order."""
        rows = await self._vault.store.children(
            self._shelf.table,
            [parent_id],
            from_position=None,
            to_position=None,
            newest_first=False,
            limit=None,
        )
        values: list[T] = []
        for row in rows:
            try:
                values.append(self._opened(row))
            except RecordDamaged:
                continue
        return values

    def _opened(self, row: Row) -> T:
        known = self._known.get(row.id)
        if known is None or known[0] != row.sealed:
            known = self._known[row.id] = (row.sealed, self._vault.opened(self._shelf, row).value)
        return known[1]
