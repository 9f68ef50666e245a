"""Histories in pages: what is opened, what is counted without opening."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.context.histories import KEEP_ALL, budget, drawn, given, shown, turn
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.scope import PAGE_TURNS, PageMissing, Scope, page_totals
from windowpane.context.weights import TurnWeight

PAGE = 10


def weight(index: int, *, tokens: int = 100) -> TurnWeight:
    """Every seventh turn is skipped, every eleventh failed, every thirteenth pinned."""
    return TurnWeight(
        turn_id=f"t{index}",
        raw_tokens=tokens,
        without_reasoning_tokens=tokens - 10,
        without_tools_tokens=tokens - 20,
        bare_tokens=tokens - 30,
        is_skipped=index % 7 == 3,
        is_unanswered=index % 11 == 5,
        is_pinned=index % 13 == 6,
    )


WEIGHTS = [weight(index) for index in range(95)]
PAGES = [WEIGHTS[start : start + PAGE] for start in range(0, len(WEIGHTS), PAGE)]


def closed(*opened: int) -> Scope:
    """A scope of small pages of which only some are open."""
    return Scope(
        [page_totals(page) for page in PAGES], {number: PAGES[number] for number in opened}
    )


def asked(scope: Scope, *, usable: int | None = 2000) -> PlanInput:
    return structs.replace(given([]), scope=scope, budget=budget(usable))


def paged(asked: PlanInput) -> tuple[ContextPlan, list[int]]:
    """The plan as a caller makes it: open what is missing, plan again."""
    opened: list[int] = []
    while True:
        try:
            return plan(structs.replace(asked, scope=closed(*opened))), opened
        except PageMissing as missing:
            opened.append(missing.number)


def test_a_plan_opens_the_pages_that_it_sends_and_no_other() -> None:
    made, opened = paged(asked(closed()))
    assert made.start_index == 74
    assert opened == [9, 8, 7]


def test_a_plan_from_pages_is_the_plan_from_the_whole() -> None:
    made, _ = paged(asked(closed()))
    assert made == plan(asked(Scope.of(WEIGHTS)))


def test_unknown_limits_open_everything() -> None:
    _, opened = paged(asked(closed(), usable=None))
    assert sorted(opened) == list(range(10))


def test_pages_under_a_summary_stay_closed() -> None:
    summary = ActiveSummary(id="s", text="x", first_index=0, last_index=84)
    summarised = structs.replace(asked(closed(), usable=None), summary=summary)
    made, opened = paged(summarised)
    assert opened == [9, 8]
    assert made == plan(structs.replace(summarised, scope=Scope.of(WEIGHTS)))


def test_pages_that_the_filter_hides_stay_closed() -> None:
    pattern = "0" * 20 + "1" * 5 + "0" * 65 + "1" * 5
    filtered = shown(asked(closed()), pattern)
    made, opened = paged(filtered)
    assert opened == [9, 2]
    assert made == plan(structs.replace(filtered, scope=Scope.of(WEIGHTS)))


@pytest.mark.parametrize("every", [2, 3, 9])
@pytest.mark.parametrize("is_sparse", [True, False])
def test_mixed_pages_are_counted_alike_from_either_side(every: int, is_sparse: bool) -> None:
    pattern = "".join(str(int((index % every == 0) == is_sparse)) for index in range(95))
    filtered = shown(asked(closed()), pattern)
    made, _ = paged(filtered)
    assert made == plan(structs.replace(filtered, scope=Scope.of(WEIGHTS)))
    drawn(structs.replace(filtered, scope=Scope.of(WEIGHTS)))


def test_the_age_of_retention_inside_a_page_is_counted_turn_by_turn() -> None:
    settings = structs.replace(KEEP_ALL, reasoning_turns=42, tool_turns=27)
    retained = structs.replace(asked(closed()), settings=settings)
    made, _ = paged(retained)
    assert made == plan(structs.replace(retained, scope=Scope.of(WEIGHTS)))


def test_a_page_that_lost_turns_is_still_a_page() -> None:
    pages = [WEIGHTS[:7], WEIGHTS[10:13], WEIGHTS[20:30]]
    ragged = Scope([page_totals(page) for page in pages], dict(enumerate(pages)))
    whole = Scope.of([one for page in pages for one in page])
    assert plan(asked(ragged, usable=500)) == plan(asked(whole, usable=500))
    assert [ragged.turn(index) for index in range(20)] == [whole.turn(index) for index in range(20)]


def test_a_page_and_totals_of_different_lengths_are_refused() -> None:
    broken = Scope([page_totals(WEIGHTS[:10])], {0: WEIGHTS[:9]})
    with pytest.raises(ValueError, match="page 0 and its totals differ"):
        plan(asked(broken))


def test_a_view_of_another_history_is_refused() -> None:
    with pytest.raises(ValueError, match="the view shows 3 turns, the scope has 95"):
        plan(shown(asked(Scope.of(WEIGHTS)), "101"))


def test_a_missing_page_is_named() -> None:
    with pytest.raises(PageMissing, match="page 9 of the history is not open"):
        plan(asked(closed()))


def test_a_history_at_hand_is_cut_into_pages_of_a_thousand() -> None:
    scope = Scope.of([weight(index) for index in range(2500)])
    assert [page.turns for page in scope.totals] == [PAGE_TURNS, PAGE_TURNS, 500]


def test_turns_in_flight_far_back_are_not_called_over_budget() -> None:
    running = structs.replace(weight(1), is_current=True)
    scope = Scope.of([weight(0), running, *(weight(index) for index in (20, 21, 22))])
    assert drawn(asked(scope, usable=250)) == "-C-ss"


def test_a_turn_of_each_kind_is_drawn_in_its_place() -> None:
    history = [
        turn("t1"),
        turn("t2", is_skipped=True),
        turn("t3", is_pinned=True),
        turn("t4", state="error", has_answer=False),
        turn("t5"),
    ]
    assert drawn(given(history, usable=200)) == "-KsXs"


@pytest.mark.parametrize("at", [0, 1, 40, 95])
def test_a_page_that_grew_has_the_totals_of_all_its_turns(at: int) -> None:
    grown = page_totals(WEIGHTS[:at]).grown_by(page_totals(WEIGHTS[at:]))
    assert grown == page_totals(WEIGHTS)
