"""A segment: texts in, whole bytes out, and places of words back."""

import sqlite3

import pytest

from windowpane.search.fields import Fields
from windowpane.search.segment import OpenSegment, grown
from windowpane.search.wish import Wanted

TURNS: list[Fields] = [
    ("Which lock?", "The flushing lock, and locks of locks.", "", "zd20260512"),
    ("Compression", "compresses compressed lock", "lock lock", "zd20260513"),
    ("", "", "", ""),
]


def opened(*turns: Fields) -> OpenSegment:
    return OpenSegment(grown(None, first=0, turns=turns or TURNS).index)


def test_a_stem_finds_every_word_that_has_it_with_its_column() -> None:
    assert sorted(opened().places(Wanted(stems=("lock",)))) == [
        (0, "answered"),
        (0, "answered"),
        (0, "answered"),
        (0, "asked"),
        (1, "answered"),
        (1, "tools"),
        (1, "tools"),
    ]


def test_words_are_found_as_they_stand() -> None:
    segment = opened()
    assert segment.places(Wanted(words=("locks",))) == [(0, "answered"), (0, "answered")]
    assert segment.places(Wanted(words=("zd20260512",))) == [(0, "days")]


def test_a_beginning_finds_words_longer_than_their_stem() -> None:
    segment = opened()
    assert segment.places(Wanted(prefix="compressi")) == [(1, "asked")]
    assert len(segment.places(Wanted(prefix="compress"))) == 3
    assert segment.places(Wanted(prefix="zzz")) == []


def test_a_phrase_is_words_side_by_side_in_one_column() -> None:
    segment = opened()
    assert segment.turns_with(["flushing", "lock"]) == {0}
    assert segment.turns_with(["lock", "the"]) == set()
    assert segment.turns_with(["compressed", "loc*"]) == {1}
    assert segment.places(Wanted(phrase=("flushing", "lock"))) == [(0, "answered")]


def test_days_are_no_words_of_a_phrase() -> None:
    assert opened().turns_with(["zd20260512"]) == set()


def test_a_grown_segment_has_old_and_new_turns_and_leaves_the_old_one_alone() -> None:
    small = grown(None, first=0, turns=TURNS[:1])
    large = grown(small.index, first=1, turns=TURNS[1:])
    assert [
        len(set(OpenSegment(one.index).places(Wanted(stems=("lock",))))) for one in (small, large)
    ] == [2, 4]
    assert large.lengths == [(1, 3, 2, 1), (0, 0, 0, 0)]


def test_lengths_are_numbers_of_words_however_large() -> None:
    many = grown(None, first=0, turns=[("word " * 20_000, "one two", "", "")])
    assert many.lengths == [(20_000, 2, 0, 0)]


def test_grown_at_once_or_step_by_step_the_words_are_the_same() -> None:
    steps = grown(None, first=0, turns=TURNS[:1])
    steps = grown(steps.index, first=1, turns=TURNS[1:2])
    steps = grown(steps.index, first=2, turns=TURNS[2:])
    wanted = Wanted(stems=("lock", "compress"))
    assert sorted(OpenSegment(steps.index).places(wanted)) == sorted(opened().places(wanted))


def test_bytes_that_are_no_index_do_not_open() -> None:
    with pytest.raises(sqlite3.DatabaseError):
        OpenSegment(b"these are no bytes of a database" * 200)
