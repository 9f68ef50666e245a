"""What of older turns is left out."""

from __future__ import annotations

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from msgspec import structs

from tests.context.histories import CACHED, KEEP_ALL, drawn, given, turn
from windowpane.context.emission import WHOLE
from windowpane.context.plan import plan
from windowpane.context.retention import BOTH, REASONING, TOOLS, Retention, kept_from


@pytest.mark.parametrize(
    ("turns", "keep", "first"),
    [(10, None, 0), (10, 20, 0), (10, 10, 0), (11, 10, 1), (15, 10, 5), (5, 0, 5), (0, 0, 0)],
)
def test_exactly_so_many_turns_stay_whole(turns: int, keep: int | None, first: int) -> None:
    assert kept_from(turns, keep=keep, in_steps=False) == first


def test_in_steps_of_two_ten_kept_turns_become_nine_and_ten_again() -> None:
    kept = [turns - kept_from(turns, keep=10, in_steps=True) for turns in range(9, 16)]
    assert kept == [9, 10, 9, 10, 9, 10, 9]


def test_in_steps_the_cut_stays_for_a_fifth_of_what_is_kept() -> None:
    cuts = [kept_from(turns, keep=50, in_steps=True) for turns in range(51, 72)]
    assert cuts == [10] * 10 + [20] * 10 + [30]


@examples(st.integers(0, 300), st.integers(0, 60), st.booleans())
def test_no_turn_becomes_whole_again(turns: int, keep: int, in_steps: bool) -> None:
    before = kept_from(turns, keep=keep, in_steps=in_steps)
    after = kept_from(turns + 1, keep=keep, in_steps=in_steps)
    assert before <= after <= turns + 1
    assert turns - before <= keep


@pytest.mark.parametrize(
    ("index", "removals"), [(0, BOTH), (2, TOOLS), (3, TOOLS), (4, WHOLE), (9, WHOLE)]
)
def test_reasoning_and_tools_have_their_own_age(index: int, removals: frozenset[str]) -> None:
    assert Retention(reasoning_from=2, tools_from=4).removals(index) == removals


def test_a_turn_older_than_reasoning_and_younger_than_tools_loses_reasoning() -> None:
    assert Retention(reasoning_from=4, tools_from=2).removals(3) == REASONING


def test_old_reasoning_is_left_out_and_the_turn_says_by_how_much() -> None:
    history = [turn(f"t{number}", 100, reasoning=40) for number in range(4)]
    settings = structs.replace(KEEP_ALL, reasoning_turns=2)
    made = plan(structs.replace(given(history), settings=settings))
    assert [(one.standing, one.removed_tokens) for one in made.turns] == [
        ("shortened", 40),
        ("shortened", 40),
        ("sent", 0),
        ("sent", 0),
    ]
    assert all(one.sent_tokens + one.removed_tokens == one.raw_tokens for one in made.turns)


def test_turns_with_nothing_to_lose_are_not_called_shortened() -> None:
    history = [turn("t1", 100), turn("t2", 100, reasoning=40), turn("t3", 100)]
    settings = structs.replace(KEEP_ALL, reasoning_turns=0, tool_turns=0)
    assert drawn(structs.replace(given(history), settings=settings)) == "shs"


def test_a_pinned_turn_keeps_its_reasoning_and_its_tools() -> None:
    history = [turn("t1", 100, reasoning=40, tool=50, is_pinned=True), turn("t2", 100)]
    settings = structs.replace(KEEP_ALL, reasoning_turns=0, tool_turns=0)
    assert drawn(structs.replace(given(history), settings=settings)) == "ss"


def test_shortening_makes_room_for_older_turns() -> None:
    history = [turn("t1", 100), turn("t2", 100, tool=500), turn("t3", 100)]
    asked = given(history, usable=300)
    assert drawn(asked) == "--s"
    settings = structs.replace(KEEP_ALL, tool_turns=1)
    assert drawn(structs.replace(asked, settings=settings)) == "shs"


def test_the_turn_in_flight_is_not_counted_among_those_that_are_kept() -> None:
    history = [turn("t1", 100, reasoning=9), turn("t2", 100, reasoning=9)]
    running = [*history, turn("t3", 50, state="sending", has_answer=False)]
    settings = structs.replace(KEEP_ALL, reasoning_turns=1)
    assert drawn(structs.replace(given(running), settings=settings)) == "hsC"


def test_a_filter_does_not_change_how_a_turn_reads() -> None:
    history = [turn(f"t{number}", 100, reasoning=40) for number in range(4)]
    settings = structs.replace(CACHED, reasoning_turns=2)
    asked = structs.replace(given(history), settings=settings)
    view = structs.replace(asked.view, filter_text="r1", visible=b"\1\0\0\0")
    assert drawn(structs.replace(asked, view=view)) == "hFFF"
