"""Weights of turns for one model: from their digests, or counted anew where those do not fit.

Where calls go as plain text, turns with calls weigh something else: those counts are kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from windowpane.agent.digest import digest_of, weight_of
from windowpane.context.spelling import spelled
from windowpane.context.weights import TurnWeight
from windowpane.storage.history import contents_of
from windowpane.storage.turn_pages import SETTLED
from windowpane.storage.vault import Vault
from windowpane.tokens import Counter
from windowpane.turns import Turn, TurnContent, TurnDigest

CHUNK_TURNS = 50
# Digests for other models than the turn's own, by turn and model.
KEPT_DIGESTS = 20_000


class Digests:
    """Counts made for another model than the one that answered, kept while the process lives."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], TurnDigest] = {}

    def get(self, turn: Turn, *, model: str) -> TurnDigest | None:
        return self._known.get((turn.id, model))

    def put(self, turn: Turn, digest: TurnDigest) -> None:
        if len(self._known) >= KEPT_DIGESTS:
            self._known.clear()
        self._known[turn.id, digest.counted_for] = digest


class Weigher:
    def __init__(
        self, vault: Vault, *, counter: Counter, digests: Digests, spells_calls: bool
    ) -> None:
        self._vault = vault
        self._counter = counter
        self._digests = digests
        self._spells_calls = spells_calls

    async def known(self, turns: Sequence[Turn]) -> list[TurnWeight]:
        """As noted when the turns ended, for whichever model; counted only where nothing is."""
        return [weight_of(turn, turn.digest) for turn in await self.digested(turns) if turn.digest]

    async def digested(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The turns, each with a digest; those that an import or a crash left without get one."""
        counted = await self._count([turn for turn in turns if not turn.digest], is_spelled=False)
        return tuple(
            turn if turn.digest else structs.replace(turn, digest=counted[turn.id])
            for turn in turns
        )

    async def exact(
        self, turns: Sequence[Turn], known: Sequence[TurnWeight], *, room_tokens: int | None
    ) -> Sequence[TurnWeight]:
        """Counted for this model as far back as could be sent; older turns as they are known.

        ``known`` itself, if that is what they weigh for this model.
        """
        recounted: dict[int, TurnWeight] = {}
        used_tokens = 0
        end = len(turns)
        while end and (room_tokens is None or used_tokens <= room_tokens):
            begin = max(0, end - CHUNK_TURNS)
            recounted |= await self._recounted(turns, begin, end)
            chunk = range(begin, end)
            used_tokens += sum(recounted.get(n, known[n]).bare_tokens for n in chunk)
            end = begin
        if not recounted:
            return known
        return [recounted.get(number, weight) for number, weight in enumerate(known)]

    async def _recounted(
        self, turns: Sequence[Turn], begin: int, end: int
    ) -> dict[int, TurnWeight]:
        """By their places, those turns whose own digests were counted for something else."""
        others = {
            number: turns[number] for number in range(begin, end) if self._is_other(turns[number])
        }
        found = {
            turn.id: self._digests.get(turn, model=self._counted_for(turn))
            for turn in others.values()
        }
        unknown = [turn for turn in others.values() if found[turn.id] is None]
        counted = await self._count(unknown, is_spelled=self._spells_calls)
        return {
            number: weight_of(turn, found[turn.id] or counted[turn.id])
            for number, turn in others.items()
        }

    def _is_other(self, turn: Turn) -> bool:
        return turn.digest is None or turn.digest.counted_for != self._counted_for(turn)

    async def _count(self, turns: Sequence[Turn], *, is_spelled: bool) -> dict[str, TurnDigest]:
        contents = await contents_of(self._vault, turns)
        counted: dict[str, TurnDigest] = {}
        for content in contents.turns:
            digest = self._spelled(content) if is_spelled else self._digest(content)
            counted[content.turn.id] = digest
            if content.turn.state in SETTLED:
                self._digests.put(content.turn, digest)
        return counted

    def _digest(self, content: TurnContent) -> TurnDigest:
        return digest_of(content, counter=self._counter)

    def _spelled(self, content: TurnContent) -> TurnDigest:
        words = structs.replace(content, messages=spelled(content.messages))
        return structs.replace(self._digest(words), counted_for=self._counted_for(content.turn))

    def _counted_for(self, turn: Turn) -> str:
        has_calls = turn.digest is None or turn.digest.has_tool_calls
        is_spelled = self._spells_calls and has_calls
        return f"{self._counter.model} in words" if is_spelled else self._counter.model
