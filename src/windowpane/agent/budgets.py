"""Budgets: what may be spent in a chat, in a project, on a day.

Before a call the most that it could cost is set aside in the store, so that sends that run at the
same time cannot spend more together than each of them might alone. What is set aside is a row of
its own and goes away with the batch that writes the real usage. A guard row that every
reservation rewrites makes two of them at once impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from windowpane.accounting import Cost, Totals, cost_of
from windowpane.agent.usage import UsageBook
from windowpane.catalog.prices import PriceSnapshot, Rate, usd_text
from windowpane.context.applied import Applied
from windowpane.context.budget import MARGIN_PERCENT
from windowpane.context.receipt import Receipt
from windowpane.errors import BudgetExceeded, VersionConflict
from windowpane.storage.base import Change
from windowpane.storage.shelves import (
    LEDGERS,
    RESERVATIONS,
    LedgerGuard,
    Reservation,
    chat_ledger_id,
    project_ledger_id,
    reservations_of,
)
from windowpane.storage.vault import Stored, Vault
from windowpane.usage import TokenUsage

# More than an answer of any model that was looked at.
MOST_SEARCHES = 10

SpendingScope = Literal["chat", "project", "day"]
NAMES: dict[SpendingScope, str] = {
    "chat": "this chat",
    "project": "this project",
    "day": "today",
}


class Cap(Struct, frozen=True, kw_only=True):
    """``soft_usd`` warns, ``hard_usd`` refuses; None: no such limit."""

    scope: SpendingScope
    soft_usd: Decimal | None
    hard_usd: Decimal | None


class Place(Struct, frozen=True, kw_only=True):
    """Whose money it is, and since when the day counts."""

    project_id: str
    chat_id: str
    day_began_at: datetime


class BudgetState(Struct, frozen=True, kw_only=True):
    """One budget as it stands: what was spent, what running calls may still spend.

    ``warning`` says that the soft budget is used up, where it is.
    """

    scope: SpendingScope
    soft_usd: Decimal | None
    hard_usd: Decimal | None
    spent: Cost
    reserved_usd: Decimal
    warning: str = ""

    @property
    def left_usd(self) -> Decimal | None:
        if self.hard_usd is None:
            return None
        return max(Decimal(0), self.hard_usd - self.spent.known_usd - self.reserved_usd)


class Call(Struct, frozen=True, kw_only=True):
    """A call that is about to be made, at its dearest."""

    receipt_id: str
    model: str
    input_tokens: int
    most_output_tokens: int | None
    has_web_search: bool
    price: PriceSnapshot


class Budgets:
    def __init__(self, vault: Vault, *, usage: UsageBook, process_id: str) -> None:
        self._vault = vault
        self._usage = usage
        self._process_id = process_id

    async def states(self, caps: Sequence[Cap], place: Place) -> list[BudgetState]:
        return [(await self._state(cap, place))[0] for cap in caps if _is_set(cap)]

    async def check(self, caps: Sequence[Cap], place: Place, call: Call) -> None:
        """Raises ``BudgetExceeded`` if the call could cost too much; sets nothing aside."""
        for cap in caps:
            if cap.hard_usd is not None:
                state, _ = await self._state(cap, place)
                _require(state, call)

    async def reserve(self, caps: Sequence[Cap], place: Place, call: Call) -> None:
        """Set the call's price aside; ``given_back`` goes with the batch of its usage."""
        hard = [cap for cap in caps if cap.hard_usd is not None]
        while hard:
            changes: list[Change] = []
            for cap in hard:
                guard = await self._vault.find(LEDGERS, _ledger_id(cap.scope, place))
                state, dead = await self._state(cap, place)
                _require(state, call)
                changes += [
                    self._guard_row(cap.scope, place, guard),
                    self._reservation_row(cap.scope, place, call),
                    *(self._vault.delete(RESERVATIONS, one) for one in dead),
                ]
            try:
                await self._vault.commit(changes)
                return
            except VersionConflict:
                continue  # somebody else set money aside at the same moment: look again

    async def _state(self, cap: Cap, place: Place) -> tuple[BudgetState, list[str]]:
        """The budget, and reservations whose process has died.

        Reservations are read before usage: a call that ends in between is counted twice rather
        than not at all.
        """
        found = await self._vault.all_children(RESERVATIONS, [_reservations_of(cap.scope, place)])
        alive = await self._alive({one.value.process_id for one in found.items})
        dead = [one.id for one in found.items if one.value.process_id not in alive]
        living = (one.value.usd for one in found.items if one.value.process_id in alive)
        spent = (await self._spent(cap.scope, place)).cost
        state = BudgetState(
            scope=cap.scope,
            soft_usd=cap.soft_usd,
            hard_usd=cap.hard_usd,
            spent=spent,
            reserved_usd=sum(living, Decimal(0)),
            warning=_warning(cap, spent),
        )
        return state, dead

    async def _alive(self, process_ids: set[str]) -> set[str]:
        """Its own process needs no proof."""
        is_alive = self._vault.store.is_alive
        mine = {self._process_id} & process_ids
        return mine | {id for id in process_ids - mine if await is_alive(id)}

    async def _spent(self, scope: SpendingScope, place: Place) -> Totals:
        if scope == "chat":
            return await self._usage.chat(place.chat_id)
        if scope == "project":
            return await self._usage.project(place.project_id)
        return await self._usage.since(place.day_began_at)

    def _guard_row(
        self, scope: SpendingScope, place: Place, guard: Stored[LedgerGuard] | None
    ) -> Change:
        id = _ledger_id(scope, place)
        return self._vault.put(
            LEDGERS,
            LedgerGuard(),
            id=id,
            parent_id=id,
            position=0,
            expected_version=guard.version if guard else 0,
        )

    def _reservation_row(self, scope: SpendingScope, place: Place, call: Call) -> Change:
        usd = dearest(call).known_usd
        return self._vault.put(
            RESERVATIONS,
            Reservation(usd=usd, process_id=self._process_id),
            id=_reservation_id(scope, place, call.receipt_id),
            parent_id=_reservations_of(scope, place),
            position=0,
            expected_version=0,
        )


