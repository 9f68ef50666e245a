"""What the turns of a conversation weigh, counted once for each model."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from windowpane.context.scope import Scope
from windowpane.context.weights import TurnWeight, weigh
from windowpane.library.counting import BlockCounter, block_counter
from windowpane.tokens import TokenCache
from windowpane.turns import TurnContent

# About 100 bytes each.
KEPT_TOKEN_COUNTS = 100_000


class Weights:
    """A memory of counts. Pins and skips change which turns are sent, not what they weigh."""

    def __init__(self) -> None:
        self._cache = TokenCache(max_entries=KEPT_TOKEN_COUNTS)
        self._weighed: dict[str, list[TurnWeight]] = {}
        self._scopes: dict[str, Scope] = {}

    def renewed(self) -> Weights:
        """The same memory for the same turns with other marks."""
        other = Weights()
        other._cache, other._weighed = self._cache, self._weighed
        return other

    def counter(self, model: str) -> BlockCounter:
        return block_counter(model, cache=self._cache)

    def scope(self, model: str, turns: Sequence[TurnContent]) -> Scope:
        if model not in self._scopes:
            weighed = self._of(model, turns)
            pairs = zip(weighed, turns, strict=True)
            self._scopes[model] = Scope.of([_marked(weight, content) for weight, content in pairs])
        return self._scopes[model]

    def _of(self, model: str, turns: Sequence[TurnContent]) -> list[TurnWeight]:
        if model not in self._weighed:
            counter = self.counter(model)
            self._weighed[model] = [weigh(content, counter=counter) for content in turns]
        return self._weighed[model]


def _marked(weight: TurnWeight, content: TurnContent) -> TurnWeight:
    turn = content.turn
    if weight.is_pinned == turn.is_pinned and weight.is_skipped == turn.is_skipped:
        return weight
    return replace(weight, is_pinned=turn.is_pinned, is_skipped=turn.is_skipped)
