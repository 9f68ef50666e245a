"""Summaries: when they are sent, and what becomes of the turns they stand for."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.context.histories import (
    budget,
    drawn,
    given,
    request_of,
    shown,
    turn,
    turns,
)
from windowpane.context.checkpoint import SUMMARY_HEADING
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import plan


def summary(first: int, last: int, *, text: str = "They talked.") -> ActiveSummary:
    return ActiveSummary(id="sum", text=text, first_index=first, last_index=last)


def summarised(count: int, *, last: int) -> PlanInput:
    return structs.replace(given(turns(count)), summary=summary(0, last))


def test_a_summary_replaces_the_turns_that_it_covers() -> None:
    assert drawn(summarised(5, last=2)) == "MMMss"


def test_the_summary_goes_behind_the_system_prompt_under_its_heading() -> None:
    asked = structs.replace(summarised(3, last=1), system="Be brief.")
    request = request_of(plan(asked), turns(3))
    assert request.system == f"Be brief.\n\n{SUMMARY_HEADING}\nThey talked."


def test_a_summary_without_a_system_prompt_stands_alone() -> None:
    request = request_of(plan(summarised(3, last=1)), turns(3))
    assert request.system == "Previous Conversation Summary:\nThey talked."


def test_the_summary_is_weighed_with_its_heading() -> None:
    asked = structs.replace(summarised(3, last=1), system="Be brief.")
    made = plan(asked)
    sent = request_of(made, turns(3)).system
    assert made.fixed.system_tokens + made.fixed.summary_tokens == asked.counter.system(sent)


def test_a_pinned_turn_is_sent_beside_its_summary() -> None:
    history = turns(4)
    history[1] = turn("t2", 100, is_pinned=True)
    asked = structs.replace(given(history), summary=summary(0, 2))
    assert drawn(asked) == "MsMs"
    request = request_of(plan(asked), history)
    assert [one.id for one in request.messages] == ["t2.ask", "t2.answer", "t4.ask", "t4.answer"]


def test_with_a_filter_the_summary_is_not_sent_and_covers_nothing() -> None:
    asked = shown(summarised(4, last=2), "1101")
    assert drawn(asked) == "ssFs"
    assert plan(asked).summary is None


def test_with_a_filter_and_its_card_on_the_summary_is_sent_instead_of_its_turns() -> None:
    asked = shown(summarised(4, last=2), "1101")
    asked = structs.replace(asked, view=structs.replace(asked.view, has_summary=True))
    assert drawn(asked) == "MMFs"
    assert plan(asked).summary is not None


@pytest.mark.parametrize("scope", ["project", "everything"])
def test_summaries_apply_in_a_chat_only(scope: str) -> None:
    asked = summarised(4, last=2)
    asked = structs.replace(asked, view=structs.replace(asked.view, scope=scope))
    assert drawn(asked) == "ssss"


def test_a_summary_of_a_chosen_range_leaves_what_is_before_it() -> None:
    asked = structs.replace(given(turns(6)), summary=summary(2, 3))
    assert drawn(asked) == "ssMMss"


def test_the_budget_reaches_over_a_summarised_range() -> None:
    asked = structs.replace(given(turns(6)), summary=summary(2, 3, text="x"), budget=budget(300))
    assert drawn(asked) == "--MMss"
    assert drawn(structs.replace(asked, budget=budget(350))) == "-sMMss"


def test_undoing_a_summary_restores_the_identical_request() -> None:
    history = turns(4)
    before = given(history)
    after = structs.replace(summarised(4, last=2), summary=None)
    assert request_of(plan(before), history) == request_of(plan(after), history)


def test_a_summary_of_another_history_is_refused() -> None:
    with pytest.raises(ValueError, match="summary covers turns that the scope of 3 does not have"):
        plan(summarised(3, last=3))
