"""What the answers of a chat's path have cost, by today's prices of the models that gave them.

A settled turn is read once: a chat that only grew costs the turns that are new.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

from msgspec import Struct

from windowpane.accounting import Cost, cost_of
from windowpane.agent.models import Models
from windowpane.catalog.prices import PriceSnapshot, unknown_price
from windowpane.errors import NotFound
from windowpane.projects import Chat
from windowpane.storage.history import contents_of
from windowpane.storage.turn_pages import read_turns
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

NOTHING_SPENT = Cost(Decimal(0), False)
KEPT_CHATS = 200
CHUNK_TURNS = 500


class _Counted(Struct, frozen=True, kw_only=True):
    revision: int
    turns: int
    cost: Cost


NOTHING_COUNTED = _Counted(revision=-1, turns=0, cost=NOTHING_SPENT)


class Spending:
    def __init__(self, vault: Vault, *, models: Models) -> None:
        self._vault = vault
        self._models = models
        self._counted: OrderedDict[str, _Counted] = OrderedDict()

    async def of(self, chat: Chat) -> Cost:
        known = self._counted.pop(chat.id, NOTHING_COUNTED)
        if known.revision != chat.revision or known.turns > chat.turn_count:
            known = NOTHING_COUNTED
        prices: dict[str, PriceSnapshot] = {}
        # The newest may be running still, so it is not remembered.
        settled = max(0, chat.turn_count - 1)
        cost = known.cost + await self._between(chat, known.turns, settled, prices)
        self._counted[chat.id] = _Counted(revision=chat.revision, turns=settled, cost=cost)
        while len(self._counted) > KEPT_CHATS:
            self._counted.popitem(last=False)
        return cost + await self._between(chat, settled, chat.turn_count, prices)

    async def _between(
        self, chat: Chat, first: int, end: int, prices: dict[str, PriceSnapshot]
    ) -> Cost:
        cost = NOTHING_SPENT
        for begin in range(first, end, CHUNK_TURNS):
            turns = await read_turns(self._vault, chat.id, begin, min(end, begin + CHUNK_TURNS))
            cost += await self._cost(turns, prices)
        return cost

    async def _cost(self, turns: Sequence[Turn], prices: dict[str, PriceSnapshot]) -> Cost:
        cost = NOTHING_SPENT
        for content in (await contents_of(self._vault, turns)).turns:
            for message in content.messages:
                if message.usage is not None:
                    model = message.model or content.turn.model
                    if model not in prices:
                        prices[model] = await self._price(model)
                    cost += cost_of(message.usage, prices[model])
        return cost

    async def _price(self, model: str) -> PriceSnapshot:
        try:
            return (await self._models.facts(model)).price
        except NotFound:  # its provider was removed since
            return unknown_price(model, taken_at=datetime.now(UTC))
