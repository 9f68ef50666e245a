"""Which parts of a turn go out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from tests.context.histories import message, signature, tool_round
from windowpane.context.emission import WHOLE, emitted
from windowpane.context.retention import BOTH, REASONING, TOOLS
from windowpane.messages import Message
from windowpane.parts import Image, Native, Part, Reasoning, Text, ToolCall, ToolResult

ASK = message("ask", "user", Text(text="What is in the file?"))
THOUGHT = Reasoning(text="I should look.")
CALL = ToolCall(call_id="1", name="look", arguments="{}")
RESULT = ToolResult(call_id="1", name="look", text="A poem.")
ANSWER = message("answer", "assistant", Reasoning(text="So."), Text(text="A poem."))
TURN = (
    ASK,
    message("call", "assistant", THOUGHT, Text(text="I look."), CALL),
    message("result", "tool", RESULT),
    ANSWER,
)


def kinds(messages: Sequence[Message]) -> list[list[type[Part]]]:
    return [[type(part) for part in one.parts] for one in messages]


def test_the_images_that_a_tool_gave_go_with_its_result() -> None:
    picture = Image(media_type="image/png", data="aGk=")
    asking, answered = tool_round("one", result="seen")
    shown = structs.replace(answered, parts=(*answered.parts, picture))
    assert emitted([asking, shown], WHOLE)[-1].parts == shown.parts
    assert emitted([asking, shown], TOOLS) == ()


def test_a_whole_turn_goes_out_unchanged() -> None:
    assert emitted(TURN, WHOLE) == TURN


def test_reasoning_goes_and_everything_else_stays() -> None:
    assert kinds(emitted(TURN, REASONING)) == [[Text], [Text, ToolCall], [ToolResult], [Text]]


def test_call_and_result_go_together_and_what_was_said_stays() -> None:
    assert kinds(emitted(TURN, TOOLS)) == [[Text], [Text], [Reasoning, Text]]


def test_reasoning_that_led_to_a_call_goes_with_the_call() -> None:
    assert THOUGHT not in emitted(TURN, TOOLS)[1].parts


def test_only_what_was_said_is_left_when_both_go() -> None:
    assert [one.text for one in emitted(TURN, BOTH)] == [ASK.text, "I look.", "A poem."]


def test_a_call_without_a_result_is_not_sent() -> None:
    assert emitted(TURN[:2], WHOLE)[1].parts == (Text(text="I look."),)


def test_a_result_without_a_call_is_not_sent() -> None:
    assert emitted((ASK, TURN[2], ANSWER), WHOLE) == (ASK, ANSWER)


def test_a_result_before_its_call_does_not_answer_it() -> None:
    assert emitted((ASK, TURN[2], message("call", "assistant", CALL)), WHOLE) == (ASK,)


def test_of_parallel_calls_only_the_answered_are_sent() -> None:
    other = ToolCall(call_id="2", name="look", arguments="{}")
    calls = message("call", "assistant", CALL, other)
    assert emitted((ASK, calls, TURN[2]), WHOLE)[1].parts == (CALL,)


def test_servers_that_count_their_calls_anew_in_each_round_keep_their_rounds() -> None:
    rounds = [
        *tool_round("one", result="first", call_id="call_0"),
        *tool_round("two", result="second", call_id="call_0"),
    ]
    assert emitted((ASK, *rounds), WHOLE) == (ASK, *rounds)


def test_the_open_call_of_a_reused_id_is_not_sent() -> None:
    first = tool_round("one", result="first", call_id="call_0")
    stopped = message("two", "assistant", ToolCall(call_id="call_0", name="look", arguments=""))
    assert emitted((ASK, *first, stopped), WHOLE) == (ASK, *first)


def test_a_second_result_for_one_call_is_not_sent() -> None:
    again = message("again", "tool", RESULT)
    assert emitted((*TURN[:3], again, ANSWER), WHOLE) == TURN


def test_blank_texts_are_not_sent() -> None:
    blank = message("blank", "assistant", Text(text=" \n"), Reasoning(text=""))
    assert emitted((ASK, blank), WHOLE) == (ASK,)


def test_a_block_that_is_all_signature_goes_back() -> None:
    signed = message("signed", "assistant", signature(), Text(text="Yes."))
    assert emitted((ASK, signed), WHOLE) == (ASK, signed)


def test_an_unknown_block_without_text_goes_back() -> None:
    unknown = Text(text="", native=Native(family="anthropic", block='{"type":"new"}'))
    kept = message("kept", "assistant", unknown)
    assert emitted((ASK, kept), BOTH) == (ASK, kept)


def test_a_turn_that_was_nothing_but_tools_leaves_its_question() -> None:
    turn = (ASK, *tool_round("one", result="data"))
    assert emitted(turn, TOOLS) == (ASK,)
