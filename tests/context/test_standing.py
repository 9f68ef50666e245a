"""The rules that act before the budget, and which of them is named when several apply."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import structs

from tests.context.histories import drawn, given, shown, turn, turns
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import plan
from windowpane.turns import TurnContent

SUMMARY = ActiveSummary(id="sum", text="They talked.", first_index=0, last_index=0)


def asked(first: TurnContent, *, is_hidden: bool, is_covered: bool) -> PlanInput:
    """A history of the turn in question and one ordinary turn after it."""
    asked = given([first, turn("last", 100)])
    if is_covered:
        asked = structs.replace(asked, summary=SUMMARY)
    if is_hidden:
        asked = shown(asked, "01")
        asked = structs.replace(asked, view=structs.replace(asked.view, has_summary=True))
    return asked


# hidden, summarised, pinned, skipped, failed, in flight → where it stands
PRECEDENCE: Sequence[tuple[str, str]] = [
    ("h.....", "F"),
    ("hsp...", "F"),
    ("hspkxc", "F"),
    (".s....", "M"),
    (".s.k..", "M"),
    (".s..x.", "M"),
    (".s...c", "M"),
    # A pin lifts a turn out of its summary …
    (".sp...", "s"),
    # … unless it was skipped or cannot be sent: then the pin holds nothing, and it is covered.
    (".spk..", "M"),
    (".sp.x.", "M"),
    ("...k..", "K"),
    ("...kx.", "K"),
    ("..pk..", "K"),
    ("...k.c", "K"),
    ("....x.", "X"),
    ("..p.x.", "X"),
    (".....c", "C"),
    ("..p..c", "C"),
    ("..p...", "s"),
    ("......", "s"),
]


@pytest.mark.parametrize(("marks", "letter"), PRECEDENCE)
def test_the_first_rule_that_applies_is_the_turns_standing(marks: str, letter: str) -> None:
    first = turn(
        "first",
        100,
        state="sending" if "c" in marks else "error" if "x" in marks else "complete",
        has_answer="c" not in marks and "x" not in marks,
        is_pinned="p" in marks,
        is_skipped="k" in marks,
    )
    found = drawn(asked(first, is_hidden="h" in marks, is_covered="s" in marks))
    assert found == f"{letter}s"


@pytest.mark.parametrize("state", ["error", "aborted", "interrupted"])
def test_a_turn_that_ended_badly_with_some_text_counts_as_answered(state: str) -> None:
    stopped = structs.replace(turn("t1"), turn=structs.replace(turn("t1").turn, state=state))
    assert drawn(given([stopped])) == "s"


def test_blank_text_is_no_answer() -> None:
    failed = turn("t1", 14, state="error")
    assert failed.messages[1].text == ""
    assert drawn(given([failed])) == "X"


def test_a_turn_that_waits_for_approval_is_in_flight() -> None:
    assert drawn(given([turn("t1"), turn("t2", state="waiting")])) == "sC"


def test_a_pinned_turn_in_flight_is_not_counted_twice() -> None:
    running = turn("t1", 100, state="sending", has_answer=False, is_pinned=True)
    made = plan(structs.replace(given([running]), current=running.messages))
    assert (made.fixed.pinned_tokens, made.total_tokens) == (0, 10)


def test_pinned_turns_are_in_first_and_never_over_budget() -> None:
    history = [turn("t1", 100, is_pinned=True), *turns(4)[1:]]
    assert drawn(given(history, usable=250)) == "s--s"


def test_pinned_turns_take_their_room_from_the_others() -> None:
    history = turns(4)
    assert drawn(given(history, usable=200)) == "--ss"
    history[0] = turn("t1", 100, is_pinned=True)
    assert drawn(given(history, usable=200)) == "s--s"


def test_a_pinned_turn_that_the_filter_hides_is_hidden_and_costs_nothing() -> None:
    history = [turn("t1", 100, is_pinned=True), turn("t2", 100)]
    made = plan(shown(given(history), "01"))
    assert made.fixed.pinned_tokens == 0
    assert made.sent_turn_ids == ["t2"]


def test_skipped_turns_leave_their_room_to_older_ones() -> None:
    history = turns(4)
    history[2] = turn("t3", 100, is_skipped=True)
    assert drawn(given(history, usable=200)) == "-sKs"


def test_with_a_filter_only_what_is_shown_is_sent() -> None:
    assert drawn(shown(given(turns(5)), "10110")) == "sFssF"


def test_with_a_filter_the_budget_reaches_further_back() -> None:
    assert drawn(shown(given(turns(6), usable=200), "101010")) == "-FsFsF"


def test_a_filter_that_shows_nothing_sends_nothing() -> None:
    made = plan(shown(given(turns(3)), "000"))
    assert (made.turns, made.start_index, made.visible_turns) == ((), None, 0)


def test_an_empty_chat_has_an_empty_plan() -> None:
    made = plan(given([], usable=100))
    assert (made.turns, made.ranges, made.start_index, made.total_tokens) == ((), (), None, 0)
