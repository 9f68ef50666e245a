"""Drafts in the store: saved as somebody types, gone when they are sent or their place is gone."""

from __future__ import annotations

from windowpane.agent.clock import Clock
from windowpane.drafts import Draft, DraftPlace
from windowpane.errors import MessageTooLarge
from windowpane.storage.shelves import CHATS, DRAFTS, PROJECTS, TURNS
from windowpane.storage.vault import Vault

# A message may become no longer than this anyway, and a draft is saved many times.
FACTOR = 2


class Drafts:
    def __init__(self, vault: Vault, *, limit_bytes: int, clock: Clock) -> None:
        self._vault = vault
        self._limit_bytes = FACTOR * limit_bytes
        self._clock = clock

    async def find(self, place: DraftPlace) -> Draft | None:
        stored = await self._vault.find(DRAFTS, str(place))
        return stored.value if stored else None

    async def save(self, place: DraftPlace, text: str) -> None:
        """An empty text takes the draft away. Raises ``NotFound`` if its place is gone."""
        size_bytes = len(text.encode())
        if size_bytes > self._limit_bytes:
            raise MessageTooLarge(message_bytes=size_bytes, limit_bytes=self._limit_bytes)
        if not text:
            await self._vault.commit([self._vault.delete(DRAFTS, str(place))])
            return
        await self._require(place)
        put = self._vault.put(
            DRAFTS,
            Draft(text=text, saved_at=self._clock()),
            id=str(place),
            parent_id=place.owner_id,
            position=0,
            expected_version=None,
        )
        await self._vault.commit([put])

    async def _require(self, place: DraftPlace) -> None:
        match place.kind:
            case "chat":
                await self._vault.get(CHATS, place.owner_id)
            case "new-chat" | "system-prompt":
                await self._vault.get(PROJECTS, place.owner_id)
            case "edit":
                await self._vault.get(TURNS, place.owner_id)
