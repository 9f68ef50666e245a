"""The time, and the day, where this process is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

Clock = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


def zone(at: datetime) -> tzinfo:
    return at.astimezone().tzinfo or UTC


def midnight(at: datetime) -> datetime:
    """When the day began where the server stands."""
    return at.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
