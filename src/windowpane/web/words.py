"""Numbers and times as people say them, for every page."""

from __future__ import annotations

from datetime import datetime, timedelta

MINUTE_SECONDS, HOUR_SECONDS, DAY_SECONDS = 60, 3600, 86_400
# From here on a date says more than a number of days.
DATED_AFTER = timedelta(days=30)


def counted(count: int, noun: str) -> str:
    """``1 model``, ``1,200 models``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def ago(at: datetime, *, now: datetime) -> str:
    passed = now - at
    if passed > DATED_AFTER:
        return f"on {at:%-d %B %Y}"
    seconds = int(passed.total_seconds())
    for unit_seconds, noun in (
        (DAY_SECONDS, "day"),
        (HOUR_SECONDS, "hour"),
        (MINUTE_SECONDS, "minute"),
    ):
        if seconds >= unit_seconds:
            return f"{counted(seconds // unit_seconds, noun)} ago"
    return "just now"
