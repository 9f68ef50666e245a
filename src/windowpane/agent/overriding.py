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
        # What is read here may be old when it comes, so it must not outlive a ``forget``.
        said = self._said
        if definition.id not in said:
            stored = await self._vault.find(OVERRIDES, overrides_id(definition.id))
            said[definition.id] = stored.value if stored else NOTHING_SAID
        return said[definition.id].overrides

    async def added(self, definition: ProviderDefinition, override: ModelOverride) -> Change:
        """The change that puts one in the place of what was said of the same models before."""
        known = await self.of(definition)
        others = tuple(one for one in known if one.models != override.models)
        return self._put(definition, (*others, override))

    async def removed(self, definition: ProviderDefinition, models: str) -> Change:
        """The change that takes one from the vault."""
        known = await self.of(definition)
        others = tuple(one for one in known if one.models != models)
        if len(others) == len(known):
            raise NotFound("override", id=models)
        return self._put(definition, others)

    def forget(self) -> None:
        """Look at what is stored when somebody asks: another process may have changed it."""
        self._said = {}

    def forgotten(self, definition: ProviderDefinition) -> Change:
        """The change that takes all of them from the vault."""
        return self._vault.delete(OVERRIDES, overrides_id(definition.id))

    def _put(self, definition: ProviderDefinition, overrides: tuple[ModelOverride, ...]) -> Change:
        id, kept = overrides_id(definition.id), ModelOverrides(overrides=overrides)
        return self._vault.put(
            OVERRIDES, kept, id=id, parent_id=id, position=0, expected_version=None
        )
