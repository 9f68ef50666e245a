"""What evaluation asks for, and in which order: the boundary after the base, texts last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import pytest

from tests.filters.conversations import chosen, selection, turn, viewpoint
from windowpane.filters import (
    Filter,
    Folded,
    History,
    Pending,
    Selection,
    WhichAreInContext,
    WhichContain,
    evaluate,
    fold,
    no_boundary,
    parse,
    select,
)

TURNS = [
    turn("a", star=2),
    turn("b", flag="grey"),
    turn("c", star=2),
    turn("d", topic_id="cooking"),
    turn("e", star=2, flag="grey"),
    turn("f"),
]


def newest_two(turn_ids: Sequence[str]) -> Sequence[str]:
    return turn_ids[-2:]


# Two turns of a view fit. The base is what the filter chooses without its o.
BOUNDARY = [
    ("o", "ef"),
    ("o0", "ef"),
    ("o1", "def"),
    ("o3", "bcdef"),
    ("o99", "abcdef"),
    ("!o", "abcd"),
    ("!o1", "abc"),
    ("!o0", "abcd"),
    ("s2 o", "ce"),
    ("s2 & !o", "a"),
    ("o & s2", "ce"),
    ("b o", "df"),
    ("b o1", "cdf"),
    ("b & !o1", "a"),
    ("s2 | o", "ace"),
    ("!(s2 | o)", "b"),
    ("!(s2 & o)", "bdf"),
    ("b r3 o", "df"),
    ("t2 o", "ef"),
]


@pytest.mark.parametrize(("query", "answer"), BOUNDARY)
def test_the_boundary_is_drawn_over_what_the_rest_of_the_filter_leaves(
    query: str, answer: str
) -> None:
    assert chosen(query, TURNS, in_context=newest_two) == answer


def test_what_o_hides_is_still_in_the_base() -> None:
    found = selection("s2 o", TURNS, in_context=newest_two)
    assert found == Selection(turn_ids=("c", "e"), base_turn_ids=("a", "c", "e"))


def test_without_o_the_base_is_what_is_chosen() -> None:
    found = selection("s2", TURNS)
    assert found.base_turn_ids == found.turn_ids == ("a", "c", "e")


def test_beside_o_the_last_turns_are_counted_within_the_base() -> None:
    # The base lacks the newest turn f; of what is left, the newest is e.
    assert chosen("!r1", TURNS) == "abcde"
    assert chosen("!r1 o", TURNS, in_context=newest_two) == "d"


@pytest.mark.parametrize(("query", "answer"), [("o", "abcdef"), ("o3", "abcdef"), ("!o", "")])
def test_without_a_boundary_everything_is_in_context(query: str, answer: str) -> None:
    assert chosen(query, TURNS, in_context=no_boundary) == answer


def test_ids_that_are_not_in_the_base_do_not_come_in_through_the_boundary() -> None:
    assert chosen("s2 o", TURNS, in_context=lambda turn_ids: ["f", "zz", *turn_ids]) == "ace"


class Library:
    """Texts that remember which turns were read."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.read: list[str] = []

    def __call__(self, turn_ids: Sequence[str]) -> Iterable[Folded]:
        for turn_id in turn_ids:
            self.read.append(turn_id)
            yield fold(self.texts[turn_id])


# The texts of a and f have the word; behind the filter is whose text was read.
READ = [
    ("c'egg'", "abcdef"),
    ("s2 & c'egg'", "ace"),
    ("c'egg' & s2", "ace"),
    ("c'egg' s2 g", "e"),
    ("s2 | c'egg'", "bdf"),
    ("c'egg' | s2", "bdf"),
    ("!c'egg' & g", "be"),
    ("!(c'egg' | b)", "be"),
    ("(c'egg' | s2) & g", "b"),
    ("r1 c'egg'", "f"),
    ("r0 c'egg'", ""),
    ("s2 & b & t'Cooking' & c'egg'", ""),
    ("c'egg' | c'EGG' | c'Egg'", "abcdef"),
    ("c'egg' & g | c'egg' & b", "be" + "acdf"),
    ("c'egg' o", "abcdef"),
    ("c'' | c", ""),
    ("c'*'", ""),
]


@pytest.mark.parametrize(("query", "read"), READ)
def test_a_text_is_read_once_and_only_where_it_decides(query: str, read: str) -> None:
    library = Library({id: "an Egg" if id in "af" else "" for id in "abcdef"})
    evaluate(
        parse(query),
        history=History.of(TURNS),
        viewpoint=viewpoint(),
        texts=library,
        in_context=newest_two,
    )
    assert "".join(library.read) == read


def test_an_evaluation_can_be_answered_step_by_step() -> None:
    asked = select(parse("b c'egg' o1"), history=History.of(TURNS), viewpoint=viewpoint())
    assert isinstance(asked, Pending)
    assert isinstance(asked.question, WhichContain)
    assert asked.question.text.found_in([fold("EGGS"), fold("milk")]) == [True, False]
    assert asked.question.turn_ids == ("a", "c", "d", "f")
    asked = asked.answered(["a", "c", "f"])
    assert isinstance(asked, Pending)
    assert asked.question == WhichAreInContext(turn_ids=("a", "c", "f"))
    assert asked.answered({"f"}) == Selection(turn_ids=("c", "f"), base_turn_ids=("a", "c", "f"))


def test_a_filter_that_asks_nothing_is_answered_at_once() -> None:
    found = select(parse("s2 | r1"), history=History.of(TURNS), viewpoint=viewpoint())
    assert found == Selection(turn_ids=tuple("acef"), base_turn_ids=tuple("acef"))


def test_texts_that_are_missing_are_not_passed_over() -> None:
    with pytest.raises(ValueError, match="argument"):
        evaluate(
            parse("c'egg'"),
            history=History.of(TURNS),
            viewpoint=viewpoint(),
            texts=lambda turn_ids: [fold("egg")],
            in_context=no_boundary,
        )


def test_pages_of_a_history_join_into_the_whole() -> None:
    pages = [History.of(TURNS[:2]), History.of([]), History.of(TURNS[2:])]
    assert History.joined(pages) == History.of(TURNS)
    assert History.joined([]) == History.of([])


def test_a_page_of_history_can_be_stored_and_read_back() -> None:
    page = History.of(TURNS)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(page), type=History) == page


def test_an_empty_conversation_has_nothing_to_choose() -> None:
    for query in ("", "b", "!b", "r3", "t2", "o3", "c'egg'", "d<7"):
        assert chosen(query, []) == ""


def test_a_syntax_tree_can_be_stored_and_read_back() -> None:
    tree = parse("(s>=2 | !t'AI...') d<7d c'a*b' d>=2026-01-01 | p & o3 | m t5 r2 b")
    assert msgspec.json.decode(msgspec.json.encode(tree), type=Filter) == tree
