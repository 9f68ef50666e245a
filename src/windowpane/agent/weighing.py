"""Weights of turns for one model: from their digests, or counted anew where those do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from windowpane.agent.digest import digest_of, weight_of
from windowpane.context.weights import TurnWeight
from windowpane.storage.history import contents_of
from windowpane.storage.turn_pages import SETTLED
from windowpane.storage.vault import Vault
from windowpane.tokens import Counter
from windowpane.turns import Turn, TurnDigest

CHUNK_TURNS = 50
# Digests for other models than the turn's own, by turn and model.
KEPT_DIGESTS = 20_000


class Digests:
    """Counts made for another model than the one that answered, kept while the process lives."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], TurnDigest] = {}

    def get(self, turn: Turn, *, model: str) -> TurnDigest | None:
        if turn.digest is not None and turn.digest.counted_for == model:
            return turn.digest
        return self._known.get((turn.id, model))

    def put(self, turn: Turn, digest: TurnDigest) -> None:
        if len(self._known) >= KEPT_DIGESTS:
            self._known.clear()
        self._known[turn.id, digest.counted_for] = digest


class Weigher:
    def __init__(self, vault: Vault, *, counter: Counter, digests: Digests) -> None:
        self._vault = vault
        self._counter = counter
        self._digests = digests

    async def known(self, turns: Sequence[Turn]) -> list[TurnWeight]:
        """As noted when the turns ended, for whichever model; counted only where nothing is."""
        return [weight_of(turn, turn.digest) for turn in await self.digested(turns) if turn.digest]

    async def digested(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The turns, each with a digest; those that an import or a crash left without get one."""
        counted = await self._count([turn for turn in turns if turn.digest is None])
        return tuple(
            turn if turn.digest else structs.replace(turn, digest=counted[turn.id])
            for turn in turns
        )

    async def exact(self, turns: Sequence[Turn], *, room_tokens: int | None) -> list[TurnWeight]:
        """Counted for this model as far back as could be sent; older turns as they are known."""
        weights: list[TurnWeight] = []
        used_tokens = 0
        end = len(turns)
        while end and (room_tokens is None or used_tokens <= room_tokens):
            chunk = turns[max(0, end - CHUNK_TURNS) : end]
            weighed = await self._exact(chunk)
            used_tokens += sum(weight.bare_tokens for weight in weighed)
            weights[:0] = weighed
            end -= len(chunk)
        return [*await self.known(turns[:end]), *weights]

    async def _exact(self, turns: Sequence[Turn]) -> list[TurnWeight]:
        model = self._counter.model
        found = {turn.id: self._digests.get(turn, model=model) for turn in turns}
        counted = await self._count([turn for turn in turns if found[turn.id] is None])
        return [weight_of(turn, found[turn.id] or counted[turn.id]) for turn in turns]

    async def _count(self, turns: Sequence[Turn]) -> dict[str, TurnDigest]:
        contents = await contents_of(self._vault, turns)
        counted: dict[str, TurnDigest] = {}
        for content in contents.turns:
            digest = digest_of(content, counter=self._counter)
            counted[content.turn.id] = digest
            if content.turn.state in SETTLED:
                self._digests.put(content.turn, digest)
        return counted
