"""Which turns the next summary would stand for: all but the recent ones that stay as they are."""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.boundary import recent_suffix
from windowpane.context.checkpoint import summary_in_view
from windowpane.context.given import PlanInput
from windowpane.context.standing import candidates, rules_of


class Coverage(Struct, frozen=True, kw_only=True):
    """The range of a summary to come; an earlier one is taken up into it.

    ``turns`` and ``tokens`` are those of the turns that are new to it and that a model would read.
    """

    first_index: int
    last_index: int
    turns: int
    tokens: int


def next_coverage(given: PlanInput, *, retention_tokens: int) -> Coverage | None:
    """None when nothing is left to summarise: the last completed turn always stays."""
    rules = rules_of(given)
    start = recent_suffix(candidates(given, rules), room_tokens=retention_tokens)
    older = [] if start is None else [one for one in candidates(given, rules) if one.index < start]
    if not older:
        return None
    earlier = summary_in_view(given)
    return Coverage(
        first_index=earlier.first_index if earlier else 0,
        last_index=older[0].index,
        turns=len(older),
        tokens=sum(one.tokens for one in older),
    )
