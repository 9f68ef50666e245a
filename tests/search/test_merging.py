"""Segments stay few and full, and little is written for a new turn."""

from hypothesis import given
from hypothesis import strategies as st

from windowpane.search.merging import FULL_TURNS, SMALL_TURNS, Placement, Size, placement


def size(id: str, turns: int, live: int | None = None) -> Size:
    return Size(id=id, turns=turns, live=turns if live is None else live)


def test_the_first_turns_make_a_segment() -> None:
    assert placement([], new_turns=3) == Placement(grown=None, dissolved=())


def test_a_new_turn_goes_into_the_small_segment() -> None:
    sizes = [size("full", FULL_TURNS), size("small", 10)]
    assert placement(sizes, new_turns=1) == Placement(grown="small", dissolved=())


def test_beside_a_large_segment_a_new_turn_begins_a_small_one() -> None:
    assert placement([size("large", 5000)], new_turns=1) == Placement(grown=None, dissolved=())


def test_a_small_segment_that_is_full_goes_into_the_large_one() -> None:
    sizes = [size("large", 5000), size("small", SMALL_TURNS - 1)]
    assert placement(sizes, new_turns=2) == Placement(grown="large", dissolved=("small",))


def test_what_does_not_fit_makes_a_new_large_one() -> None:
    sizes = [size("full", FULL_TURNS - 5), size("small", SMALL_TURNS - 1)]
    assert placement(sizes, new_turns=2) == Placement(grown=None, dissolved=("small",))


def test_a_segment_of_mostly_deleted_turns_is_made_anew() -> None:
    sizes = [size("worn", 3000, live=1000), size("half", FULL_TURNS, live=FULL_TURNS // 2)]
    assert placement(sizes, new_turns=0) == Placement(grown=None, dissolved=("worn",))


def test_a_segment_without_any_turn_left_just_goes() -> None:
    sizes = [size("empty", 3000, live=0), size("large", 5000)]
    assert placement(sizes, new_turns=0) == Placement(grown=None, dissolved=("empty",))


def test_nothing_new_changes_nothing() -> None:
    assert placement([size("small", 10), size("large", 5000)], new_turns=0).dissolved == ()


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=60))
def test_however_turns_come_segments_stay_few(arrivals: list[int]) -> None:
    sizes: dict[str, Size] = {}
    for number, new in enumerate(arrivals):
        place = placement(list(sizes.values()), new_turns=new)
        moved = sum(sizes.pop(id).live for id in place.dissolved)
        grown = sizes.pop(place.grown).turns if place.grown else 0
        sizes[str(number)] = size(str(number), grown + moved + new)
    total = sum(arrivals)
    assert sum(one.turns for one in sizes.values()) == total
    assert len([one for one in sizes.values() if one.turns < SMALL_TURNS]) <= 1
    assert len(sizes) <= 3 + 2 * total // FULL_TURNS
