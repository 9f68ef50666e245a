"""What a person sets for a model by hand: limits, prices, the long-context switch.

An override names its models with at most one ``*``: ``gpt-4o``, ``claude-*``, ``*-thinking``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from windowpane.catalog.limits import LimitValues
from windowpane.catalog.names import without_hosts
from windowpane.catalog.prices import PriceValues, Rate
from windowpane.errors import InvalidInput

# More than any limit will be for long, and less than what a record can hold.
MOST_TOKENS = 10**12


class NamePattern(Struct, frozen=True):
    """Names that begin with ``prefix`` and end with ``postfix``; either may be empty."""

    prefix: str
    postfix: str


class ModelOverride(Struct, frozen=True, kw_only=True, omit_defaults=True):
    models: str
    limits: LimitValues = LimitValues()
    prices: PriceValues = PriceValues()
    uses_long_context: bool = False

    def __post_init__(self) -> None:
        if not self.models.strip("*") or self.models.count("*") > 1:
            raise InvalidInput(
                f"{self.models!r} does not name models. Write a name, with at most one * in it."
            )
        for name, value in asdict(self.limits).items():
            if value is not None and not 1 <= value <= MOST_TOKENS:
                raise InvalidInput(
                    f"The limit {name} is a whole number from 1 to {MOST_TOKENS:,}, not {value}."
                )
        for name, value in asdict(self.prices).items():
            usd = value.usd_per_million if isinstance(value, Rate) else value
            if usd is not None and not (usd.is_finite() and usd >= 0):
                raise InvalidInput(f"The price {name} is a number of dollars, not {usd}.")


def score(pattern: NamePattern, name: str) -> int:
    """Zero: no match. Both ends beat the end alone, the end beats the beginning, longer wins."""
    length = len(pattern.prefix) + len(pattern.postfix)
    fits = name.startswith(pattern.prefix) and name.endswith(pattern.postfix)
    if not fits or not 0 < length <= len(name):
        return 0
    return (1000 if pattern.prefix else 0) + (2000 if pattern.postfix else 0) + length


def override_for(model: str, overrides: Sequence[ModelOverride]) -> ModelOverride | None:
    """The one that fits best: the exact name, then the pattern that says most about it."""
    for name in without_hosts(model):
        exact = next((override for override in overrides if override.models == name), None)
        if found := exact or _best(name, overrides):
            return found
    return None


def _best(name: str, overrides: Iterable[ModelOverride]) -> ModelOverride | None:
    scored = [(score(_pattern(o.models), name), o) for o in overrides if "*" in o.models]
    best_score, best = max(scored, key=lambda found: found[0], default=(0, None))
    return best if best_score else None


def _pattern(models: str) -> NamePattern:
    prefix, _, postfix = models.partition("*")
    return NamePattern(prefix, postfix)
