"""Totals and cost, over histories that grow, lose tails and fork."""

from datetime import UTC, datetime
from decimal import Decimal

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from windowpane.accounting import (
    NOTHING,
    AccountingRecord,
    Cause,
    ChatTotals,
    Cost,
    HistoryEntry,
    UsageEntry,
    accounting_record,
    cost_of,
    cumulative,
    fork_record,
    totals_of,
)
from windowpane.catalog import PriceSnapshot, PriceTier, Rate, local_price, unknown_price
from windowpane.usage import TokenUsage

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
PRICE = PriceSnapshot(
    model="m",
    taken_at=NOON,
    source="catalog",
    match="exact",
    matched="m",
    input=Rate(Decimal("0.27"), (PriceTier(100_000, Decimal("0.54")),)),
    output=Rate(Decimal("1.1")),
    cache_read=Rate(Decimal("0.027")),
    web_search_usd=Decimal("0.01"),
    request_usd=Decimal("0.0001"),
)
PRICES = [PRICE, local_price("l", taken_at=NOON), unknown_price("u", taken_at=NOON)]


def entry(cause: Cause, usage: TokenUsage, *, price: PriceSnapshot = PRICE) -> UsageEntry:
    return UsageEntry(cause=cause, usage=usage, price=price)


def record_of(history: list[HistoryEntry]) -> AccountingRecord:
    return accounting_record(history, reason="Message edited", left_turns=1, created_at=NOON)


ANSWER = entry(
    "answer",
    TokenUsage(input_tokens=100, output_tokens=40, cache_read_tokens=900, cache_write_tokens=60),
)
TITLE = entry("title", TokenUsage(input_tokens=1040, output_tokens=8))
SUMMARY = entry("summary", TokenUsage(input_tokens=1100, output_tokens=55))
MINION = entry("minion", TokenUsage(input_tokens=5000, output_tokens=700))
ROUND = UsageEntry(
    cause="tool_round", round=1, usage=TokenUsage(input_tokens=1200, output_tokens=30), price=PRICE
)


# Context


def test_the_context_after_a_reply_is_all_that_was_sent_and_the_reply() -> None:
    assert ANSWER.usage.context_tokens == 100 + 900 + 60 + 40
    assert ROUND.usage.context_tokens == 1230


# Totals


def test_titles_and_summaries_are_paid_for() -> None:
    everything = [ANSWER, TITLE, SUMMARY, MINION]
    assert cumulative(everything).shown == totals_of(everything)
    assert totals_of(everything).usage.output_tokens == 40 + 8 + 55 + 700


def test_a_second_record_keeps_what_the_first_one_kept() -> None:
    history: list[HistoryEntry] = [ANSWER, ROUND]
    history = [record_of(history), TITLE]
    history = [record_of(history), MINION]
    assert cumulative(history).own == totals_of([ANSWER, ROUND, TITLE, MINION])


def test_a_record_stands_behind_what_is_kept_and_before_what_is_new() -> None:
    history: list[HistoryEntry] = [ANSWER, ROUND]
    kept: list[HistoryEntry] = [ANSWER]
    assert cumulative([*kept, record_of(history), SUMMARY]).own == totals_of(
        [ANSWER, ROUND, SUMMARY]
    )


def test_a_fork_inherits_what_its_origin_cost_but_it_is_not_its_own() -> None:
    origin: list[HistoryEntry] = [ANSWER, ROUND]
    fork: list[HistoryEntry] = [fork_record(origin, reason="Forked", created_at=NOON), TITLE]
    totals = cumulative(fork)
    assert totals.inherited == totals_of([ANSWER, ROUND])
    assert totals.own == totals_of([TITLE])
    assert totals.shown == totals_of([ANSWER, ROUND, TITLE])
    assert cumulative([record_of(fork), SUMMARY]).inherited == totals.inherited


def test_a_fork_of_a_fork_inherits_both() -> None:
    first: list[HistoryEntry] = [fork_record([ANSWER], reason="Forked", created_at=NOON), ROUND]
    second: list[HistoryEntry] = [fork_record(first, reason="Forked", created_at=NOON)]
    assert cumulative(second) == ChatTotals(own=NOTHING, inherited=totals_of([ANSWER, ROUND]))


def test_nothing_costs_nothing_and_that_is_known() -> None:
    assert cumulative([]).shown == NOTHING
    assert not NOTHING.cost.is_unknown


