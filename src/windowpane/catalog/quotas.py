"""Quotas that are counted here, so that a send can wait before the provider refuses it.

Pure: what was sent in the last minute and day goes in, how long to wait comes out. Only limits
that are known count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
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
    return QuotaUse(sent=(*_within(use, DAY, now=at), Sent(at=at, tokens=tokens)))


def wait_seconds(use: QuotaUse, limits: Limits, *, tokens: int, now: datetime) -> float:
    """How long a request of this weight must wait; 0 if it may go now.

    A request that is larger than a quota by itself waits until the quota is unused: the provider
    shall say that it is too large.
    """
    return max(
        _wait(use, MINUTE, limits.requests_per_minute.value, _one, more=1, now=now),
        _wait(use, MINUTE, limits.tokens_per_minute.value, _weight, more=tokens, now=now),
        _wait(use, DAY, limits.tokens_per_day.value, _weight, more=tokens, now=now),
    )


def _one(_: Sent) -> int:
    return 1


def _weight(sent: Sent) -> int:
    return sent.tokens


def _within(use: QuotaUse, span: timedelta, *, now: datetime) -> tuple[Sent, ...]:
    """The requests of a span. Looked up, not gone through: a busy server sends many in a day."""
    return use.sent[bisect_right(use.sent, now - span, key=lambda one: one.at) :]


def _wait(
    use: QuotaUse,
    span: timedelta,
    limit: int | None,
    weigh: Callable[[Sent], int],
    *,
    more: int,
    now: datetime,
) -> float:
    """Until enough of the span's requests are older than it."""
    if limit is None:
        return 0.0
    within = _within(use, span, now=now)
    used = sum(map(weigh, within))
    until = now
    for one in within:
        if used + more <= limit:
            break
        used -= weigh(one)
        until = one.at + span
    return max(0.0, (until - now).total_seconds())
