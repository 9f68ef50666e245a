"""The provider definitions of a vault, as this process saw them last.

Other processes change them too: whoever asks refreshes first, and a change is decided by what is
stored at that moment, so that two processes cannot both make one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from msgspec import structs

from windowpane.agent.remembered import Remembered
from windowpane.definitions import ProviderDefinition
from windowpane.errors import InvalidInput, NotFound, VersionConflict
from windowpane.projects import checked_name
from windowpane.providers.choose import Shared, default_definitions, is_ready, provider_from
from windowpane.storage.base import Change
from windowpane.storage.shelves import (
    DEFINITIONS,
    DEFINITIONS_CHANGED,
    DEFINITIONS_CHANGED_ID,
    MODEL_LISTS,
    OVERRIDES,
    TOP,
    DefinitionsChanged,
    list_id,
    overrides_id,
)
from windowpane.storage.vault import Vault

Decide = Callable[[], Awaitable[Sequence[Change]]]
Forget = Callable[[str], Awaitable[None]]


class Definitions:
    """``forget`` is told the names of those that are not what they were."""

    def __init__(self, vault: Vault, *, shared: Shared, forget: Forget) -> None:
        self._vault = vault
        self._shared = shared
        self._forget = forget
        self._stored = Remembered(vault, DEFINITIONS)
        self._refreshing = asyncio.Lock()
        self._version = 0
        self.by_name: dict[str, ProviderDefinition] = {}

    def __getitem__(self, name: str) -> ProviderDefinition:
        if name not in self.by_name:
            raise NotFound("provider", id=name)
        return self.by_name[name]

    async def refresh(self) -> None:
        async with self._refreshing:
            # In this order: what is decided on the definitions must not be older than the count.
            self._version = await self._vault.version(DEFINITIONS_CHANGED, DEFINITIONS_CHANGED_ID)
            stored = {known.name: known for known in await self._stored.below(TOP)}
            before, self.by_name = self.by_name, stored
            for name, definition in before.items():
                if stored.get(name) != definition:
                    await self._forget(name)

    async def change(self, decide: Decide) -> None:
        """Decide by what is stored now, and anew if another process was faster."""
        while True:
            await self.refresh()
            decided = await decide()
            if not decided:
                return
            changed = self._vault.put(
                DEFINITIONS_CHANGED,
                DefinitionsChanged(at=datetime.now(UTC)),
                id=DEFINITIONS_CHANGED_ID,
                parent_id=DEFINITIONS_CHANGED_ID,
                position=0,
                expected_version=self._version,
            )
            with suppress(VersionConflict):
                await self._vault.commit([*decided, changed])
                await self.refresh()
                return

    async def add_defaults(self) -> None:
        """One for each family that has none."""

        async def decide() -> list[Change]:
            families = {known.family for known in self.by_name.values()}
            missing = [one for one in default_definitions() if one.family not in families]
            return [
                self._put(definition, position=position)
                for position, definition in enumerate(missing, start=len(self.by_name))
            ]

        await self.change(decide)

    async def add(self, definition: ProviderDefinition) -> None:
        """A default that was never set up makes room for one of its name that is."""

        async def decide() -> list[Change]:
            known = self.by_name.get(definition.name)
            if known is not None and not is_ready(known):
                return self._replacing(definition.name, definition)
            usable = self._usable(definition)
            if usable.name in self.by_name:
                raise InvalidInput(f"There is a provider called {usable.name} already.")
            return [self._put(usable, position=len(self.by_name))]

        await self.change(decide)

    async def replace(self, name: str, definition: ProviderDefinition) -> None:
        """Chats call their model by the provider's name, so the name stays."""

        async def decide() -> list[Change]:
            return self._replacing(name, definition)

        await self.change(decide)

    async def remove(self, name: str) -> None:
        async def decide() -> list[Change]:
            definition = self[name]
            return [
                self._vault.delete(DEFINITIONS, definition.id),
                self._vault.delete(MODEL_LISTS, list_id(definition.id)),
                self._vault.delete(OVERRIDES, overrides_id(definition.id)),
            ]

        await self.change(decide)

    def _replacing(self, name: str, definition: ProviderDefinition) -> list[Change]:
        known = self[name]
        if definition.name != name:
            raise InvalidInput(
                f"{name} keeps its name: chats refer to it. Add another provider instead."
            )
        changed = structs.replace(self._usable(definition), id=known.id)
        return [
            self._put(changed, position=list(self.by_name).index(name)),
            self._vault.delete(MODEL_LISTS, list_id(known.id)),
        ]

    def _usable(self, definition: ProviderDefinition) -> ProviderDefinition:
        name = checked_name(definition.name)
        if "/" in name:
            raise InvalidInput("A provider's name must not contain a slash: models are behind it.")
        definition = structs.replace(definition, name=name)
        # Made and dropped: whatever cannot be used in it is said now and not at the first send.
        provider_from(definition, shared=self._shared)
        return definition

    def _put(self, definition: ProviderDefinition, *, position: int) -> Change:
        return self._vault.put(
            DEFINITIONS,
            definition,
            id=definition.id,
            parent_id=TOP,
            position=position,
            expected_version=None,
        )
