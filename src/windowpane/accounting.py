"""From usage to totals and cost: all computed, nothing derived is stored.

Every API call leaves one ``UsageEntry`` with the price of its moment; entries are only ever added.
When a tail of the path is left, an ``AccountingRecord`` takes its place and keeps the totals.

What the design leaves open is decided so:

1. One vocabulary. Entries and records both speak ``TokenUsage``: input without cached tokens,
   output with reasoning; adapters convert.
2. A record holds everything up to its moment, earlier records included, so the last one suffices.
3. A record stands right behind what is kept and before what comes next.
4. Titles and summaries cost: they are in the totals, though they are no part of the context.

US dollars are ``Decimal``, so that a sum does not depend on the order of adding: the last record
plus what follows equals the sum of all entries to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import reduce
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from windowpane.catalog.prices import PriceSnapshot, Rate
from windowpane.usage import TokenUsage

Cause = Literal["answer", "tool_round", "title", "summary", "minion"]


class Cost(Struct, frozen=True):
    """``known_usd`` is what known prices make; unreliable says that it is not the whole truth."""

    known_usd: Decimal
    is_unreliable: bool

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.known_usd + other.known_usd, self.is_unreliable or other.is_unreliable)

    @property
    def is_unknown(self) -> bool:
        """Nothing is known of it: to be shown as unknown, never as zero."""
        return self.is_unreliable and not self.known_usd


class Totals(Struct, frozen=True, kw_only=True):
    usage: TokenUsage
    cost: Cost
    calls: int

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            usage=self.usage + other.usage,
            cost=self.cost + other.cost,
            calls=self.calls + other.calls,
        )


NOTHING = Totals(usage=TokenUsage(), cost=Cost(Decimal(0), False), calls=0)


class ChatTotals(Struct, frozen=True, kw_only=True):
    """A fork shows what it inherited, but over several chats only ``own`` may be summed."""

    own: Totals = NOTHING
    inherited: Totals = NOTHING

    @property
    def shown(self) -> Totals:
        return self.own + self.inherited


class UsageEntry(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="usage"):
    """One API call. ``round`` numbers the tool rounds of a turn from 1; 0 is no tool round.

    ``is_estimated``: the provider reported nothing, as when an answer was stopped, so what went
    over the line was counted here.
    """

    cause: Cause
    usage: TokenUsage
    price: PriceSnapshot
    round: int = 0
    is_estimated: bool = False


class UsageEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry and where it belongs: written once, and kept when its chat is deleted."""

    id: str
    at: datetime
    project_id: str
    chat_id: str
    turn_id: str
    receipt_id: str
    model: str
    entry: UsageEntry


class UsageSum(Struct, frozen=True, kw_only=True):
    """What one model cost one chat for one cause."""

    project_id: str
    chat_id: str
    model: str
    cause: Cause
    totals: Totals


class AccountingRecord(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="accounting"):
    """The totals at the moment when a tail was left, or when a fork began."""

    totals: ChatTotals
    reason: str
    left_turns: int
    created_at: datetime


HistoryEntry = UsageEntry | AccountingRecord


def cost_of(usage: TokenUsage, price: PriceSnapshot) -> Cost:
    """What a call cost. A price that is needed and not known makes it unreliable, never free."""
    # A provider that reports more reasoning than output must not make a call cheaper.
    answer_tokens = max(0, usage.output_tokens - usage.reasoning_tokens)
    charges: tuple[tuple[int, Rate | None], ...] = (
        (usage.input_tokens, price.input),
        (usage.cache_read_tokens, price.cache_read or price.input),
        (usage.cache_write_tokens, price.cache_write or price.input),
        (answer_tokens, price.output),
        (usage.reasoning_tokens, price.reasoning or price.output),
    )
    amounts = [_charge(tokens, rate, usage.request_tokens) for tokens, rate in charges if tokens]
    if usage.web_searches:
        amounts.append(_searches_usd(usage.web_searches, price))
    known_usd = sum((usd for usd in amounts if usd is not None), price.request_usd)
    return Cost(known_usd, price.is_unreliable or None in amounts)


def entry_totals(entry: UsageEntry) -> Totals:
    cost = cost_of(entry.usage, entry.price)
    if entry.is_estimated and cost.known_usd:
        # What is free is free, however much of it there was.
        cost = Cost(cost.known_usd, True)
    return Totals(usage=entry.usage, cost=cost, calls=1)


def totals_of(entries: Iterable[UsageEntry]) -> Totals:
    return reduce(Totals.__add__, map(entry_totals, entries), NOTHING)


def usage_sums(events: Iterable[UsageEvent]) -> tuple[UsageSum, ...]:
    """Events added up by project, chat, model and cause, in the order of first mention."""
    return added(
        UsageSum(
            project_id=event.project_id,
            chat_id=event.chat_id,
            model=event.model,
            cause=event.entry.cause,
            totals=entry_totals(event.entry),
        )
        for event in events
    )


def added(*groups: Iterable[UsageSum]) -> tuple[UsageSum, ...]:
    """Sums of the same project, chat, model and cause become one."""
    found: dict[tuple[str, str, str, Cause], UsageSum] = {}
    for one in chain(*groups):
        key = (one.project_id, one.chat_id, one.model, one.cause)
        known = found.get(key)
        found[key] = replace(one, totals=known.totals + one.totals) if known else one
    return tuple(found.values())


def sum_of(sums: Iterable[UsageSum]) -> Totals:
    return reduce(Totals.__add__, (one.totals for one in sums), NOTHING)


def cumulative(history: Sequence[HistoryEntry]) -> ChatTotals:
    """The last record's totals and all that followed it."""
    own: list[UsageEntry] = []
    for entry in reversed(history):
        if isinstance(entry, AccountingRecord):
            return _with_own(entry.totals, totals_of(own))
        own.append(entry)
    return ChatTotals(own=totals_of(own))


def accounting_record(
    history: Sequence[HistoryEntry], *, reason: str, left_turns: int, created_at: datetime
) -> AccountingRecord:
    """Made of the whole history, before its tail is left."""
    return AccountingRecord(
        totals=cumulative(history), reason=reason, left_turns=left_turns, created_at=created_at
    )


def fork_record(
    history: Sequence[HistoryEntry], *, reason: str, created_at: datetime
) -> AccountingRecord:
    """The first entry of a fork: all that its origin cost is inherited, nothing is its own."""
    totals = ChatTotals(inherited=cumulative(history).shown)
    return AccountingRecord(totals=totals, reason=reason, left_turns=0, created_at=created_at)


def _charge(tokens: int, rate: Rate | None, request_tokens: int) -> Decimal | None:
    return None if rate is None else rate.usd(tokens, request_tokens=request_tokens)


def _searches_usd(searches: int, price: PriceSnapshot) -> Decimal | None:
    return None if price.web_search_usd is None else price.web_search_usd * searches


def _with_own(totals: ChatTotals, own: Totals) -> ChatTotals:
    return ChatTotals(own=totals.own + own, inherited=totals.inherited)
