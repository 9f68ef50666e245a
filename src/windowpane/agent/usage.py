"""What was used and what it cost, by chat, project, day, model and cause.

Usage events are the only source. Days that are over are added up once and kept, sealed, as a
cache; of the others only what is new is read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct

from windowpane.accounting import Totals, UsageEvent, UsageSum, added, sum_of, usage_sums
from windowpane.agent.clock import Clock
from windowpane.storage.accounts import usage_between
from windowpane.storage.base import Change
from windowpane.storage.shelves import DAY_SUMS, DAY_SUMS_PARENT, DaySums
from windowpane.storage.vault import Vault

# An event is written a moment after it happened, longer if the database was away meanwhile; a day
# is not added up for good before the last of its events must have arrived.
LATE = timedelta(hours=1)
UNSETTLED = timedelta(minutes=2)


class DayUsage(Struct, frozen=True, kw_only=True):
    """``day`` is a day in UTC."""

    day: date
    sums: tuple[UsageSum, ...]


class _Begun(Struct, frozen=True, kw_only=True):
    """A day so far: everything before ``until``, added up."""

    until: datetime
    sums: tuple[UsageSum, ...]


class UsageBook:
    def __init__(self, vault: Vault, *, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        self._closed: dict[str, tuple[UsageSum, ...]] | None = None
        self._begun: dict[str, _Begun] = {}
        self._reading = asyncio.Lock()

    async def days(self) -> list[DayUsage]:
        """Every day on which something was used, oldest first."""
        async with self._reading:
            closed = await self._closed_days()
            days = await self._vault.store.parents("usage")
            return [
                DayUsage(day=date.fromisoformat(day), sums=await self._sums(day, closed))
                for day in days
            ]

    async def chat(self, chat_id: str) -> Totals:
        return await self._total(lambda one: one.chat_id == chat_id)

    async def project(self, project_id: str) -> Totals:
        return await self._total(lambda one: one.project_id == project_id)

    async def since(self, start: datetime) -> list[UsageEvent]:
        """The events from a moment on, oldest first."""
        return await usage_between(self._vault, start, self._clock() + LATE)

    async def _total(self, is_meant: Callable[[UsageSum], bool]) -> Totals:
        return sum_of(one for day in await self.days() for one in day.sums if is_meant(one))

    async def _sums(
        self, day: str, closed: dict[str, tuple[UsageSum, ...]]
    ) -> tuple[UsageSum, ...]:
        if day in closed:
            return closed[day]
        start = datetime.combine(date.fromisoformat(day), time(), UTC)
        end = start + timedelta(days=1)
        sums = await self._grown(day, start, end)
        if self._clock() > end + LATE:
            await self._vault.commit([self._put(day, sums)])
            closed[day] = sums
            del self._begun[day]
        return sums

    async def _grown(self, day: str, start: datetime, end: datetime) -> tuple[UsageSum, ...]:
        """A day that goes on: what was settled when it was last asked for, and what came since."""
        begun = self._begun.get(day, _Begun(until=start, sums=()))
        events = await usage_between(self._vault, begun.until, end)
        until = max(begun.until, min(end, self._clock() - UNSETTLED))
        settled = added(begun.sums, usage_sums(one for one in events if one.at < until))
        self._begun[day] = _Begun(until=until, sums=settled)
        return added(settled, usage_sums(one for one in events if one.at >= until))

    async def _closed_days(self) -> dict[str, tuple[UsageSum, ...]]:
        if self._closed is None:
            stored = await self._vault.all_children(DAY_SUMS, [DAY_SUMS_PARENT])
            self._closed = {
                one.id.removeprefix(f"{DAY_SUMS_PARENT}:"): one.value.sums for one in stored.items
            }
        return self._closed

    def _put(self, day: str, sums: tuple[UsageSum, ...]) -> Change:
        return self._vault.put(
            DAY_SUMS,
            DaySums(sums=sums),
            id=f"{DAY_SUMS_PARENT}:{day}",
            parent_id=DAY_SUMS_PARENT,
            position=date.fromisoformat(day).toordinal(),
            expected_version=None,
        )


def by_model(sums: Iterable[UsageSum]) -> dict[str, Totals]:
    found: dict[str, list[UsageSum]] = {}
    for one in sums:
        found.setdefault(one.model, []).append(one)
    return {model: sum_of(of_model) for model, of_model in found.items()}
