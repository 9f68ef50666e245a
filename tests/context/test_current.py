"""The turn that is being asked, and its tool rounds."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.context.histories import (
    COUNTER,
    KEEP_ALL,
    draft,
    drawn,
    given,
    message,
    request_of,
    tool_round,
    turns,
)
from windowpane.context.given import Overflow, PlanInput, PlanSettings
from windowpane.context.plan import plan
from windowpane.context.weights import emitted_tokens
from windowpane.messages import Message
from windowpane.options import CacheMode
from windowpane.parts import Reasoning, Text, ToolCall, ToolResult

ROUND_TOKENS = emitted_tokens(
    tool_round("r01", result="x" * 100), stored=tool_round("r01", result="x" * 100), counter=COUNTER
)


def running(rounds: int) -> tuple[Message, ...]:
    messages = [draft(50)]
    for number in range(1, rounds + 1):
        messages += tool_round(f"r{number:02}", result="x" * 100)
    return tuple(messages)


def asked(
    rounds: int, *, usable: int | None, history: int = 0, cache_mode: CacheMode = "all-off"
) -> PlanInput:
    settings: PlanSettings = structs.replace(KEEP_ALL, cache_mode=cache_mode)
    return structs.replace(
        given(turns(history), usable=usable), current=running(rounds), settings=settings
    )


def sent_ids(asked: PlanInput) -> list[str]:
    return [one.id for one in plan(asked).current.messages]


def test_a_draft_has_no_rounds() -> None:
    found = plan(structs.replace(given([]), current=(draft(50),))).current
    assert (found.sent_tokens, found.rounds, found.removed_rounds) == (50, 0, 0)


def test_a_running_turn_that_fits_is_sent_whole() -> None:
    found = plan(asked(3, usable=5000)).current
    assert (found.rounds, found.removed_rounds) == (3, 0)
    assert found.sent_tokens == found.raw_tokens == 50 + 3 * ROUND_TOKENS


def test_its_oldest_rounds_leave_when_it_alone_is_too_large() -> None:
    limited = asked(5, usable=50 + 3 * ROUND_TOKENS)
    found = plan(limited).current
    assert (found.rounds, found.removed_rounds) == (5, 2)
    assert found.sent_tokens == 50 + 3 * ROUND_TOKENS
    assert sent_ids(limited) == [
        "draft",
        *(f"r{number:02}.{kind}" for number in (3, 4, 5) for kind in ("call", "result")),
    ]


def test_the_newest_round_always_stays() -> None:
    made = plan(asked(5, usable=100))
    assert made.current.removed_rounds == 4
    assert made.unsendable is not None and made.unsendable.code == "user_prompt_too_large"


def test_one_round_is_never_taken_from_a_turn() -> None:
    assert plan(asked(1, usable=100)).current.removed_rounds == 0


def test_what_the_model_said_beside_a_removed_call_stays() -> None:
    call = ToolCall(call_id="1", name="look", arguments="{}")
    spoken = message("said", "assistant", Reasoning(text="hm"), Text(text="I look."), call)
    answer = message("seen", "tool", ToolResult(call_id="1", name="look", text="x" * 300))
    messages = (draft(50), spoken, answer, *tool_round("r2", result="y" * 100))
    found = plan(structs.replace(given([], usable=300), current=messages)).current
    assert found.removed_rounds == 1
    assert found.messages[1].parts == (Text(text="I look."),)


def test_parallel_calls_are_one_round() -> None:
    calls = [ToolCall(call_id=id, name="look", arguments="{}") for id in "ab"]
    results = [ToolResult(call_id=id, name="look", text="seen") for id in "ab"]
    messages = (draft(50), message("c", "assistant", *calls), message("r", "tool", *results))
    assert plan(structs.replace(given([]), current=messages)).current.rounds == 1


def test_a_call_that_nobody_answered_yet_is_not_sent() -> None:
    open_call = message("c", "assistant", ToolCall(call_id="1", name="look", arguments="{}"))
    found = plan(structs.replace(given([]), current=(draft(50), open_call))).current
    assert [one.id for one in found.messages] == ["draft"]


def test_history_leaves_before_the_rounds_of_the_running_turn() -> None:
    limited = asked(3, usable=100 + 50 + 3 * ROUND_TOKENS, history=4)
    made = plan(limited)
    assert drawn(limited).count("s") == 1
    assert made.current.removed_rounds == 0


def test_a_refusal_costs_older_rounds_before_it_costs_a_turn() -> None:
    free = asked(3, usable=None, history=2)

    def refused(trims: int) -> tuple[int, str]:
        again = structs.replace(free, overflow=Overflow(trims=trims, limit_tokens=None))
        return plan(again).current.removed_rounds, drawn(again)

    assert [refused(trims) for trims in range(5)] == [
        (0, "ss"),
        (1, "ss"),
        (2, "ss"),
        (2, "ts"),
        (2, "tt"),
    ]


def test_without_marks_rounds_leave_one_by_one() -> None:
    usable = 50 + 9 * ROUND_TOKENS
    removed = [plan(asked(rounds, usable=usable)).current.removed_rounds for rounds in range(8, 13)]
    assert removed == [0, 0, 1, 2, 3]


def test_with_marks_rounds_leave_in_steps_so_that_requests_share_a_prefix() -> None:
    removed = [
        plan(asked(rounds, usable=4000, cache_mode="cached")).current.removed_rounds
        for rounds in range(1, 60)
    ]
    assert removed == sorted(removed)
    assert len(set(removed)) < 15


@pytest.mark.parametrize("cache_mode", ["all-off", "cached"])
@pytest.mark.parametrize("rounds", [2, 9, 20, 40])
def test_what_is_sent_of_it_fits(rounds: int, cache_mode: CacheMode) -> None:
    made = plan(asked(rounds, usable=1500, history=3, cache_mode=cache_mode))
    assert made.unsendable is None
    assert made.total_tokens <= 1500


def test_calls_and_results_stay_together_in_the_request() -> None:
    made = plan(asked(12, usable=1500))
    parts = [part for one in request_of(made, []).messages for part in one.parts]
    called = [part.call_id for part in parts if isinstance(part, ToolCall)]
    answered = [part.call_id for part in parts if isinstance(part, ToolResult)]
    assert called == answered and made.current.removed_rounds > 0