def caps_of(applied: Applied) -> tuple[Cap, ...]:
    """The budgets that somebody set."""
    caps = (
        Cap(scope="chat", soft_usd=applied.chat_soft_usd, hard_usd=applied.chat_hard_usd),
        Cap(scope="project", soft_usd=applied.project_soft_usd, hard_usd=applied.project_hard_usd),
        Cap(scope="day", soft_usd=applied.day_soft_usd, hard_usd=applied.day_hard_usd),
    )
    return tuple(cap for cap in caps if _is_set(cap))


def _warning(cap: Cap, spent: Cost) -> str:
    if cap.soft_usd is None or spent.known_usd < cap.soft_usd:
        return ""
    return f"over the soft budget of {usd_text(cap.soft_usd)} for {NAMES[cap.scope]}"


def given_back(vault: Vault, place: Place, receipt_id: str) -> tuple[Change, ...]:
    """Frees what was set aside for a request, whichever budgets held for it."""
    return tuple(
        vault.delete(RESERVATIONS, _reservation_id(one, place, receipt_id)) for one in NAMES
    )


def place_of(receipt: Receipt) -> Place:
    return Place(
        project_id=receipt.project_id, chat_id=receipt.chat_id, day_began_at=receipt.started_at
    )


def dearest(call: Call) -> Cost:
    """Nothing from a cache, everything written to it, and as long an answer as may come.

    What goes out was counted here, so there is a margin; how often a model searches is its own
    affair, so that is a guess on the safe side.
    """
    price, output_tokens = call.price, call.most_output_tokens or 0
    input_tokens = call.input_tokens + -(-call.input_tokens * MARGIN_PERCENT // 100)
    is_written = _is_dearer(price.cache_write, price.input)
    is_thought = _is_dearer(price.reasoning, price.output)
    usage = TokenUsage(
        input_tokens=0 if is_written else input_tokens,
        cache_write_tokens=input_tokens if is_written else 0,
        output_tokens=output_tokens,
        reasoning_tokens=output_tokens if is_thought else 0,
        web_searches=MOST_SEARCHES if call.has_web_search else 0,
    )
    return cost_of(usage, price)


def _is_dearer(rate: Rate | None, other: Rate | None) -> bool:
    return bool(rate and other and rate.usd_per_million > other.usd_per_million)


def _require(state: BudgetState, call: Call) -> None:
    cost = dearest(call)
    name = NAMES[state.scope]
    if cost.is_unreliable:
        raise BudgetExceeded(
            f"The price of {call.model} is not known, so the hard budget of ${state.hard_usd} for "
            f"{name} cannot be kept. Set the model's prices, or lift the budget."
        )
    is_free = call.price.output is not None and not call.price.output.usd_per_million
    if call.most_output_tokens is None and not is_free:
        raise BudgetExceeded(
            f"Nobody said how long an answer of {call.model} can be, so the hard budget of "
            f"${state.hard_usd} for {name} cannot be kept. Set the longest answer."
        )
    left_usd = state.left_usd
    if left_usd is not None and cost.known_usd > left_usd:
        raise BudgetExceeded(
            f"This could cost up to ${cost.known_usd:.4f}, and ${left_usd:.4f} are left of the "
            f"hard budget of ${state.hard_usd} for {name}. Raise the budget, lower the longest "
            "answer, or choose a cheaper model."
        )


def _is_set(cap: Cap) -> bool:
    return cap.soft_usd is not None or cap.hard_usd is not None


def _ledger_id(scope: SpendingScope, place: Place) -> str:
    match scope:
        case "chat":
            return chat_ledger_id(place.chat_id)
        case "project":
            return project_ledger_id(place.project_id)
        case "day":
            # One day has one guard, whichever day it is: yesterday's reservations may still run.
            return "day"


def _reservations_of(scope: SpendingScope, place: Place) -> str:
    return reservations_of(_ledger_id(scope, place))


def _reservation_id(scope: SpendingScope, place: Place, receipt_id: str) -> str:
    return f"{_reservations_of(scope, place)}:{receipt_id}"
