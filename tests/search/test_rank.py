"""Which turns answer best, and what each of the choices is good for."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from windowpane.search.rank import COLUMN_WEIGHTS, Corpus, Find, Scored, ranked
from windowpane.search.segment import COLUMNS

# Turns as lists of words by column; a plain list is what was asked.
Turn = list[str] | dict[str, list[str]]


def columns(turn: Turn) -> dict[str, list[str]]:
    given = turn if isinstance(turn, dict) else {"asked": turn}
    return {name: given.get(name, []) for name in COLUMNS}


def search(
    turns: Sequence[Turn],
    *words: str,
    parents: Sequence[int] | None = None,
    live: Sequence[int] | None = None,
    takes_neighbours: bool = False,
    cuts: Sequence[int] = (),
) -> list[Scored]:
    """Ranks as if the turns lay in segments that are cut at some places."""
    texts = [columns(turn) for turn in turns]
    bounds = [0, *sorted(cuts), len(texts)]
    segments = [(first, texts[first:last]) for first, last in pairwise(bounds)]
    finds = [
        Find(
            weight=1.0,
            places=[
                (
                    first,
                    [
                        (n, name)
                        for n, text in enumerate(part)
                        for name in COLUMNS
                        for w in text[name]
                        if w == word
                    ],
                )
                for first, part in segments
            ],
        )
        for word in words
    ]
    corpus = Corpus.of(
        parents=parents or [-1] * len(texts),
        lengths={name: [len(text[name]) for text in texts] for name in COLUMNS},
    )
    return ranked(
        finds,
        corpus=corpus,
        live=live or [1] * len(texts),
        allowed=lambda _: True,
        takes_neighbours=takes_neighbours,
        newest=range(len(texts)),
        limit=100,
    )


def order(scored: Sequence[Scored]) -> list[int]:
    return [one.turn for one in scored]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    turns = [["rare"], ["common"], ["common"], ["common"], ["other"]]
    assert order(search(turns, "rare", "common"))[0] == 0


def test_more_of_the_words_are_better_than_more_of_one() -> None:
    assert order(search([["a", "a", "a"], ["a", "b", "x"], ["y"]], "a", "b"))[0] == 1


def test_a_word_in_a_short_turn_counts_more_than_in_a_long_one() -> None:
    assert order(search([["a", *["x"] * 50], ["a", "x"], ["y"]], "a")) == [1, 0]


def test_what_a_tool_said_counts_less_than_what_was_said() -> None:
    turns = [
        {"tools": ["a"]},
        {"answered": ["a"]},
        {"asked": ["x"], "answered": ["y"], "tools": ["z"]},
    ]
    assert order(search(turns, "a")) == [1, 0]
    assert COLUMN_WEIGHTS["tools"] < COLUMN_WEIGHTS["asked"]


def test_of_equal_turns_the_newest_comes_first() -> None:
    assert order(search([["a"], ["a"], ["a"]], "a")) == [2, 1, 0]


def test_a_common_word_still_finds_and_never_counts_against_a_turn() -> None:
    found = search([["a"], ["a"], ["a", "b"]], "a", "b")
    assert order(found)[0] == 2
    assert all(one.score > 0 for one in found)


def test_a_question_finds_the_answer_beside_its_words() -> None:
    talk: list[Turn] = [
        ["hello"],
        ["pottery", "hour"],
        ["a", "bowl"],
        ["lovely"],
        ["bye"],
        ["rain"],
    ]
    in_line = [-1, 0, 1, 2, 3, 4]
    found = search(talk, "pottery", "hour", parents=in_line, takes_neighbours=True)
    assert order(found) == [1, 2, 0, 3]
    assert [one.is_beside for one in found] == [False, True, True, True]
    assert order(search(talk, "pottery", "hour", parents=in_line)) == [1]


def test_a_common_word_such_as_a_name_counts_only_where_it_stands() -> None:
    talk: list[Turn] = [["ann"], ["bob"], ["ann", "lock"], ["bob"], ["ann"]]
    in_line = [-1, 0, 1, 2, 3]
    named = search(talk, "ann", parents=in_line, takes_neighbours=True)
    assert sorted(order(named)) == [0, 2, 4]
    assert sorted(order(search(talk, "lock", parents=in_line, takes_neighbours=True))) == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_the_turn_after_counts_more_than_the_turn_before() -> None:
    found = search(
        [["x"], ["a"], ["y"], ["z"], ["w"]], "a", parents=[-1, 0, 1, 2, 3], takes_neighbours=True
    )
    assert order(found) == [1, 2, 0, 3]


def test_neighbours_are_those_of_the_branch() -> None:
    """Turn 2 was asked again as turn 3: both stand after turn 1, and neither beside the other."""
    found = search([["x"], ["y"], ["a"], ["z"]], "a", parents=[-1, 0, 1, 1], takes_neighbours=True)
    assert order(found) == [2, 1, 0]


def test_a_turn_that_is_gone_is_no_neighbour_and_no_way_to_one() -> None:
    turns: list[Turn] = [["a"], ["b"], ["c"]]
    found = search(turns, "a", parents=[-1, 0, 1], live=[1, 0, 1], takes_neighbours=True)
    assert order(found) == [0]


def test_turns_that_are_not_searched_change_no_score() -> None:
    turns: list[Turn] = [["a", "x"], ["a", "a"], ["b"], ["a"] * 9]
    alone = search(turns[:3], "a")
    assert search(turns, "a", live=[1, 1, 1, 0]) == alone


WORDS = st.lists(st.sampled_from("abcd"), max_size=5)
TALKS = st.lists(WORDS, min_size=1, max_size=12)


@given(TALKS, st.lists(st.integers(0, 12), max_size=4), st.booleans())
def test_how_turns_are_cut_into_segments_changes_nothing(
    talk: list[list[str]], cuts: list[int], takes_neighbours: bool
) -> None:
    in_line = [number - 1 for number in range(len(talk))]
    inside = [cut for cut in cuts if cut <= len(talk)]
    whole = search(talk, "a", "b", parents=in_line, takes_neighbours=takes_neighbours)
    pieces = search(talk, "a", "b", parents=in_line, takes_neighbours=takes_neighbours, cuts=inside)
    assert order(pieces) == order(whole)
