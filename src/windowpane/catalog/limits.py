"""The limits of a model, each with the source it comes from. Unknown is said, never guessed.

Values and how they merge; where they come from is known by the modules beside this one.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

Source = Literal["catalog", "provider", "manual", "learned", "unknown"]

# What a person set stands; what a provider enforced beats what it or a catalog announced.
_RANK: dict[Source, int] = {"unknown": 0, "catalog": 1, "provider": 2, "learned": 3, "manual": 4}


class Limit(Struct, frozen=True):
    value: int | None
    source: Source


UNKNOWN = Limit(None, "unknown")


class LimitValues(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits from one source: what a person set, a provider told or an error taught."""

    context_window_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens_per_minute: int | None = None
    requests_per_minute: int | None = None
    tokens_per_day: int | None = None

    def over(self, others: LimitValues) -> LimitValues:
        """What is known here, and of the rest what the others know."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(others, **known)


class Limits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``context_window_tokens`` holds input and output together, the other two one of them each."""

    context_window_tokens: Limit = UNKNOWN
    input_tokens: Limit = UNKNOWN
    output_tokens: Limit = UNKNOWN
    tokens_per_minute: Limit = UNKNOWN
    requests_per_minute: Limit = UNKNOWN
    tokens_per_day: Limit = UNKNOWN


UNKNOWN_LIMITS = Limits()


def merged(limits: Limits, values: LimitValues, *, source: Source) -> Limits:
    """``limits`` with what ``values`` knows better; the order of merging does not matter."""
    fields: dict[str, Limit] = asdict(limits)
    for name, value in asdict(values).items():
        if value is not None and _RANK[source] >= _RANK[fields[name].source]:
            fields[name] = Limit(value, source)
    return Limits(**fields)
