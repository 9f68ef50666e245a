"""Turns on a screen: each stands where the plan puts it, named or not."""

from __future__ import annotations

from hypothesis import given as examples

from tests.context.histories import LETTERS, drawn, given, shown, turns
from tests.context.test_laws import lives
from tests.context.worlds import Operation, World
from windowpane.context.counting import standing_counts
from windowpane.context.given import PlanInput
from windowpane.context.plan import plan
from windowpane.context.showing import shown_turns


def letters(asked: PlanInput, *, first: int, end: int) -> str:
    page = shown_turns(asked, plan(asked), first=first, end=end)
    return "".join(LETTERS[turn.standing] for turn in page)


def test_a_page_of_turns_is_cut_out_of_the_whole() -> None:
    asked = shown(given(turns(8), usable=300), "10111111")
    assert drawn(asked) == "-F---sss"
    assert letters(asked, first=1, end=6) == "F---s"


def test_a_page_beyond_the_history_is_shorter() -> None:
    asked = given(turns(3), usable=200)
    assert letters(asked, first=-5, end=99) == "-ss"


@examples(lives)
def test_all_turns_on_a_screen_are_the_plan_s_own_counts(life: list[Operation]) -> None:
    world = World()
    for operation in life:
        world.apply(operation, floor_index=None)
    asked = world.given()
    made = plan(asked)
    found = [turn.standing for turn in shown_turns(asked, made, first=0, end=asked.scope.turns)]
    counts = {standing: count.turns for standing, count in standing_counts(made).items()}
    assert counts == {standing: found.count(standing) for standing in found}
