"""What the next send would cost, and whether a provider still remembers its beginning.

An estimate says what it leaves open: without an earlier answer nobody knows how long this one
will be.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from windowpane.accounting import Cost, cost_of
from windowpane.catalog.prices import PriceSnapshot
from windowpane.context.receipt import Receipt
from windowpane.usage import TokenUsage

# How long providers keep a prefix that nobody asks for: five minutes is what they promise.
CACHE_LASTS = timedelta(minutes=5)


class SendEstimate(Struct, frozen=True, kw_only=True):
    """``answer_tokens`` is the size of the last answer; None: there was none to go by.

    ``is_cache_expired``: the last request left a cached prefix that has probably gone by now.
    ``warnings`` are of budgets that are used up.
    """

    input_tokens: int
    cached_tokens: int
    answer_tokens: int | None
    cost: Cost
    is_cache_expired: bool
    warnings: tuple[str, ...]


def estimate(
    total_tokens: int,
    *,
    model: str,
    price: PriceSnapshot,
    last: Receipt | None,
    now: datetime,
    warnings: tuple[str, ...],
) -> SendEstimate:
    """``total_tokens`` is what the plan weighs, ``last`` the chat's latest request, if any."""
    used = last.entry.usage if last and last.entry else TokenUsage()
    left_tokens = used.cache_read_tokens + used.cache_write_tokens
    is_fresh = last is not None and last.model == model and now - last.started_at < CACHE_LASTS
    cached_tokens = min(total_tokens, left_tokens) if is_fresh else 0
    usage = TokenUsage(
        input_tokens=total_tokens - cached_tokens,
        cache_read_tokens=cached_tokens,
        output_tokens=used.output_tokens,
    )
    return SendEstimate(
        input_tokens=total_tokens,
        cached_tokens=cached_tokens,
        answer_tokens=used.output_tokens or None,
        cost=cost_of(usage, price),
        is_cache_expired=left_tokens > 0 and not is_fresh,
        warnings=warnings,
    )


def estimate_sentence(found: SendEstimate) -> str:
    """A few words for the place beside Send."""
    words = [_price(found)]
    if found.is_cache_expired:
        words.append("cache probably expired")
    elif found.cached_tokens:
        words.append("cache warm")
    return ", ".join([*words, *found.warnings])


def _price(found: SendEstimate) -> str:
    if found.cost.is_unknown:
        return "price unknown"
    usd = found.cost.known_usd
    if not usd:
        return "price unknown" if found.cost.is_unreliable else "free"
    shown = f"${usd:.3f}" if usd >= 0.001 else "less than $0.001"
    return f"≈ {shown}" if found.answer_tokens else f"≈ {shown} and the answer"
