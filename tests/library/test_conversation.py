"""From a list of messages to what is sent of it, in five lines and without a store."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.library.conversations import WINDOWS
from windowpane import (
    ContextSettings,
    Conversation,
    FilterError,
    InvalidInput,
    PromptTooLarge,
    count,
)
from windowpane.library.reading import Json

MODEL = "gpt-4o"


def windows() -> Conversation:
    return Conversation.from_openai(WINDOWS)


def long(turns: int) -> Conversation:
    """Turns of 55 tokens each, and a question of 6."""
    messages: list[Json] = []
    for _ in range(turns):
        messages.append({"role": "user", "content": "a " * 45 + "b"})
        messages.append({"role": "assistant", "content": "Yes"})
    return Conversation.from_openai([*messages, {"role": "user", "content": "And?"}])


def test_text_is_counted_as_the_model_would() -> None:
    assert count("hello world", model=MODEL) == 2
    assert count("", model=MODEL) == 0


def test_a_conversation_knows_its_turns_and_its_weight() -> None:
    conversation = windows()
    assert (len(conversation), repr(conversation)) == (2, "<Conversation of 2 turns>")
    assert conversation.count(MODEL) == 62


def test_what_waits_for_an_answer_is_asked_now_and_no_turn() -> None:
    assert [one.text for one in windows().current] == ["Which is easier to clean?"]


def test_a_conversation_that_is_answered_asks_nothing() -> None:
    answered = Conversation.from_openai(WINDOWS[:-1])
    assert (len(answered), answered.current) == (2, ())


def test_everything_that_fits_is_sent_as_it_was_given() -> None:
    conversation = windows()
    assert conversation.to_openai(conversation.plan(MODEL)) == WINDOWS


def test_what_is_sent_whole_is_the_object_that_was_given() -> None:
    conversation = windows()
    sent = conversation.to_openai(conversation.plan(MODEL))
    assert all(one is given for one, given in zip(sent, WINDOWS, strict=True))


def test_a_plan_says_what_it_is() -> None:
    plan = windows().plan(MODEL)
    assert repr(plan) == "<Plan 2 / 2 turns, 62 tokens for gpt-4o>"
    assert (plan.tokens, plan.turns, plan.counter) == (62, [1, 2], "2 / 2")
    assert plan.is_sendable
    assert plan.left_out == "Nothing is left out."


def test_a_limit_of_one_s_own_is_filled_exactly() -> None:
    assert windows().plan(MODEL, max_tokens=62).turns == [1, 2]
    assert windows().plan(MODEL, max_tokens=61).turns == [2]


def test_one_s_own_limit_cannot_be_looser_than_the_model_s() -> None:
    plan = windows().plan("gpt-5", max_tokens=10**7)
    assert plan.context.budget.usable_tokens == windows().plan("gpt-5").context.budget.usable_tokens


def test_the_oldest_turns_are_left_out_and_the_rest_goes_verbatim() -> None:
    conversation = windows()
    sent = conversation.to_openai(conversation.plan(MODEL, max_tokens=45))
    assert sent == [WINDOWS[0], *WINDOWS[3:]]


def test_every_turn_says_why_it_is_in_or_out() -> None:
    plan = long(100).plan(MODEL, max_tokens=10 * 55)
    assert plan.why(100) == "Turn 100 is sent: it fits."
    assert plan.why(91) == "Turn 91 is not sent: it made room for this message."
    assert plan.why(1) == "Turn 1 is not sent: it does not fit the budget."


@pytest.mark.parametrize("turn", [0, 3, -1])
def test_a_turn_that_is_not_there_has_no_reason(turn: int) -> None:
    with pytest.raises(InvalidInput, match=rf"There is no turn {turn}; there are 2."):
        windows().plan(MODEL).why(turn)


def test_the_explanation_can_be_printed() -> None:
    assert windows().plan(MODEL).explain().splitlines()[0] == (
        "gpt-4o: 2 / 2 turns, 62 of 105,216 usable tokens (0 %)."
    )


def test_a_model_that_nobody_knows_has_no_limit_and_says_so() -> None:
    plan = windows().plan("my-own-model")
    assert plan.turns == [1, 2]
    assert "nobody said how many my-own-model takes" in plan.explain()


def test_a_draft_comes_after_the_messages() -> None:
    conversation = Conversation.from_openai(WINDOWS[:-1])
    plan = conversation.plan(MODEL, draft="Which is warmer?")
    assert conversation.to_openai(plan)[-1] == {"role": "user", "content": "Which is warmer?"}


def test_a_prompt_that_is_too_large_is_refused_with_a_reason() -> None:
    conversation = windows()
    plan = conversation.plan(MODEL, draft="pane " * 100, max_tokens=50)
    assert not plan.is_sendable
    with pytest.raises(PromptTooLarge, match="are left beside what is in every request"):
        conversation.to_openai(plan)


def test_pinned_turns_stay_and_skipped_turns_go() -> None:
    conversation = windows()
    assert conversation.pin(1).plan(MODEL, max_tokens=45).turns == [1]
    assert conversation.skip(2).plan(MODEL).turns == [1]
    assert conversation.pin(1).skip(1).plan(MODEL).turns == [2]


def test_marks_give_a_new_conversation_and_leave_the_old_one() -> None:
    conversation = windows()
    conversation.skip(1)
    assert conversation.plan(MODEL).turns == [1, 2]


def test_a_turn_that_is_not_there_cannot_be_marked() -> None:
    with pytest.raises(InvalidInput, match="There is no turn 7; there are 2"):
        windows().pin(7)
    with pytest.raises(InvalidInput, match="0 to 3 stars, not 4"):
        windows().star(1, stars=4)


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", [1, 2]), ("r1", [2]), ("c'SASH'", [1]), ("s2", [1]), ("p", [2]), ("!p", [1]), ("k", [])],
)
def test_filters_choose_turns(query: str, expected: list[int]) -> None:
    assert windows().star(1, stars=2).pin(2).filter(query) == expected


def test_only_what_a_filter_shows_is_sent() -> None:
    conversation = windows()
    plan = conversation.plan(MODEL, filter="c'casement'")
    assert conversation.to_openai(plan) == [WINDOWS[0], *WINDOWS[3:]]
    assert plan.why(1) == "Turn 1 is not sent: the filter hides it."


def test_o_asks_what_a_model_would_be_sent() -> None:
    conversation = long(2000)
    in_context = conversation.filter("o", model=MODEL)
    assert in_context == conversation.plan(MODEL).turns
    assert len(conversation.filter("o")) == 2000


def test_a_filter_that_cannot_be_read_points_at_the_place() -> None:
    with pytest.raises(FilterError, match="at column 3"):
        windows().filter("r1)")


@pytest.mark.parametrize(
    ("query", "noun"), [("d<7d", "time"), ("m'gpt*'", "model"), ("r1 | !(t'AI')", "topic")]
)
def test_a_filter_cannot_ask_for_what_messages_do_not_carry(query: str, noun: str) -> None:
    with pytest.raises(InvalidInput, match=f"carry no {noun}"):
        windows().filter(query)


def test_the_price_of_a_plan_is_that_of_its_tokens() -> None:
    cost = windows().plan(MODEL).price(output_tokens=1000)
    assert cost.known_usd == Decimal("2.5") * 62 / 10**6 + Decimal(10) * 1000 / 10**6
    assert not cost.is_unreliable


def test_an_unknown_price_is_unknown_and_not_zero() -> None:
    assert windows().plan("my-own-model").price(output_tokens=10).is_unknown


def test_a_summary_stands_for_the_turns_before() -> None:
    conversation = windows().summarised("They spoke of windows.", through=1)
    plan = conversation.plan(MODEL)
    assert conversation.to_openai(plan) == [
        WINDOWS[0],
        {
            "role": "system",
            "content": "Previous Conversation Summary:\nThey spoke of windows.",
        },
        *WINDOWS[3:],
    ]
    assert plan.why(1) == "Turn 1 is not sent: the summary stands for it."


def test_a_transcript_is_there_to_be_summarised() -> None:
    assert windows().transcript().startswith("[USER]\nWhat is a sash window?\n\n[ASSISTANT]\n")


def test_long_conversations_keep_their_beginning_for_many_turns() -> None:
    starts = {long(turns).plan("gpt-3.5-turbo").turns[0] for turns in range(230, 250)}
    assert len(starts) <= 2


def test_settings_decide_how_the_budget_is_filled() -> None:
    settings = ContextSettings(cache_mode="all-off")
    starts = {
        long(turns).plan("gpt-3.5-turbo", settings=settings).turns[0] for turns in range(230, 250)
    }
    assert len(starts) == 20


def test_a_plan_of_another_conversation_makes_no_messages() -> None:
    with pytest.raises(InvalidInput, match="made of another conversation"):
        windows().to_openai(long(2).plan(MODEL))


def test_an_empty_list_is_an_empty_conversation() -> None:
    empty = Conversation.from_openai([])
    assert (len(empty), empty.to_openai(empty.plan(MODEL))) == (0, [])
