"""What calls teach about models: limits that a refusal named, and how far our counting is off.

Kept in memory and, sealed, beside the definition of the model's provider. It is a cache: without
it the next refusal teaches the same again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from windowpane.catalog.learned import overflow_numbers
from windowpane.parts import Part
from windowpane.storage.base import Change
from windowpane.storage.shelves import LEARNED, LearnedModel, LearnedModels, learned_id
from windowpane.storage.vault import Vault
from windowpane.tokens import calibrated
from windowpane.usage import TokenUsage

NOTHING = LearnedModel()


class Learned:
    """``definition_id`` tells, by a provider's name, where its lessons lie."""

    def __init__(self, vault: Vault, *, definition_id: Callable[[str], str]) -> None:
        self._vault = vault
        self._definition_id = definition_id
        self._known: dict[str, dict[str, LearnedModel]] = {}

    async def of(self, name: str) -> LearnedModel:
        provider, _, model = name.partition("/")
        if provider not in self._known:
            id = learned_id(self._definition_id(provider))
            stored = await self._vault.find(LEARNED, id)
            self._known[provider] = dict(stored.value.models) if stored else {}
        return self._known[provider].get(model, NOTHING)

    def forget(self, provider: str) -> None:
        self._known.pop(provider, None)

    def from_usage(
        self, name: str, *, estimated_tokens: int, usage: TokenUsage, answer: Iterable[Part]
    ) -> list[Change]:
        """What to store after a call that reported its usage."""
        known = self._at_hand(name)
        calibration = calibrated(
            known.calibration, estimated_tokens=estimated_tokens, usage=usage, answer=answer
        )
        return self._kept(name, replace(known, calibration=calibration))

    def from_overflow(self, name: str, *, message: str) -> list[Change]:
        """What to store after a refusal that named the limit."""
        numbers = overflow_numbers(message)
        if numbers is None:
            return []
        known = self._at_hand(name)
        return self._kept(name, replace(known, limits=numbers.limits.over(known.limits)))

    def _at_hand(self, name: str) -> LearnedModel:
        """Whoever sends has asked for the limits before, so it is known by now."""
        provider, _, model = name.partition("/")
        return self._known.setdefault(provider, {}).get(model, NOTHING)

    def _kept(self, name: str, learned: LearnedModel) -> list[Change]:
        provider, _, model = name.partition("/")
        models = self._known[provider]
        if models.get(model, NOTHING) == learned:
            return []
        models[model] = learned
        id = learned_id(self._definition_id(provider))
        put = self._vault.put(
            LEARNED,
            LearnedModels(models=dict(models)),
            id=id,
            parent_id=id,
            position=0,
            expected_version=None,
        )
        return [put]
