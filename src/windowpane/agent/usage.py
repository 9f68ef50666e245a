"""What was used and what it cost, by chat, project, day, model and cause.

Usage events are the only source. Days that are over are added up once and kept, sealed, as a
cache; of the others only what is new is read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct

from windowpane.accounting import (
    NOTHING,
    Totals,
    UsageEvent,
    UsageSum,
    added,
    sum_of,
    totals_of,
    usage_sums,
)
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


class _Standing:
    """All that was used before ``until``, by chat and by project."""

    def __init__(self, sums: Iterable[UsageSum], *, made_at: datetime, until: datetime) -> None:
        self.made_at = made_at
        self.until = until
        self._totals: dict[str, Totals] = {}
        self._take(sums)

    def of(self, id: str) -> Totals:
        return self._totals.get(id, NOTHING)

    def go_on(self, events: Iterable[UsageEvent], *, until: datetime) -> None:
        self._take(usage_sums(events))
        self.until = until

    def _take(self, sums: Iterable[UsageSum]) -> None:
        for one in sums:
            for id in (one.chat_id, one.project_id):
                self._totals[id] = self.of(id) + one.totals


class UsageBook:
    def __init__(self, vault: Vault, *, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        self._closed: dict[str, tuple[UsageSum, ...]] | None = None
        self._begun: dict[str, _Begun] = {}
        self._standing: _Standing | None = None
        self._today: tuple[datetime, datetime, Totals] | None = None
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
        standing, fresh = await self._so_far()
        new = (one.entry for one in fresh if one.chat_id == chat_id)
        return standing.of(chat_id) + totals_of(new)

    async def project(self, project_id: str) -> Totals:
        standing, fresh = await self._so_far()
        new = (one.entry for one in fresh if one.project_id == project_id)
        return standing.of(project_id) + totals_of(new)

    async def since(self, start: datetime) -> Totals:
        """What was used from a moment on, such as the beginning of a day."""
        async with self._reading:
            until, settled = start, NOTHING
            if self._today is not None and self._today[0] == start:
                _, until, settled = self._today
            events = await usage_between(self._vault, until, self._clock() + LATE)
            until = max(until, self._clock() - UNSETTLED)
            settled += totals_of(one.entry for one in events if one.at < until)
            self._today = (start, until, settled)
            return settled + totals_of(one.entry for one in events if one.at >= until)

    async def _so_far(self) -> tuple[_Standing, list[UsageEvent]]:
        """What is settled, and the events of the last minutes: a send looks at nothing older."""
        async with self._reading:
            now = self._clock()
            standing = self._standing
            if standing is None or now - standing.made_at > LATE:
                standing = self._standing = await self._stand(now)
            events = await usage_between(self._vault, standing.until, now + LATE)
            until = max(standing.until, now - UNSETTLED)
            standing.go_on((one for one in events if one.at < until), until=until)
            return standing, [one for one in events if one.at >= until]

    async def _stand(self, now: datetime) -> _Standing:
        closed = await self._closed_days()
        until = now - UNSETTLED
        sums: list[UsageSum] = []
        for day in await self._vault.store.parents("usage"):
            start = datetime.combine(date.fromisoformat(day), time(), UTC)
            end = start + timedelta(days=1)
            if now > end + LATE:
                sums += await self._sums(day, closed)
            elif start < until:
                sums += usage_sums(await usage_between(self._vault, start, min(end, until)))
        return _Standing(sums, made_at=now, until=until)

    async def _sums(
        self, day: str, closed: dict[str, tuple[UsageSum, ...]]
    ) -> tuple[UsageSum, ...]:
        if day in closed:
            return closed[day]
        start = datetime.combine(date.fromisoformat(day), time(), UTC)
        end = start + timedelta(days=1)
        if self._clock() <= end + LATE:
            return await self._grown(day, start, end)
        # Once more from the beginning: an event may have come later than it should.
        sums = closed[day] = usage_sums(await usage_between(self._vault, start, end))
        await self._vault.commit([self._put(day, sums)])
        self._begun.pop(day, None)
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
