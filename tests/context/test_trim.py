"""A draft that is larger than expected, refusals of a provider, and what cannot be sent."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.context.histories import (
    CACHED,
    budget,
    draft,
    drawn,
    given,
    request_of,
    tool_round,
    turn,
    turns,
)
from windowpane.context.counting import turn_counter
from windowpane.context.given import Overflow, PlanInput
from windowpane.context.plan import plan
from windowpane.errors import PromptTooLarge


def drafted(count: int, *, usable: int | None, allowance: int, tokens: int) -> PlanInput:
    asked = given(turns(count))
    return structs.replace(
        asked, budget=budget(usable, allowance=allowance), current=(draft(tokens),)
    )


def overflown(asked: PlanInput, *, trims: int = 0, limit: int | None = None) -> PlanInput:
    return structs.replace(asked, overflow=Overflow(trims=trims, limit_tokens=limit))


def test_a_draft_within_the_allowance_trims_nothing() -> None:
    assert drawn(drafted(6, usable=500, allowance=100, tokens=100)) == "--ssss"


def test_the_oldest_planned_turns_make_room_for_a_larger_draft() -> None:
    assert drawn(drafted(6, usable=500, allowance=100, tokens=101)) == "--tsss"
    assert drawn(drafted(6, usable=500, allowance=100, tokens=250)) == "--ttss"


def test_a_small_draft_does_not_pull_older_turns_in() -> None:
    assert drawn(drafted(6, usable=500, allowance=100, tokens=5)) == "--ssss"


@pytest.mark.parametrize("tokens", [5, 100, 101, 300, 450])
def test_the_drawn_boundary_does_not_move_for_the_draft(tokens: int) -> None:
    made = plan(drafted(6, usable=500, allowance=100, tokens=tokens))
    assert (made.start_index, made.predicted_turns, made.predicted_tokens) == (2, 4, 400)


def test_the_first_attempt_weighs_what_was_predicted_with_the_draft_for_the_allowance() -> None:
    made = plan(drafted(6, usable=500, allowance=100, tokens=80))
    predicted_total_tokens = made.predicted_tokens + made.budget.allowance_tokens
    assert made.total_tokens == predicted_total_tokens + 80 - 100


def test_pinned_turns_are_never_trimmed() -> None:
    history = [turn("t1", 100, is_pinned=True), *turns(4)[1:]]
    asked = structs.replace(given(history, usable=400), current=(draft(150),))
    assert drawn(asked) == "stts"


def test_all_of_the_history_may_leave_for_the_draft() -> None:
    made = plan(drafted(3, usable=300, allowance=0, tokens=300))
    assert (made.trimmed_turns, made.history_tokens, made.unsendable) == (3, 0, None)


def test_a_draft_that_alone_is_too_large_cannot_be_sent() -> None:
    made = plan(drafted(3, usable=300, allowance=0, tokens=1301))
    assert made.unsendable is not None
    assert made.unsendable.code == "user_prompt_too_large"
    assert "1,301 tokens; 300 are left" in made.unsendable.message
    assert made.next_step == "hold"


def test_what_is_in_every_request_and_too_large_is_named() -> None:
    asked = structs.replace(drafted(3, usable=300, allowance=0, tokens=10), system="x" * 400)
    made = plan(asked)
    assert made.unsendable is not None
    assert made.unsendable.code == "fixed_too_large"
    assert "404 tokens, most of it the system prompt" in made.unsendable.message


def test_pinned_turns_that_fill_the_window_are_named() -> None:
    history = [turn("t1", 500, is_pinned=True), turn("t2", 100)]
    made = plan(given(history, usable=400))
    assert made.unsendable is not None and "the pinned turns" in made.unsendable.message
    assert drawn(given(history, usable=400)) == "s-"


def test_a_plan_that_cannot_be_sent_makes_no_request() -> None:
    asked = drafted(3, usable=300, allowance=0, tokens=301)
    with pytest.raises(PromptTooLarge, match="Shorten it or choose a larger model"):
        request_of(plan(asked), turns(3))


def test_with_unknown_limits_nothing_is_too_large() -> None:
    made = plan(drafted(3, usable=None, allowance=100, tokens=10**6))
    assert (made.unsendable, made.trimmed_turns, made.is_full) == (None, 0, False)


@pytest.mark.parametrize(
    ("trims", "expected"), [(0, "ssss"), (1, "tsss"), (3, "ttts"), (9, "tttt")]
)
def test_each_refusal_costs_the_oldest_planned_turn(trims: int, expected: str) -> None:
    asked = drafted(4, usable=None, allowance=0, tokens=50)
    assert drawn(overflown(asked, trims=trims)) == expected


def test_a_refusal_costs_a_turn_beyond_those_that_left_for_the_draft() -> None:
    asked = drafted(6, usable=500, allowance=100, tokens=250)
    assert drawn(asked) == "--ttss"
    assert drawn(overflown(asked, trims=1)) == "--ttts"


def test_a_refusal_that_names_the_limit_trims_by_it_at_once() -> None:
    asked = drafted(6, usable=None, allowance=0, tokens=50)
    assert drawn(overflown(asked, limit=260)) == "ttttss"


def test_a_learned_limit_does_not_move_the_drawn_boundary() -> None:
    made = plan(overflown(drafted(6, usable=500, allowance=100, tokens=50), limit=260))
    assert (made.start_index, made.predicted_turns, made.trimmed_turns) == (2, 4, 2)


def test_the_counter_shows_what_was_trimmed() -> None:
    asked = drafted(34, usable=1200, allowance=0, tokens=50)
    assert turn_counter(plan(structs.replace(asked, current=()))).text == "12 / 34"
    assert turn_counter(plan(asked)).text == "[12-1]/34"


def test_the_counter_says_when_the_filter_hides_the_newest_turn() -> None:
    asked = given(turns(3))
    view = structs.replace(asked.view, filter_text="s3", visible=b"\1\1\0")
    assert turn_counter(plan(structs.replace(asked, view=view))).text == "(-) 2 / 2"


def test_in_a_running_turn_the_history_leaves_in_steps_too() -> None:
    history = turns(100, 50)
    asked = structs.replace(given(history, usable=5000), settings=CACHED)

    def first_sent(rounds: int) -> str:
        messages = [draft(20)]
        for number in range(rounds):
            messages += tool_round(f"r{number}", result="x" * 100)
        return plan(structs.replace(asked, current=tuple(messages))).sent_turn_ids[0]

    starts = [first_sent(rounds) for rounds in range(1, 7)]
    assert len(set(starts)) == 2
