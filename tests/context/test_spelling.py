"""Calls in words: where no tools are offered, past calls and results are plain text."""

from hypothesis import given as examples
from hypothesis import strategies as st
from msgspec import structs

from tests.context.histories import (
    KEEP_ALL,
    given,
    message,
    request_of,
    tool_round,
    turn,
)
from windowpane.context.plan import plan
from windowpane.context.spelling import spelled
from windowpane.messages import Message
from windowpane.parts import Reasoning, Text, ToolCall, ToolResult

SPELLED = structs.replace(KEEP_ALL, spells_calls=True)


def parts_of(messages: tuple[Message, ...]) -> list[list[str]]:
    return [[type(part).__name__ for part in one.parts] for one in messages]


def test_a_call_and_its_result_become_one_text_where_the_call_was() -> None:
    call = ToolCall(call_id="1", name="look", arguments='{"at": "door"}')
    result = ToolResult(call_id="1", name="look", text="It is open.")
    asking = message("call", "assistant", Reasoning(text="hm"), Text(text="I look."), call)
    answered, *rest = spelled([asking, message("result", "tool", result)])
    assert rest == []
    assert [part.text for part in answered.parts if isinstance(part, Text)] == [
        "I look.",
        '\n\n[called look: {"at": "door"}]\n[gave: It is open.]',
    ]
    assert parts_of((answered,)) == [["Text", "Text"]]


def test_a_failure_is_told_as_one_and_a_call_without_result_is_left_alone() -> None:
    failed = ToolResult(call_id="1", name="look", text="No door.", is_error=True)
    calls = message(
        "calls",
        "assistant",
        ToolCall(call_id="1", name="look", arguments=""),
        ToolCall(call_id="2", name="look", arguments=""),
    )
    [spoken] = spelled([calls, message("result", "tool", failed)])
    told, left = spoken.parts
    assert isinstance(told, Text)
    assert told.text == "[called look: {}]\n[failed: No door.]"
    assert isinstance(left, ToolCall)


def test_turns_without_calls_stay_the_same() -> None:
    plain = turn("t1").messages
    assert spelled(plain) == plain


def test_a_request_without_tools_has_no_calls_of_past_turns_or_of_this_one() -> None:
    history = [turn("t1", tool=50), turn("t2")]
    current = (message("ask", "user", Text(text="go")), *tool_round("now", result="done"))
    ready = plan(structs.replace(given(history), settings=SPELLED, current=current))
    request = request_of(ready, history)
    assert "Tool" not in str(parts_of(request.messages))
    assert "r" * 50 in request.messages[1].text
    assert "[gave: done]" in request.messages[-1].text


@examples(st.lists(st.integers(min_value=0, max_value=3), max_size=6))
def test_spelling_twice_changes_nothing_more(rounds: list[int]) -> None:
    messages = [message("ask", "user", Text(text="go"))]
    for number, size in enumerate(rounds):
        messages += tool_round(f"r{number}", result="x" * size, call_id="same")
    once = spelled(messages)
    assert spelled(once) == once
