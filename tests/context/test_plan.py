"""The plan as a value: its numbers, its next step, its JSON."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import Raw, structs

from tests.context.histories import (
    CACHED,
    KEEP_ALL,
    budget,
    draft,
    drawn,
    given,
    shown,
    turn,
    turns,
)
from windowpane.catalog import catalog_limits
from windowpane.context.budget import budget_for
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.plan import ContextPlan, NextStep, plan
from windowpane.context.request import ToolDefinition
from windowpane.options import WhenFull
from windowpane.tokens import UNCALIBRATED, TokenCache, counter_for

TOOL = ToolDefinition(name="look", description="Look.", schema=Raw(b'{"type": "object"}'))


def rich() -> PlanInput:
    """A plan's input with something of everything."""
    history = [turn("t1", is_pinned=True), *turns(6)[1:], turn("t7", reasoning=50, tool=30)]
    return structs.replace(
        given(history),
        budget=budget(900, allowance=100),
        settings=structs.replace(CACHED, reasoning_turns=0, when_full="compress"),
        system="Be brief.",
        tools=(TOOL,),
        summary=ActiveSummary(id="s", text="They talked.", first_index=0, last_index=1),
        current=(draft(150),),
    )


def test_the_parts_add_up_to_the_request() -> None:
    made = plan(rich())
    assert made.total_tokens == (
        made.fixed.system_tokens
        + made.fixed.tools_tokens
        + made.fixed.summary_tokens
        + made.fixed.pinned_tokens
        + made.history_tokens
        + made.current.sent_tokens
    )


def test_planning_twice_gives_the_same_value() -> None:
    assert plan(rich()) == plan(rich())


def test_a_plan_survives_its_json() -> None:
    made = plan(rich())
    assert msgspec.json.decode(msgspec.json.encode(made), type=ContextPlan) == made


def test_a_tool_s_schema_is_json_in_the_plan_s_json() -> None:
    encoded = msgspec.json.decode(msgspec.json.encode(plan(rich())))
    assert encoded["tools"][0]["schema"] == {"type": "object"}


def test_demand_is_what_would_be_sent_if_everything_fitted() -> None:
    asked = structs.replace(given(turns(10), usable=300), current=(draft(50),), system="x" * 6)
    assert plan(asked).demand_tokens == 10 + 1000 + 50


def test_demand_counts_old_turns_shortened_and_not_raw() -> None:
    history = [turn(f"t{number}", 100, reasoning=900) for number in range(10)]
    settings = structs.replace(KEEP_ALL, reasoning_turns=0)
    asked = structs.replace(given(history, usable=300), settings=settings)
    assert plan(asked).demand_tokens == 1000


def test_demand_leaves_out_what_is_skipped_failed_hidden_or_summarised() -> None:
    history = turns(6)
    history[2] = turn("t3", is_skipped=True)
    history[3] = turn("t4", state="error", has_answer=False)
    asked = given(history, usable=100)
    assert plan(asked).demand_tokens == 400
    assert plan(shown(asked, "011111")).demand_tokens == 300
    summary = ActiveSummary(id="s", text="x", first_index=0, last_index=1)
    summarised = plan(structs.replace(asked, summary=summary))
    assert summarised.demand_tokens == 200 + summarised.fixed.summary_tokens


def test_demand_does_not_depend_on_the_boundary() -> None:
    demands = {plan(given(turns(10), usable=usable)).demand_tokens for usable in (100, 500, 5000)}
    assert demands == {1000}


def test_a_trimmed_turn_still_counts_in_the_demand() -> None:
    asked = structs.replace(given(turns(4), usable=400), current=(draft(150),))
    assert drawn(asked) == "ttss"
    assert plan(asked).demand_tokens == 550


