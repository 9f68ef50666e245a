"""Named views: filters that a project keeps under a name."""

from __future__ import annotations

from datetime import datetime

from windowpane.filters import parse
from windowpane.ids import new_id
from windowpane.projects import checked_name
from windowpane.storage.base import Change
from windowpane.storage.shelves import VIEWS, micros
from windowpane.storage.vault import Vault
from windowpane.topics import NamedView


class Views:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def of(self, project_id: str) -> list[NamedView]:
        return (await self._vault.all_children(VIEWS, [project_id])).values

    async def save(
        self, project_id: str, *, name: str, filter_text: str, at: datetime
    ) -> NamedView:
        """A view of the same name is replaced. Raises ``FilterError`` for a bad filter."""
        parse(filter_text)
        view = NamedView(
            id=new_id("view"),
            project_id=project_id,
            name=checked_name(name),
            filter_text=filter_text,
            created_at=at,
        )
        same = [old for old in await self.of(project_id) if old.name == view.name]
        changes: list[Change] = [self._vault.delete(VIEWS, old.id) for old in same]
        put = self._vault.put(
            VIEWS,
            view,
            id=view.id,
            parent_id=project_id,
            position=micros(at),
            expected_version=0,
        )
        await self._vault.commit([*changes, put])
        return view

    async def delete(self, view_id: str) -> None:
        await self._vault.get(VIEWS, view_id)
        await self._vault.commit([self._vault.delete(VIEWS, view_id)])
