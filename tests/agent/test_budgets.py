"""Money: what was spent is known, and calls at the same time cannot spend more than there is."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.workspaces import KEY
from windowpane.accounting import UsageEntry, UsageEvent, totals_of
from windowpane.agent.budgets import Budgets, Call, Cap, Place, dearest, given_back
from windowpane.agent.usage import UsageBook
from windowpane.catalog.prices import PriceSnapshot, Rate, unknown_price
from windowpane.errors import BudgetExceeded
from windowpane.ids import new_id
from windowpane.storage.accounts import put_usage
from windowpane.storage.base import DeleteChildren
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.usage import TokenUsage

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
PRICE = PriceSnapshot(
    model="m",
    taken_at=NOW,
    source="manual",
    match="exact",
    input=Rate(Decimal(1)),
    output=Rate(Decimal(10)),
)
PLACE = Place(project_id="prj_1", chat_id="cht_1", day_began_at=NOW.replace(hour=0))
# A dollar for the input and five cents if it was miscounted, ten for the longest answer.
DEAREST_USD = Decimal("11.05")


def call(
    receipt_id: str,
    *,
    price: PriceSnapshot = PRICE,
    output: int | None = 10**6,
    has_web_search: bool = False,
) -> Call:
    return Call(
        receipt_id=receipt_id,
        model="p/m",
        input_tokens=10**6,
        most_output_tokens=output,
        has_web_search=has_web_search,
        price=price,
    )


def cap(usd: int, *, scope: str = "chat") -> Cap:
    assert scope in ("chat", "project", "day")
    return Cap(scope=scope, soft_usd=None, hard_usd=Decimal(usd))


def event(at: datetime, *, chat_id: str = "cht_1", project_id: str = "prj_1") -> UsageEvent:
    """A call that cost one dollar."""
    usage = TokenUsage(input_tokens=10**6)
    return UsageEvent(
        id=new_id("usage"),
        at=at,
        project_id=project_id,
        chat_id=chat_id,
        turn_id="trn_1",
        receipt_id="rct_1",
        model="p/m",
        entry=UsageEntry(cause="answer", usage=usage, price=PRICE),
    )


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
async def vault(data_dir: Path) -> AsyncIterator[Vault]:
    vault = Vault(store_from(str(data_dir / "windowpane.sqlite3")), key=KEY)
    await vault.open()
    await vault.store.join("prc_here")
    yield vault
    await vault.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def book(vault: Vault, clock: Clock) -> UsageBook:
    return UsageBook(vault, clock=clock)


@pytest.fixture
def budgets(vault: Vault, book: UsageBook) -> Budgets:
    return Budgets(vault, usage=book, process_id="prc_here")


async def test_sends_at_the_same_time_cannot_jointly_overspend(budgets: Budgets) -> None:
    tries = [
        budgets.reserve([cap(50), cap(60, scope="day")], PLACE, call(f"rct_{number}"))
        for number in range(10)
    ]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert results.count(None) == 4
    refused = [one for one in results if isinstance(one, BudgetExceeded)]
    assert len(refused) == 6
    assert "hard budget of $50 for this chat" in str(refused[0])


async def test_what_a_call_did_not_use_can_be_spent_again(vault: Vault, budgets: Budgets) -> None:
    await budgets.reserve([cap(13)], PLACE, call("rct_1"))
    with pytest.raises(BudgetExceeded):
        await budgets.reserve([cap(13)], PLACE, call("rct_2"))
    await vault.commit([*given_back(vault, PLACE, "rct_1"), put_usage(vault, event(NOW))])
    await budgets.reserve([cap(13)], PLACE, call("rct_3"))


async def test_reservations_of_a_dead_process_hold_nobody_up(
    vault: Vault, book: UsageBook, budgets: Budgets
) -> None:
    dead = Budgets(vault, usage=book, process_id="prc_dead")
    await dead.reserve([cap(13)], PLACE, call("rct_1"))
    await budgets.reserve([cap(13)], PLACE, call("rct_2"))
    [state] = await budgets.states([cap(13)], PLACE)
    assert state.reserved_usd == DEAREST_USD


async def test_a_price_that_is_not_known_cannot_keep_a_hard_budget(budgets: Budgets) -> None:
    unknown = unknown_price("m", taken_at=NOW)
    with pytest.raises(BudgetExceeded, match="price of p/m is not known"):
        await budgets.check([cap(1000)], PLACE, call("rct_1", price=unknown))


async def test_an_answer_without_a_longest_length_cannot_either(budgets: Budgets) -> None:
    with pytest.raises(BudgetExceeded, match="Set the longest answer"):
        await budgets.check([cap(1000)], PLACE, call("rct_1", output=None))


async def test_a_free_model_may_answer_as_long_as_it_likes(budgets: Budgets) -> None:
    free = structs.replace(PRICE, input=Rate(Decimal(0)), output=Rate(Decimal(0)))
    await budgets.check([cap(1)], PLACE, call("rct_1", price=free, output=None))


def test_the_dearest_call_thinks_searches_and_fills_the_cache() -> None:
    price = structs.replace(
        PRICE,
        cache_write=Rate(Decimal(2)),
        reasoning=Rate(Decimal(20)),
        web_search_usd=Decimal("0.01"),
    )
    cost = dearest(call("rct_1", price=price, has_web_search=True))
    assert cost.known_usd == Decimal("2.10") + 20 + Decimal("0.10")


async def test_a_soft_budget_warns_and_lets_pass(vault: Vault, budgets: Budgets) -> None:
    await vault.commit([put_usage(vault, event(NOW)) for _ in range(3)])
    soft = Cap(scope="project", soft_usd=Decimal(2), hard_usd=None)
    await budgets.reserve([soft], PLACE, call("rct_1"))
    [state] = await budgets.states([soft], PLACE)
    assert state.warning == "over the soft budget of $2.00 for this project"
    assert state.spent.known_usd == 3


async def test_usage_is_found_by_chat_project_and_day(
    vault: Vault, book: UsageBook, clock: Clock
) -> None:
    events = [
        event(NOW - timedelta(days=2)),
        event(NOW - timedelta(hours=1)),
        event(NOW, chat_id="cht_2"),
        event(NOW, project_id="prj_2", chat_id="cht_3"),
    ]
    await vault.commit([put_usage(vault, one) for one in events])
    assert (await book.chat("cht_1")).calls == 2
    assert (await book.project("prj_1")).calls == 3
    assert [len(day.sums) for day in await book.days()] == [1, 3]
    assert (await book.since(NOW)).calls == 2


async def test_totals_equal_the_events_while_they_come_and_when_all_caches_are_gone(
    vault: Vault, book: UsageBook, clock: Clock
) -> None:
    events: list[UsageEvent] = []
    for hours in range(0, 80, 3):
        clock.now = NOW + timedelta(hours=hours)
        # One comes a minute late, as after a wait for the database.
        new = [event(clock.now), event(clock.now - timedelta(minutes=1))]
        await vault.commit([put_usage(vault, one) for one in new])
        events += new
        assert await book.chat("cht_1") == totals_of(one.entry for one in events)
        assert await book.since(NOW - timedelta(hours=1)) == totals_of(one.entry for one in events)
    assert await vault.store.count("pages", "usage-days") > 1
    await vault.commit([DeleteChildren(table="pages", parent_id="usage-days")])
    fresh = UsageBook(vault, clock=clock)
    assert await fresh.chat("cht_1") == totals_of(one.entry for one in events)