@pytest.mark.parametrize(
    ("count", "when_full", "step"),
    [
        (9, "compress", "send"),
        (10, "compress", "compress"),
        (10, "ask", "ask"),
        (10, "slide", "send"),
        (9, "ask", "send"),
    ],
)
def test_what_happens_on_send_when_the_chat_is_full(
    count: int, when_full: WhenFull, step: NextStep
) -> None:
    settings = structs.replace(KEEP_ALL, when_full=when_full)
    made = plan(structs.replace(given(turns(count), usable=1000), settings=settings))
    assert (made.is_full, made.next_step) == (count == 10, step)


def test_under_a_filter_a_full_chat_slides() -> None:
    settings = structs.replace(KEEP_ALL, when_full="compress")
    asked = structs.replace(given(turns(20), usable=1000), settings=settings)
    made = plan(shown(asked, "1" * 20))
    assert (made.is_full, made.next_step) == (True, "send")


@pytest.mark.parametrize("scope", ["project", "everything"])
def test_beyond_one_chat_a_full_view_slides(scope: str) -> None:
    settings = structs.replace(KEEP_ALL, when_full="compress")
    asked = structs.replace(given(turns(20), usable=1000), settings=settings)
    made = plan(structs.replace(asked, view=structs.replace(asked.view, scope=scope)))
    assert (made.scope, made.next_step) == (scope, "send")


def test_unknown_limits_draw_no_boundary_and_are_never_full() -> None:
    made = plan(given(turns(50)))
    assert (len(made.sent_turn_ids), made.is_full, made.start_index) == (50, False, 0)


def test_the_allowance_is_kept_free_in_the_prediction() -> None:
    assert drawn(structs.replace(given(turns(5)), budget=budget(350, allowance=100))) == "---ss"


def test_a_floor_holds_the_boundary_where_it_was() -> None:
    asked = structs.replace(given(turns(5), usable=1000), floor_index=2)
    assert drawn(asked) == "--sss"


def test_when_nothing_is_in_the_floor_lies_behind_everything() -> None:
    """Else what retention shortens later would bring turns back that a reply has left behind."""
    settings = structs.replace(KEEP_ALL, tool_turns=1)
    history = [turn("t1"), turn("t2", tool=500)]
    before = plan(structs.replace(given(history, usable=300), settings=settings))
    assert (before.start_index, before.floor_index) == (None, 2)
    grown = structs.replace(given([*history, turn("t3")], usable=300), settings=settings)
    assert drawn(grown) == "shs"
    assert drawn(structs.replace(grown, floor_index=before.floor_index)) == "--s"


def test_the_turn_in_flight_lies_before_no_floor() -> None:
    running = turn("t2", state="sending", has_answer=False)
    assert plan(given([turn("t1"), running], usable=50)).floor_index == 1


def test_the_boundary_moves_in_steps_with_cache_marks_and_exactly_without() -> None:
    def starts(settings: object) -> list[int | None]:
        return [
            plan(structs.replace(given(turns(count), usable=2000), settings=settings)).start_index
            for count in range(20, 28)
        ]

    assert starts(KEEP_ALL) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert starts(CACHED) == [0, 4, 4, 4, 4, 8, 8, 8]


def test_another_process_finds_the_same_boundary_without_knowing_the_last_plan() -> None:
    settings = CACHED
    floor: int | None = None
    for count in range(1, 60):
        asked = structs.replace(given(turns(count), usable=1300), settings=settings)
        remembering = plan(structs.replace(asked, floor_index=floor))
        assert remembering == plan(asked)
        floor = remembering.floor_index


def test_a_plan_with_the_real_counter_and_a_real_model() -> None:
    counter = counter_for("gpt-4o", cache=TokenCache(max_entries=100))
    limits = catalog_limits("gpt-4o", provider=None)
    real = budget_for(
        limits,
        requested_output_tokens=None,
        allowance_tokens=100,
        threshold=0.95,
        calibration=UNCALIBRATED,
    )
    made = plan(
        structs.replace(given([]), counter=counter, budget=real, system="You are a helpful pane.")
    )
    assert made.fixed.system_tokens == 4 + 6
    assert made.budget.usable_tokens == 105_216
