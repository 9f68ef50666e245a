"""Where the context begins."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.context.boundary import Candidate, boundary, step_tokens_of


def newest_first(sizes: Sequence[int], *, sent: Sequence[int] | None = None) -> list[Candidate]:
    """Candidates from sizes written oldest first."""
    candidates: list[Candidate] = []
    at = 0
    for index, size in enumerate(sizes):
        tokens = size if sent is None else sent[index]
        candidates.append(Candidate(index=index, tokens=tokens, begins_at=at, ends_at=at + size))
        at += size
    return candidates[::-1]


def start(
    sizes: Sequence[int],
    *,
    room: int | None,
    floor: int | None = None,
    step: int | None = None,
    sent: Sequence[int] | None = None,
) -> int | None:
    return boundary(
        newest_first(sizes, sent=sent), room_tokens=room, floor_index=floor, step_tokens=step
    )


@pytest.mark.parametrize(
    ("sizes", "room", "expected"),
    [
        ([100, 100, 100], 300, 0),
        ([100, 100, 100], 299, 1),
        ([100, 100, 100], 100, 2),
        ([100, 100, 100], 99, None),
        ([], 100, None),
        ([100], 0, None),
        # It stops at the first that does not fit, and does not reach behind it.
        ([10, 500, 10], 100, 2),
    ],
)
def test_the_newest_turns_that_fit_are_in(
    sizes: list[int], room: int, expected: int | None
) -> None:
    assert start(sizes, room=room) == expected


def test_an_unknown_room_holds_everything() -> None:
    assert start([10**9, 10**9], room=None) == 0


def test_nothing_fits_into_less_than_nothing() -> None:
    assert start([1], room=-5) is None


def test_what_a_turn_weighs_when_sent_decides_and_not_its_raw_weight() -> None:
    assert start([100, 100, 100], room=150, sent=[50, 50, 50]) == 0


def test_a_floor_keeps_older_turns_out_though_they_fit() -> None:
    assert start([10, 10, 10, 10], room=100, floor=2) == 2


def test_a_floor_does_not_hold_a_turn_in() -> None:
    assert start([60, 60, 60], room=100, floor=0) == 2


def test_a_floor_above_everything_leaves_nothing_in() -> None:
    assert start([10, 10], room=100, floor=5) is None


def test_a_step_is_a_fifth_of_the_room() -> None:
    assert step_tokens_of(1000, in_steps=True) == 200


@pytest.mark.parametrize("room", [None, 0, -3])
def test_without_room_there_are_no_steps(room: int | None) -> None:
    assert step_tokens_of(room, in_steps=True) is None


def test_exact_boundaries_have_no_steps() -> None:
    assert step_tokens_of(1000, in_steps=False) is None


def test_in_steps_nothing_leaves_that_need_not() -> None:
    assert start([10] * 100, room=1000, step=200) == 0


def test_when_the_boundary_must_move_four_fifths_stay() -> None:
    assert start([10] * 101, room=1000, step=200) == 20


def test_the_boundary_stands_still_until_the_step_is_used_up() -> None:
    starts = [start([10] * count, room=1000, step=200) for count in range(101, 151)]
    assert starts == [20] * 20 + [40] * 20 + [60] * 10


def test_without_steps_it_moves_with_every_turn() -> None:
    starts = [start([10] * count, room=1000) for count in range(101, 106)]
    assert starts == [1, 2, 3, 4, 5]


def test_turns_larger_than_a_step_leave_one_by_one() -> None:
    assert [start([450] * count, room=1000, step=200) for count in (3, 4, 5)] == [1, 2, 3]


def test_a_large_old_turn_does_not_take_the_small_ones_after_it_along() -> None:
    assert start([5000, 10, 10, 10], room=1000, step=200) == 1


def test_a_large_recent_turn_stays_when_small_ones_before_it_leave() -> None:
    assert start([100] * 5 + [90, 850], room=1000, step=200) == 6


def test_a_step_in_a_gap_of_turns_that_are_not_sent_counts_for_the_next() -> None:
    gap = [
        Candidate(index=0, tokens=60, begins_at=0, ends_at=60),
        Candidate(index=1, tokens=60, begins_at=60, ends_at=120),
        Candidate(index=5, tokens=60, begins_at=300, ends_at=360),
        Candidate(index=6, tokens=60, begins_at=360, ends_at=420),
    ]
    assert boundary(gap[::-1], room_tokens=200, floor_index=None, step_tokens=140) == 5


sizes_lists = st.lists(st.integers(1, 300), max_size=40)


@given(sizes_lists, st.integers(1, 1000))
def test_what_is_in_fits(sizes: list[int], room: int) -> None:
    for step in (None, step_tokens_of(room, in_steps=True)):
        found = start(sizes, room=room, step=step)
        assert found is None or sum(sizes[found:]) <= room


@given(sizes_lists, st.integers(1, 1000))
def test_the_next_older_turn_would_not_fit(sizes: list[int], room: int) -> None:
    found = start(sizes, room=room)
    first = len(sizes) if found is None else found
    assert first == 0 or sum(sizes[first - 1 :]) > room


@given(sizes_lists, st.integers(5, 1000))
def test_a_step_costs_at_most_a_fifth_more_than_must_leave(sizes: list[int], room: int) -> None:
    step = step_tokens_of(room, in_steps=True)
    exact, stepped = start(sizes, room=room), start(sizes, room=room, step=step)
    if exact is None:
        assert stepped is None
    else:
        assert step is not None and stepped is not None
        assert sum(sizes[exact:stepped]) <= step


@given(sizes_lists, st.integers(1, 300), st.integers(5, 1000))
def test_a_growing_history_never_brings_a_turn_back(sizes: list[int], new: int, room: int) -> None:
    for step in (None, step_tokens_of(room, in_steps=True)):
        before = start(sizes, room=room, step=step)
        after = start([*sizes, new], room=room, step=step)
        first = len(sizes) if before is None else before
        assert (len(sizes) + 1 if after is None else after) >= first
