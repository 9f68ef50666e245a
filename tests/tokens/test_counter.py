"""What a text, a part, a message, a system text, a tool and an attachment weigh."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens.texts import TEXTS, message
from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.parts import Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.tokens import (
    MESSAGE_OVERHEAD_TOKENS,
    CharsEstimate,
    Counter,
    TokenCache,
    counter_for,
)
from windowpane.usage import TokenUsage

MODEL = "openai/gpt-4o"


def counter() -> Counter:
    return counter_for(MODEL, cache=TokenCache(max_entries=1000))


def unchanged(message: Message) -> int:
    return counter().message(message, sent=message.parts)


def test_a_message_costs_four_tokens_more_than_its_parts() -> None:
    parts = (Text(text="Hello, world!"), Text(text="And you?"))
    expected = 4 + sum(counter().part(part) for part in parts)
    assert unchanged(message(*parts)) == expected


def test_a_control_token_written_by_a_person_is_plain_text() -> None:
    assert counter().text("<|endoftext|>") == 7


def test_a_tool_call_is_counted_as_compact_json() -> None:
    call = ToolCall(call_id="c1", name="search", arguments='{ "q": "rain",\n  "n": 3 }')
    as_json = '{"id":"c1","name":"search","arguments":{"q":"rain","n":3}}'
    assert counter().part(call) == counter().text(as_json)


def test_arguments_that_are_no_json_are_counted_as_the_text_they_are() -> None:
    call = ToolCall(call_id="c1", name="search", arguments='{"q": "ra')
    as_json = '{"id":"c1","name":"search","arguments":"{\\"q\\": \\"ra"}'
    assert counter().part(call) == counter().text(as_json)


def test_the_text_of_a_tool_result_is_counted_as_the_model_reads_it() -> None:
    text = 'def f():\n\treturn "x"\n' * 20
    result = ToolResult(call_id="c1", name="read", text=text)
    envelope = counter().text('{"id":"c1","name":"read"}')
    assert counter().part(result) == envelope + counter().text(text)


def test_an_attachment_is_counted_by_name_type_and_size() -> None:
    weight = counter().attachment(name="cat.png", media_type="image/png", size_bytes=2048)
    assert weight == counter().text('{"name":"cat.png","type":"image/png","size":2048}')


def test_an_empty_system_text_is_not_sent_and_weighs_nothing() -> None:
    assert counter().system("") == 0
    assert counter().system("Be brief.") == MESSAGE_OVERHEAD_TOKENS + counter().text("Be brief.")


def test_the_weights_of_single_tools_add_up_to_the_weight_of_all() -> None:
    tools = [{"name": name, "description": "d" * 50, "schema": {"type": "object"}} for name in "ab"]
    one = counter().text(msgspec.json.encode(tools[0]).decode())
    assert counter().tool(tools[0]) == one
    assert counter().tools(tools) == sum(counter().tool(tool) for tool in tools)


def test_half_a_character_is_refused_with_the_place_to_look() -> None:
    with pytest.raises(InvalidInput, match="near 'before '"):
        counter().text("before \ud83d after")


def test_the_chars_estimate_rounds_up_and_gives_nothing_for_nothing() -> None:
    estimate = Counter(MODEL, tokenizer=CharsEstimate(3.5), cache=TokenCache(max_entries=1))
    assert [estimate.text("x" * length) for length in (0, 1, 7, 8)] == [0, 1, 2, 3]


# What the provider reported

ANSWER = (Text(text="It rains in Oslo, and it will go on raining until the evening."),)


def answered(parts: tuple[Part, ...], *, model: str, usage: TokenUsage) -> Message:
    return message(*parts, role="assistant", model=model, usage=usage)


def test_an_unchanged_answer_has_the_size_its_model_reported() -> None:
    usage = TokenUsage(input_tokens=9000, output_tokens=120, reasoning_tokens=100)
    assert unchanged(answered(ANSWER, model=MODEL, usage=usage)) == 4 + 20


def test_another_model_counts_the_answer_itself() -> None:
    usage = TokenUsage(output_tokens=120, reasoning_tokens=100)
    counted = 4 + counter().part(ANSWER[0])
    assert unchanged(answered(ANSWER, model="openai/gpt-5", usage=usage)) == counted


def test_a_shortened_answer_is_counted_and_not_taken_from_the_record() -> None:
    stored = answered(ANSWER, model=MODEL, usage=TokenUsage(output_tokens=500))
    sent = (Text(text="It rains."),)
    assert counter().message(stored, sent=sent) == 4 + counter().part(sent[0])


def test_reasoning_that_is_sent_back_weighs_what_it_says() -> None:
    thought = Reasoning(text="Oslo is in Norway.")
    usage = TokenUsage(output_tokens=120, reasoning_tokens=100)
    stored = answered((thought, *ANSWER), model=MODEL, usage=usage)
    assert counter().message(stored, sent=ANSWER) == 4 + 20
    assert counter().message(stored, sent=stored.parts) == 4 + 20 + counter().part(thought)


def test_reasoning_not_reported_apart_is_part_of_the_record_only_if_it_is_sent() -> None:
    thought = Reasoning(text="Oslo is in Norway.")
    stored = answered((thought, *ANSWER), model=MODEL, usage=TokenUsage(output_tokens=77))
    assert counter().message(stored, sent=stored.parts) == 4 + 77
    assert counter().message(stored, sent=ANSWER) == 4 + counter().part(ANSWER[0])


def test_a_report_of_nothing_but_reasoning_says_nothing_about_the_text() -> None:
    usage = TokenUsage(output_tokens=100, reasoning_tokens=100)
    counted = 4 + counter().part(ANSWER[0])
    assert unchanged(answered(ANSWER, model=MODEL, usage=usage)) == counted


@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_the_reported_input_of_a_request_never_counts_for_a_message(texts: list[str]) -> None:
    """The input covers the whole history: given to each message, it would count it twice over."""
    ours = counter()
    history = [message(Text(text=text)) for text in texts]
    total = sum(ours.message(said, sent=said.parts) for said in history)
    usage = TokenUsage(input_tokens=total, output_tokens=20)
    reply = answered(ANSWER, model=MODEL, usage=usage)
    everything = [
        *(msgspec.structs.replace(said, usage=usage) for said in history),
        reply,
    ]
    assert sum(ours.message(said, sent=said.parts) for said in everything) == total + 4 + 20
