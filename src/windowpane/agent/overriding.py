"""What a person knows better of a provider's models, kept sealed beside its definition."""

from __future__ import annotations

from windowpane.catalog.overrides import ModelOverride
from windowpane.definitions import ProviderDefinition
from windowpane.errors import NotFound
from windowpane.storage.base import Change
from windowpane.storage.shelves import OVERRIDES, ModelOverrides, overrides_id
from windowpane.storage.vault import Vault

NOTHING_SAID = ModelOverrides(overrides=())


class Overrides:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._said: dict[str, ModelOverrides] = {}

    async def of(self, definition: ProviderDefinition) -> tuple[ModelOverride, ...]:
        if definition.id not in self._said:
            stored = await self._vault.find(OVERRIDES, overrides_id(definition.id))
            self._said[definition.id] = stored.value if stored else NOTHING_SAID
        return self._said[definition.id].overrides

    async def set(self, definition: ProviderDefinition, override: ModelOverride) -> None:
        """In the place of what was said of the same models before."""
        known = await self.of(definition)
        others = tuple(one for one in known if one.models != override.models)
        await self._keep(definition, (*others, override))

    async def remove(self, definition: ProviderDefinition, models: str) -> None:
        known = await self.of(definition)
        others = tuple(one for one in known if one.models != models)
        if len(others) == len(known):
            raise NotFound("override", id=models)
        await self._keep(definition, others)

    def forget(self, definition: ProviderDefinition) -> None:
        self._said.pop(definition.id, None)

    def forgotten(self, definition: ProviderDefinition) -> Change:
        """The change that takes all of them from the vault."""
        return self._vault.delete(OVERRIDES, overrides_id(definition.id))

    async def _keep(
        self, definition: ProviderDefinition, overrides: tuple[ModelOverride, ...]
    ) -> None:
        id, kept = overrides_id(definition.id), ModelOverrides(overrides=overrides)
        put = self._vault.put(
            OVERRIDES, kept, id=id, parent_id=id, position=0, expected_version=None
        )
        await self._vault.commit([put])
        self._said[definition.id] = kept
