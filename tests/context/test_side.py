"""Requests on the side: in place or as a transcript, whichever is cheaper."""

from __future__ import annotations

from decimal import Decimal

from msgspec import structs

from tests.context.histories import (
    CACHED,
    NOW,
    budget,
    given,
    message,
    request_of,
    turn,
    turns,
)
from windowpane.catalog.prices import PriceSnapshot, Rate, unknown_price
from windowpane.context.diff import prefix_diff
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.side import aside_message, cached_prefix_tokens, cheaper, offer
from windowpane.context.transcript import transcript
from windowpane.parts import Reasoning, Text

HISTORY = turns(10)
ASKED = structs.replace(given(HISTORY), settings=CACHED, system="Be brief.")
INSTRUCTION = message("ask", "user", Text(text="Give this chat a title."))
IN_PLACE = structs.replace(ASKED, current=(INSTRUCTION,))


def price(input_usd: str, *, cache_read_usd: str | None = None) -> PriceSnapshot:
    return PriceSnapshot(
        model="m",
        taken_at=NOW,
        source="manual",
        match="exact",
        input=Rate(Decimal(input_usd)),
        output=Rate(Decimal(0)),
        cache_read=Rate(Decimal(cache_read_usd)) if cache_read_usd else None,
    )


def cached_tokens(made: ContextPlan, marked_at: str | None) -> int:
    by_id = {content.turn.id: content for content in HISTORY}
    return cached_prefix_tokens(made, by_id, marked_at=marked_at)


def test_in_place_repeats_the_chat_s_own_prefix_and_adds_the_instruction() -> None:
    answer = request_of(plan(ASKED), HISTORY)
    side = request_of(plan(IN_PLACE), HISTORY, frozen_mark_at="t10.ask")
    assert prefix_diff(answer, side).broke_at is None
    assert side.messages[-1] == INSTRUCTION
    assert [mark.after_message_id for mark in side.marks] == [None, "t10.ask"]


def test_a_transcript_holds_the_conversation_in_one_message() -> None:
    asked = aside_message("transcript", "Give it a title.", turn("t1", 20))
    assert asked.text == (
        f"Give it a title.\n\n<conversation>\n{transcript([turn('t1', 20)])}\n</conversation>"
    )
    assert aside_message("in_place", "Give it a title.", turn("t1")).text == ("Give it a title.")


def test_a_transcript_names_speakers_and_tools_and_leaves_reasoning_out() -> None:
    said = turn("t1", 20, tool=4)
    answer = message("a", "assistant", Reasoning(text="hm"), Text(text="Done."))
    said = structs.replace(said, messages=(*said.messages[:3], answer))
    assert transcript([said]) == (
        "[USER]\naaaaaa\n\n"
        "[ASSISTANT]\n<tool_call name='look'>\n{}\n</tool_call>\n\n"
        "[TOOL]\n<tool_result name='look'>\nrrrr\n</tool_result>\n\n"
        "[ASSISTANT]\nDone."
    )


def test_a_turn_without_words_is_no_part_of_a_transcript() -> None:
    silent = message("a", "assistant", Reasoning(text="hm"))
    assert transcript([structs.replace(turn("t1"), messages=(silent,))]) == ""


def test_what_a_mark_has_cached_is_read_again() -> None:
    made = plan(IN_PLACE)
    assert cached_tokens(made, "t4.answer") == made.fixed.system_tokens + 400
    assert cached_tokens(made, "gone") == 0
    assert cached_tokens(made, None) == 0


def test_a_warm_cache_makes_in_place_cheaper() -> None:
    here = plan(IN_PLACE)
    near = offer(
        "in_place",
        here,
        price=price("10", cache_read_usd="1"),
        cached_tokens=cached_tokens(here, "t10.answer"),
        output_tokens=20,
    )
    far = offer("transcript", here, price=price("2"), cached_tokens=0, output_tokens=20)
    assert cheaper((far, near)) == near


def test_a_cold_cache_makes_the_cheap_model_cheaper() -> None:
    here = plan(IN_PLACE)
    near = offer("in_place", here, price=price("10"), cached_tokens=0, output_tokens=20)
    far = offer("transcript", here, price=price("2"), cached_tokens=0, output_tokens=20)
    assert cheaper((near, far)) == far


def test_a_known_price_beats_an_unknown_one() -> None:
    here = plan(IN_PLACE)
    known = offer("in_place", here, price=price("100"), cached_tokens=0, output_tokens=20)
    unknown = offer(
        "transcript",
        here,
        price=unknown_price("m", taken_at=NOW),
        cached_tokens=0,
        output_tokens=20,
    )
    assert cheaper((unknown, known)) == known


def test_what_cannot_be_sent_is_no_offer() -> None:
    tight = structs.replace(IN_PLACE, budget=budget(20))
    made = plan(tight)
    offered = offer("in_place", made, price=price("1"), cached_tokens=0, output_tokens=0)
    assert cheaper((offered,)) is None
