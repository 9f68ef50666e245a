"""Filters and plans together: ``o`` is answered by the plan's own boundary."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import structs

from tests.context.histories import CACHED, NOW, draft, drawn, given, turn, turns
from tests.filters.conversations import viewpoint
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import plan
from windowpane.context.view import FilteredInput, TextsWanted, begin_view, view_of
from windowpane.filters import Folded, History, TurnFacts, fold, parse
from windowpane.turns import TurnContent


def facts(content: TurnContent) -> TurnFacts:
    return TurnFacts(
        id=content.turn.id,
        created_at=NOW,
        star=content.turn.star,
        flag=content.turn.flag,
        model=content.turn.model,
        topic_id=None,
        is_error=content.turn.state == "error",
        has_image=False,
        is_pinned=content.turn.is_pinned,
        is_skipped=content.turn.is_skipped,
        has_tool_calls=False,
        is_summarised=False,
    )


def texts(turn_ids: Sequence[str]) -> list[Folded]:
    """Turns with an even number speak of cats."""
    return [fold("cat" if int(id[1:]) % 2 == 0 else "dog") for id in turn_ids]


def viewed(
    query: str, history: Sequence[TurnContent], *, asked: PlanInput | None = None, usable: int = 300
) -> PlanInput:
    found = view_of(
        parse(query),
        given=asked or given(history, usable=usable),
        history=History.of([facts(content) for content in history]),
        viewpoint=viewpoint(),
        texts=texts,
    )
    return found.given


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "---sss"),
        ("r2", "FFFFss"),
        # The filter decides first, then the budget fills up with what is left.
        ("c'cat'", "FsFsFs"),
        ("c'dog' | r1", "-FsFss"),
        ("o", "FFFsss"),
        ("o2", "F--sss"),
        ("!o", "sssFFF"),
        ("o c'cat'", "FsFsFs"),
        ("o r2", "FFFFss"),
        ("!o c'dog'", "FFFFFF"),
    ],
)
def test_filters_and_what_is_sent_under_them(query: str, expected: str) -> None:
    assert drawn(viewed(query, turns(6))) == expected


def test_what_o_shows_is_what_the_plan_without_it_sends() -> None:
    history = turns(20)
    sent = plan(given(history, usable=750)).sent_turn_ids
    assert plan(viewed("o", history, usable=750)).sent_turn_ids == sent


def test_the_view_says_its_filter_in_the_plan() -> None:
    assert plan(viewed("o  &  r2", turns(6))).filter_text == "o & r2"


def test_the_empty_filter_is_no_filter() -> None:
    view = viewed("", turns(3)).view
    assert (view.visible, view.filter_text) == (None, "")


def test_turns_that_o_shows_beyond_the_context_are_not_sent_though_a_step_left_room() -> None:
    history = turns(11)
    asked = structs.replace(given(history, usable=1000), settings=CACHED)
    assert drawn(asked) == "--" + "s" * 9
    assert drawn(viewed("o1", history, asked=asked)) == "F-" + "s" * 9


def test_pinned_turns_are_in_the_context_that_o_shows() -> None:
    history = [turn("t1", is_pinned=True), *turns(5)[1:]]
    assert drawn(viewed("o", history)) == "sFFss"


def test_a_larger_draft_does_not_change_what_o_shows() -> None:
    history = turns(6)
    asked = structs.replace(given(history, usable=300), current=(draft(200),))
    assert drawn(viewed("o", history, asked=asked)) == "FFFtts"


def test_with_unknown_limits_o_shows_everything() -> None:
    history = turns(4)
    assert drawn(viewed("o", history, asked=given(history))) == "ssss"


def test_under_a_filter_with_its_card_on_covered_turns_stay_summarised() -> None:
    history = turns(4)
    summary = ActiveSummary(id="s", text="x", first_index=0, last_index=1)
    asked = structs.replace(given(history), summary=summary)
    assert drawn(viewed("c'cat'", history, asked=asked)) == "FMFs"


def test_texts_are_asked_for_step_by_step() -> None:
    history = turns(6)
    wanted = begin_view(
        parse("o c'cat'"),
        given=given(history, usable=300),
        history=History.of([facts(content) for content in history]),
        viewpoint=viewpoint(),
    )
    assert isinstance(wanted, TextsWanted)
    assert wanted.question.turn_ids == ("t1", "t2", "t3", "t4", "t5", "t6")
    found = wanted.answered(["t2", "t4"])
    assert isinstance(found, FilteredInput)
    assert found.selection.turn_ids == ("t2", "t4")


def test_a_filter_over_another_history_is_refused() -> None:
    with pytest.raises(ValueError, match="another history"):
        begin_view(
            parse("r2"),
            given=given(turns(3)),
            history=History.of([facts(content) for content in turns(2)]),
            viewpoint=viewpoint(),
        )
