"""What holds for every filter over every conversation."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.filters.conversations import texts_from, viewpoint
from tests.filters.oracle import World, meant
from tests.filters.strategies import conversations, filters, turn_texts
from windowpane.filters import Filter, History, TurnFacts, evaluate
from windowpane.filters.syntax import Not, all_of, any_of


class Scene:
    """A conversation with its texts, of which the last so many turns of a view would be sent."""

    def __init__(self, turns: list[TurnFacts], texts: list[str], sent: int) -> None:
        self.turns = turns
        self.texts = {turn.id: text for turn, text in zip(turns, texts, strict=True)}
        self.sent = sent

    def __repr__(self) -> str:
        return f"Scene({self.turns}, {self.texts}, {self.sent})"

    def in_context(self, turn_ids: Sequence[str]) -> Sequence[str]:
        return turn_ids[max(0, len(turn_ids) - self.sent) :]

    def chosen(self, tree: Filter) -> list[str]:
        selection = evaluate(
            tree,
            history=History.of(self.turns),
            viewpoint=viewpoint(),
            texts=texts_from(self.texts),
            in_context=self.in_context,
        )
        return list(selection.turn_ids)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    turns = draw(conversations())
    texts = draw(st.lists(turn_texts, min_size=len(turns), max_size=len(turns)))
    return Scene(turns, texts, draw(st.integers(0, 6)))


@given(filters, scenes())
def test_a_filter_chooses_what_it_means_turn_by_turn(tree: Filter, scene: Scene) -> None:
    world = World(turns=scene.turns, texts=scene.texts, viewpoint=viewpoint(), sent=())
    assert scene.chosen(tree) == meant(tree, world, scene.in_context)


@given(filters, scenes())
def test_turns_come_in_their_order_and_once(tree: Filter, scene: Scene) -> None:
    found = scene.chosen(tree)
    assert found == [turn.id for turn in scene.turns if turn.id in set(found)]


@given(filters, scenes())
def test_not_not_changes_nothing(tree: Filter, scene: Scene) -> None:
    assert scene.chosen(Not(operand=Not(operand=tree))) == scene.chosen(tree)


@given(filters, filters, scenes())
def test_neither_is_not_the_one_and_not_the_other(one: Filter, other: Filter, scene: Scene) -> None:
    neither = Not(operand=any_of([one, other]))
    assert scene.chosen(neither) == scene.chosen(all_of([Not(operand=one), Not(operand=other)]))


@given(filters, filters, scenes())
def test_not_both_is_not_the_one_or_not_the_other(one: Filter, other: Filter, scene: Scene) -> None:
    not_both = Not(operand=all_of([one, other]))
    assert scene.chosen(not_both) == scene.chosen(any_of([Not(operand=one), Not(operand=other)]))


@given(filters, filters, scenes())
def test_the_order_of_operands_does_not_matter(one: Filter, other: Filter, scene: Scene) -> None:
    assert scene.chosen(all_of([one, other])) == scene.chosen(all_of([other, one]))
    assert scene.chosen(any_of([one, other])) == scene.chosen(any_of([other, one]))
