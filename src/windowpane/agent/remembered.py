"""A chat's whole past for tools: the search over history kept within one chat, and full texts."""

from __future__ import annotations

from datetime import UTC, datetime

from windowpane.agent.recall import text_behind
from windowpane.agent.search import Search, SearchScope
from windowpane.errors import NotFound
from windowpane.search import Found, TurnHit
from windowpane.storage.shelves import OUTPUTS, TURNS, left_of
from windowpane.storage.vault import Vault
from windowpane.tools.history import Excerpt, Hit, Hits


class ChatHistory:
    """What one turn's tools see of its chat; the turn itself is left out."""

    def __init__(self, vault: Vault, *, search: Search, chat_id: str, asking_turn_id: str) -> None:
        self._vault = vault
        self._search = search
        self._chat_id = chat_id
        self._asking_turn_id = asking_turn_id

    async def search(self, query: str, *, limit: int) -> Hits:
        # The turn that asks has the words, too: one is found for it, and one to know of more.
        found = await self._caught_up(query, limit=limit + 2)
        others = [hit for hit in found.turns if hit.turn_id != self._asking_turn_id]
        best = tuple(_hit(hit) for hit in others[:limit])
        return Hits(best=best, has_more=len(others) > limit)

    async def read(self, handle: str) -> str | None:
        output = await self._vault.find(OUTPUTS, handle)
        if output is not None:
            turn = await self._vault.find(TURNS, output.value.turn_id)
            # Also a turn that was deleted and can still come back is out of reach.
            places = (self._chat_id, left_of(self._chat_id))
            is_there = turn is not None and turn.parent_id in places
            return output.value.text if is_there else None
        try:
            return await text_behind(self._vault, handle, chat_id=self._chat_id)
        except NotFound:
            return None

    async def _caught_up(self, query: str, *, limit: int) -> Found:
        """A long chat that nobody has searched yet is indexed a part at a time."""
        scope = SearchScope(chat_id=self._chat_id)
        while True:
            now = datetime.now(UTC)
            found = await self._search.find(query, scope=scope, limit=limit, at=now)
            if not found.waiting_turns:
                return found


def _hit(hit: TurnHit) -> Hit:
    return Hit(
        handle=hit.turn_id,
        number=hit.depth + 1,
        at=hit.at,
        is_left=hit.is_left,
        excerpts=(Excerpt(role=hit.role, text=hit.excerpt.text),),
    )
