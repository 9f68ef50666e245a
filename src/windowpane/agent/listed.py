"""The lists of models that providers told, kept sealed until somebody wants them anew."""

from __future__ import annotations

from datetime import UTC, datetime

from windowpane.definitions import Family, ModelInfo, ProviderDefinition
from windowpane.storage.base import Change
from windowpane.storage.shelves import MODEL_LISTS, ListedModels, list_id
from windowpane.storage.vault import Vault

# Families whose models are known without a network: asking them never holds up a send, and
# their lists need no keeping.
ANSWERS_AT_ONCE: frozenset[Family] = frozenset({"local", "scripted"})


class ModelLists:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._told: dict[str, ListedModels | None] = {}

    async def of(self, definition: ProviderDefinition) -> ListedModels | None:
        """As it was told last, by this process or another; nothing is asked."""
        # What is read here may be old when it comes, so it must not outlive a ``forget``.
        told = self._told
        if definition.id not in told:
            stored = await self._vault.find(MODEL_LISTS, list_id(definition.id))
            told[definition.id] = stored.value if stored else None
        return told[definition.id]

    async def keep(
        self, definition: ProviderDefinition, models: tuple[ModelInfo, ...], *, news: Change
    ) -> ListedModels:
        """``news`` goes with what is stored: by it other processes see that something is new."""
        listed = ListedModels(models=models, fetched_at=datetime.now(UTC))
        if definition.family not in ANSWERS_AT_ONCE:
            await self._vault.commit([self._put(definition, listed), news])
        self._told[definition.id] = listed
        return listed

    def forget(self) -> None:
        """Look at what is stored when somebody asks: another process may have changed it."""
        self._told = {}

    def forgotten(self, definition: ProviderDefinition) -> Change:
        """The change that takes the list from the vault."""
        return self._vault.delete(MODEL_LISTS, list_id(definition.id))

    def _put(self, definition: ProviderDefinition, listed: ListedModels) -> Change:
        id = list_id(definition.id)
        return self._vault.put(
            MODEL_LISTS, listed, id=id, parent_id=id, position=0, expected_version=None
        )
