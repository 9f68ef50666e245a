"""What a provider's overflow teaches the next plan of the same send.

A refusal that names its numbers is believed and trimmed by at once; one that names none costs the
oldest planned turn, one at a time.
"""

from __future__ import annotations

from math import floor

from windowpane.catalog.learned import overflow_numbers
from windowpane.context.given import Overflow
from windowpane.context.plan import ContextPlan

# The provider counts what we only estimate: a request exactly at its limit might fail again.
CAUTION = 0.98


def after_refusal(overflow: Overflow, *, message: str, plan: ContextPlan) -> Overflow:
    """Less than before in any case: a limit that is met already teaches nothing more."""
    limit_tokens = _limit_tokens(message, plan)
    known = overflow.limit_tokens
    if limit_tokens is not None and limit_tokens < plan.total_tokens:
        limit_tokens = limit_tokens if known is None else min(known, limit_tokens)
        return Overflow(trims=overflow.trims, limit_tokens=limit_tokens)
    return Overflow(trims=overflow.trims + 1, limit_tokens=known)


def sends_the_same(plan: ContextPlan, other: ContextPlan) -> bool:
    """Nothing more could leave: what is pinned stays, and so does the newest round of tools."""
    return (plan.sent_turn_ids, plan.current.removed_rounds) == (
        other.sent_turn_ids,
        other.current.removed_rounds,
    )


def _limit_tokens(message: str, plan: ContextPlan) -> int | None:
    """The limit that a message names, in tokens of our counting."""
    numbers = overflow_numbers(message)
    if numbers is None:
        return None
    sent_tokens = numbers.sent_tokens or plan.total_tokens
    return floor(CAUTION * numbers.limit_tokens * plan.total_tokens / max(1, sent_tokens))
