"""A plan in sentences."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.context.histories import KEEP_ALL, budget, draft, given, shown, tool_round, turn, turns
from windowpane.context.counting import StandingCount, standing_counts
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import plan
from windowpane.context.states import STANDINGS, TurnStanding
from windowpane.context.words import (
    REASONS,
    counter_details,
    explanation,
    left_out_sentence,
    reason,
    standing_reason,
    turn_sentence,
    weight_sentence,
)


def mixed() -> PlanInput:
    history = [
        turn("t1"),
        turn("t2", is_skipped=True),
        turn("t3", is_pinned=True),
        turn("t4", state="error", has_answer=False),
        turn("t5", 100, reasoning=40),
        turn("t6"),
    ]
    settings = structs.replace(KEEP_ALL, reasoning_turns=1)
    asked = structs.replace(given(history, usable=450), settings=settings)
    return structs.replace(asked, current=(draft(50),))


def test_there_are_words_for_every_standing() -> None:
    assert set(REASONS) == set(STANDINGS)


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        (0, "Turn 1 is sent: it fits."),
        (1, "Turn 2 is not sent: you skipped it."),
        (2, "Turn 3 is sent: you pinned it."),
        (3, "Turn 4 is not sent: it has no answer."),
        (4, "Turn 5 is sent: reasoning left out: 40 tokens."),
        (5, "Turn 6 is sent: it fits."),
    ],
)
def test_a_turn_says_why_it_is_in_or_out(index: int, sentence: str) -> None:
    made = plan(structs.replace(mixed(), budget=budget(1000)))
    assert turn_sentence(made, made.turns[index]) == sentence


def test_a_trimmed_turn_made_room() -> None:
    made = plan(structs.replace(given(turns(2), usable=200), current=(draft(60),)))
    assert reason(made, made.turns[0]) == "it made room for this message"


def test_both_kinds_of_shortening_are_named() -> None:
    settings = structs.replace(KEEP_ALL, reasoning_turns=0, tool_turns=0)
    made = plan(structs.replace(given([turn("t1", reasoning=9, tool=9)]), settings=settings))
    assert reason(made, made.turns[0]).startswith("reasoning and tool calls and their results")


@pytest.mark.parametrize(
    ("when_full", "words"),
    [
        ("slide", "it does not fit the budget"),
        ("compress", "it will be summarised on send"),
        ("ask", "it does not fit the budget"),
    ],
)
def test_what_is_over_budget_may_be_summarised_on_send(when_full: str, words: str) -> None:
    settings = structs.replace(KEEP_ALL, when_full=when_full)
    made = plan(structs.replace(given(turns(9), usable=300), settings=settings))
    assert standing_reason(made, "over_budget") == words


def test_what_is_left_out_is_said_in_one_sentence() -> None:
    assert left_out_sentence(plan(mixed())) == (
        "Left out: 1 turn skipped (100 tokens), 1 turn without an answer (10 tokens)."
    )
    assert left_out_sentence(plan(structs.replace(mixed(), budget=budget(300)))) == (
        "Left out: 1 turn over budget (100 tokens), 1 turn trimmed for this message (140 tokens), "
        "1 turn skipped (100 tokens), 1 turn without an answer (10 tokens)."
    )


def test_hidden_and_summarised_turns_are_left_out_too() -> None:
    summary = ActiveSummary(id="s", text="x", first_index=0, last_index=1)
    asked = shown(structs.replace(given(turns(4)), summary=summary), "1011")
    asked = structs.replace(asked, view=structs.replace(asked.view, has_summary=True))
    assert left_out_sentence(plan(asked)) == (
        "Left out: 1 turn summarised (100 tokens), 1 turn hidden by the filter (100 tokens)."
    )


def test_nothing_left_out_is_said_too() -> None:
    assert left_out_sentence(plan(given(turns(2)))) == "Nothing is left out."


def test_removed_tool_rounds_are_said() -> None:
    rounds = [one for number in range(3) for one in tool_round(f"r{number}", result="x" * 100)]
    made = plan(structs.replace(given([], usable=400), current=(draft(50), *rounds)))
    assert left_out_sentence(made) == "Left out: 1 older tool round of this turn."


def test_the_weight_is_said_against_the_budget() -> None:
    assert weight_sentence(plan(given(turns(3), usable=1200))) == (
        "300 of 1,200 usable tokens (25 %)."
    )


def test_an_unknown_limit_is_said() -> None:
    assert weight_sentence(plan(given(turns(3)))) == (
        "300 tokens; nobody said how many plain/model takes."
    )


def test_a_window_without_any_room_is_full() -> None:
    assert weight_sentence(plan(given([], usable=0))) == "0 of 0 usable tokens (100 %)."


def test_the_counter_tells_its_details() -> None:
    asked = structs.replace(given(turns(5)), budget=budget(400, allowance=100))
    made = plan(structs.replace(asked, current=(draft(150),)))
    assert counter_details(made) == {
        "Predicted": "3 turns, 300 tokens",
        "Trimmed": "1 turn",
        "Sent": "2 turns",
        "Visible": "5 turns",
        "Allowance": "100 tokens",
        "Draft": "150 tokens",
        "Limit": "400 tokens",
    }


def test_the_explanation_shows_weight_parts_and_turns() -> None:
    assert explanation(plan(mixed())).splitlines() == [
        "plain/model: 4 / 6 turns, 450 of 450 usable tokens (100 %).",
        "        100  pinned turns",
        "        300  history",
        "         50  this message",
        "Left out: 1 turn skipped (100 tokens), 1 turn without an answer (10 tokens).",
        "  turn 1     sent               100  it fits",
        "  turn 2     skipped            100  you skipped it",
        "  turn 3     sent               100  you pinned it",
        "  turn 4     failed              10  it has no answer",
        "  turn 5     shortened          100  reasoning left out: 40 tokens",
        "  turn 6     sent               100  it fits",
    ]


def test_the_explanation_of_a_plan_that_cannot_be_sent_says_why() -> None:
    made = plan(structs.replace(given([], usable=100), current=(draft(150),)))
    assert "This message has 150 tokens; 100 are left" in explanation(made)


def test_counts_by_standing_hold_every_turn() -> None:
    found = standing_counts(plan(structs.replace(mixed(), budget=budget(300))))
    expected: dict[TurnStanding, StandingCount] = {
        "skipped": StandingCount(turns=1, raw_tokens=100),
        "failed": StandingCount(turns=1, raw_tokens=10),
        "over_budget": StandingCount(turns=1, raw_tokens=100),
        "trimmed": StandingCount(turns=1, raw_tokens=140),
        "sent": StandingCount(turns=2, raw_tokens=200),
    }
    assert found == expected
