"""Quotas that are counted here, so that a send can wait before the provider refuses it.

Pure: what was sent in the last minute and day goes in, how long to wait comes out. Only limits
that are known count.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from windowpane.catalog.limits import Limits

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


class Sent(Struct, frozen=True, gc=False):
    """One request: when it went, and what it weighed."""

    at: datetime
    tokens: int


class QuotaUse(Struct, frozen=True, kw_only=True):
    """The requests of the last day, oldest first."""

    sent: tuple[Sent, ...] = ()


NOTHING_SENT = QuotaUse()


def noted(use: QuotaUse, *, tokens: int, at: datetime) -> QuotaUse:
    """The use with one more request, and without those that no quota remembers."""
    kept = tuple(one for one in use.sent if one.at > at - DAY)
    return QuotaUse(sent=(*kept, Sent(at=at, tokens=tokens)))


def wait_seconds(use: QuotaUse, limits: Limits, *, tokens: int, now: datetime) -> float:
    """How long a request of this weight must wait; 0 if it may go now.

    A request that is larger than a quota by itself waits until the quota is unused: the provider
    shall say that it is too large.
    """
    return max(
        _wait(use, MINUTE, limits.requests_per_minute.value, _ones(use), more=1, now=now),
        _wait(use, MINUTE, limits.tokens_per_minute.value, _weights(use), more=tokens, now=now),
        _wait(use, DAY, limits.tokens_per_day.value, _weights(use), more=tokens, now=now),
    )


def _ones(use: QuotaUse) -> Iterable[int]:
    return (1 for _ in use.sent)


def _weights(use: QuotaUse) -> Iterable[int]:
    return (one.tokens for one in use.sent)


def _wait(
    use: QuotaUse,
    span: timedelta,
    limit: int | None,
    weights: Iterable[int],
    *,
    more: int,
    now: datetime,
) -> float:
    """Until enough of the span's requests are older than it."""
    if limit is None:
        return 0.0
    within = [
        (one.at, weight)
        for one, weight in zip(use.sent, weights, strict=True)
        if one.at > now - span
    ]
    used = sum(weight for _, weight in within)
    until = now
    for at, weight in within:
        if used + more <= limit:
            break
        used -= weight
        until = at + span
    return max(0.0, (until - now).total_seconds())