def test_history_comes_back_from_storage_as_it_was() -> None:
    history: list[HistoryEntry] = [ANSWER, ROUND]
    history.append(record_of(history))
    stored = msgspec.json.encode(history)
    assert msgspec.json.decode(stored, type=list[HistoryEntry]) == history


# Cost


def test_reasoning_is_paid_as_output_unless_it_has_its_own_price() -> None:
    usage = TokenUsage(output_tokens=1_000_000, reasoning_tokens=400_000)
    plain = msgspec.structs.replace(PRICE, request_usd=Decimal(0))
    assert cost_of(usage, plain).known_usd == Decimal("1.1")
    apart = msgspec.structs.replace(plain, reasoning=Rate(Decimal(5)))
    assert cost_of(usage, apart).known_usd == Decimal("0.66") + Decimal(2)


def test_writing_to_a_cache_costs_as_input_where_it_has_no_price() -> None:
    plain = msgspec.structs.replace(PRICE, request_usd=Decimal(0))
    cost = cost_of(TokenUsage(cache_write_tokens=100_000), plain)
    assert cost == Cost(Decimal("0.027"), False)


def test_a_search_without_a_price_makes_the_cost_unreliable() -> None:
    price = msgspec.structs.replace(PRICE, web_search_usd=None, request_usd=Decimal(0))
    usage = TokenUsage(input_tokens=100_000, web_searches=1)
    assert cost_of(usage, price) == Cost(Decimal("0.027"), True)
    assert not cost_of(TokenUsage(input_tokens=10), price).is_unreliable


def test_one_unreliable_call_makes_the_total_unreliable() -> None:
    unknown = entry("answer", ANSWER.usage, price=unknown_price("u", taken_at=NOON))
    total = totals_of([ANSWER, unknown, TITLE])
    assert total.cost == Cost(totals_of([ANSWER, TITLE]).cost.known_usd, True)
    assert not total.cost.is_unknown
    assert totals_of([unknown]).cost.is_unknown


def test_more_reasoning_than_output_never_makes_a_call_cheaper() -> None:
    odd = TokenUsage(output_tokens=10, reasoning_tokens=50)
    assert cost_of(odd, PRICE).known_usd >= cost_of(TokenUsage(output_tokens=50), PRICE).known_usd


# Over any history

COUNTS = st.integers(min_value=0, max_value=250_000)
USAGES = st.builds(
    TokenUsage,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cache_read_tokens=COUNTS,
    cache_write_tokens=COUNTS,
    reasoning_tokens=COUNTS,
    web_searches=st.integers(min_value=0, max_value=5),
)
CAUSES = st.sampled_from(("answer", "tool_round", "title", "summary", "minion"))
ENTRIES = st.builds(UsageEntry, cause=CAUSES, usage=USAGES, price=st.sampled_from(PRICES))
# Either a call, or the number of entries that stay when the rest is left.
STEPS = st.lists(ENTRIES | st.integers(min_value=0, max_value=10), max_size=30)


@given(STEPS)
def test_the_last_record_and_what_follows_equal_the_sum_of_all_calls(
    steps: list[UsageEntry | int],
) -> None:
    path: list[HistoryEntry] = []
    calls: list[UsageEntry] = []
    for step in steps:
        if isinstance(step, UsageEntry):
            path.append(step)
            calls.append(step)
        else:
            path = [*path[:step], record_of(path)]
        assert cumulative(path).own == totals_of(calls)


@given(STEPS)
def test_cost_never_decreases(steps: list[UsageEntry | int]) -> None:
    path: list[HistoryEntry] = []
    for step in steps:
        before = cumulative(path).shown
        path = [*path, step] if isinstance(step, UsageEntry) else [*path[:step], record_of(path)]
        after = cumulative(path).shown
        assert after.cost.known_usd >= before.cost.known_usd
        assert after.cost.is_unreliable >= before.cost.is_unreliable
        assert after.calls >= before.calls


@given(st.lists(ENTRIES, max_size=20))
def test_the_order_of_adding_does_not_change_a_total(entries: list[UsageEntry]) -> None:
    by_size = sorted(entries, key=lambda call: call.usage.input_tokens)
    assert totals_of(by_size) == totals_of(entries)


def test_an_estimate_of_what_is_free_is_free_and_of_what_costs_is_uncertain() -> None:
    stopped = structs.replace(ANSWER, is_estimated=True)
    assert totals_of([stopped]).cost.is_unreliable
    free = structs.replace(stopped, price=local_price("l", taken_at=NOON))
    assert totals_of([free]).cost == Cost(Decimal(0), False)
