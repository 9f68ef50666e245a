"""What a person chose last, wherever that was: what new chats begin with."""

from __future__ import annotations

from windowpane.agent.models import Models
from windowpane.errors import NoModel
from windowpane.storage.base import Change
from windowpane.storage.shelves import PREFERENCES, PREFERENCES_ID, TOP, Preferences
from windowpane.storage.vault import Vault


class Preferring:
    def __init__(self, vault: Vault, *, models: Models) -> None:
        self._vault = vault
        self._models = models

    async def default_model(self) -> str:
        """The model chosen last, else the first there is."""
        chosen = await self.chosen_model()
        if chosen is not None:
            return chosen
        choices = (await self._models.choices(is_refreshed=False)).choices
        if not choices:
            raise NoModel
        return choices[0].name

    async def chosen_model(self) -> str | None:
        """Asks no provider."""
        stored = await self._vault.find(PREFERENCES, PREFERENCES_ID)
        return None if stored is None else stored.value.model

    def put(self, preferences: Preferences) -> Change:
        return self._vault.put(
            PREFERENCES,
            preferences,
            id=PREFERENCES_ID,
            parent_id=TOP,
            position=0,
            expected_version=None,
        )
