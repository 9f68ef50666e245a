"""From a plan to the request, and where its prefix is marked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import Raw, structs

from tests.context.histories import (
    CACHED,
    KEEP_ALL,
    draft,
    given,
    message,
    request_of,
    signature,
    tool_round,
    turn,
    turns,
)
from windowpane.context.given import PlanInput, PlanSettings
from windowpane.context.plan import plan
from windowpane.context.prelude import system_prelude
from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.options import CacheMode
from windowpane.parts import Text
from windowpane.turns import TurnContent


def asked(
    history: Sequence[TurnContent], *, settings: PlanSettings = CACHED, draft_tokens: int = 20
) -> PlanInput:
    return structs.replace(given(history), settings=settings, current=(draft(draft_tokens),))


def marks(request: ModelRequest) -> list[str | None]:
    return [mark.after_message_id for mark in request.marks]


def requested(
    history: Sequence[TurnContent],
    *,
    settings: PlanSettings = CACHED,
    frozen_mark_at: str | None = None,
) -> ModelRequest:
    made = plan(asked(history, settings=settings))
    return request_of(made, history, frozen_mark_at=frozen_mark_at)


def test_turns_go_in_their_order_and_the_draft_is_last() -> None:
    request = requested(turns(2))
    assert [one.id for one in request.messages] == [
        "t1.ask",
        "t1.answer",
        "t2.ask",
        "t2.answer",
        "draft",
    ]


def test_the_request_names_the_model_and_carries_the_tools() -> None:
    tool = ToolDefinition(name="look", description="Look.", schema=Raw(b'{"type":"object"}'))
    made = plan(structs.replace(asked(turns(1)), tools=(tool,), system="Be brief."))
    request = request_of(made, turns(1))
    assert (request.model, request.system, request.tools) == (made.model, "Be brief.", (tool,))


def test_a_blank_system_prompt_is_not_sent_and_weighs_nothing() -> None:
    made = plan(structs.replace(asked(turns(1)), system=" \n"))
    assert (request_of(made, turns(1)).system, made.fixed.system_tokens) == ("", 0)


def test_star_flag_and_topic_do_not_enter_the_text() -> None:
    plain = turn("t1")
    marked = structs.replace(
        plain, turn=structs.replace(plain.turn, star=3, flag="grey", topic_id="secret")
    )
    assert requested([plain]).messages == requested([marked]).messages


def test_only_what_is_sent_needs_its_contents() -> None:
    history = turns(3)
    made = plan(structs.replace(asked(history), budget=given([], usable=250).budget))
    assert len(request_of(made, history[1:]).messages) == 5


def test_the_prelude_leaves_blank_texts_out_and_others_as_they_are() -> None:
    prelude = system_prelude(
        project_prompt="  Be brief.\n", topic_message=" ", tool_prompts=["", "Use tools."]
    )
    assert prelude == "  Be brief.\n\n\nUse tools."


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("all-off", []), ("system", [None]), ("cached", [None, "t2.answer", "draft"])],
)
def test_marks_by_mode(mode: CacheMode, expected: list[str | None]) -> None:
    settings = structs.replace(KEEP_ALL, cache_mode=mode)
    assert marks(requested(turns(2), settings=settings)) == expected


def test_there_are_at_most_two_marks_beside_tools_and_system() -> None:
    assert len(marks(requested(turns(50)))) == 3


def test_no_mark_stands_behind_reasoning_that_may_still_go() -> None:
    history = [turn("t1"), turn("t2"), turn("t3", reasoning=9), turn("t4")]
    settings = structs.replace(CACHED, reasoning_turns=2)
    assert marks(requested(history, settings=settings)) == [None, "t2.answer", "t3.ask"]


def test_reasoning_that_is_kept_for_ever_may_be_marked() -> None:
    history = [turn("t1", reasoning=9), turn("t2", reasoning=9)]
    assert marks(requested(history)) == [None, "t2.answer", "draft"]


def test_what_retention_has_passed_is_settled() -> None:
    history = [turn("t1", reasoning=9), turn("t2", reasoning=9), turn("t3"), turn("t4")]
    settings = structs.replace(CACHED, reasoning_turns=2)
    assert marks(requested(history, settings=settings)) == [None, "t4.answer", "draft"]


def test_a_signature_that_saves_nothing_stays_and_is_settled() -> None:
    signed = message("signed", "assistant", signature(), Text(text="Yes."))
    first = structs.replace(turn("t1"), messages=(turn("t1").messages[0], signed))
    settings = structs.replace(CACHED, reasoning_turns=1)
    request = requested([first, turn("t2")], settings=settings)
    assert request.messages[1] == signed
    assert marks(request) == [None, "t2.answer", "draft"]


def test_a_pinned_turn_loses_nothing_and_may_be_marked() -> None:
    history = [turn("t1", reasoning=9, is_pinned=True), turn("t2")]
    settings = structs.replace(CACHED, reasoning_turns=5)
    assert marks(requested(history, settings=settings)) == [None, "t2.answer", "draft"]


def test_blank_parts_do_not_keep_a_turn_from_being_settled() -> None:
    first = turn("t1")
    blank = message("t1.blank", "assistant", Text(text=" "))
    first = structs.replace(first, messages=(*first.messages, blank))
    settings = structs.replace(CACHED, tool_turns=1)
    assert marks(requested([first], settings=settings)) == [None, "t1.answer", "draft"]


def test_the_rounds_of_a_running_turn_are_marked_as_they_come() -> None:
    running = (draft(20), *tool_round("r1", result="x"), *tool_round("r2", result="y"))
    made = plan(structs.replace(asked(turns(1)), current=running))
    assert marks(request_of(made, turns(1))) == [None, "r2.call", "r2.result"]


def test_rounds_that_will_leave_with_age_are_not_marked() -> None:
    running = (draft(20), *tool_round("r1", result="x"))
    settings = structs.replace(CACHED, tool_turns=3)
    made = plan(structs.replace(asked(turns(1), settings=settings), current=running))
    assert marks(request_of(made, turns(1))) == [None, "t1.answer", "draft"]


def test_a_request_on_the_side_keeps_the_mark_where_it_was() -> None:
    assert marks(requested(turns(5), frozen_mark_at="t2.answer")) == [None, "t2.answer"]


def test_a_frozen_mark_on_a_message_that_is_gone_is_not_set() -> None:
    assert marks(requested(turns(2), frozen_mark_at="t9.answer")) == [None]


def test_a_frozen_mark_does_not_switch_marks_on() -> None:
    assert marks(requested(turns(2), settings=KEEP_ALL, frozen_mark_at="t1.answer")) == []
