from collections.abc import Iterable, Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.asking import Answer, answer_of
from tests.providers.wires import wires
from windowpane.events import PartDelta
from windowpane.parts import ServerTool, Text, ToolCall
from windowpane.providers.openai_chat_stream import ChatStreamMapper
from windowpane.usage import TokenUsage

WIRE = wires("openai_chat")


def answered(blocks: Iterable[bytes]) -> Answer:
    mapper = ChatStreamMapper(secrets=())
    events = [event for block in blocks for event in mapper.feed(block)]
    events += mapper.end()
    return answer_of(events, failure=mapper.failure)


@given(place=st.integers(0, len(WIRE["text"].body)))
def test_an_answer_that_is_cut_is_a_net_failure_with_the_text_so_far(place: int) -> None:
    body = WIRE["text"].body
    answer = answered([body[:place]])
    assert "Grüße, 世界 👋".startswith(answer.text)
    if b'"finish_reason":"stop"}]}' in body[:place]:
        assert answer.failure is None
    else:
        assert answer.failure is not None
        assert answer.failure.kind == "net"


def test_what_arrives_together_is_told_as_one_delta() -> None:
    events = ChatStreamMapper(secrets=()).feed(WIRE["text"].body)
    assert [event.text for event in events if isinstance(event, PartDelta)] == ["Grüße, 世界 👋"]


CALLS = [
    ToolCall(call_id="call_a", name="weather", arguments='{"city":"Rome"}'),
    ToolCall(call_id="call_b", name="time", arguments='{"zone":"CET"}'),
    ToolCall(call_id="call_c", name="sum", arguments='{"n":[1,2,3,4]}'),
]


def pieces_of(call: ToolCall, *, index: int) -> Iterator[bytes]:
    """The chunks of one call: its name first, then its arguments in four pieces."""
    name = {"name": call.name, "arguments": ""}
    yield chunk({"index": index, "id": call.call_id, "function": name})
    for start in range(0, 16, 4):
        arguments = {"arguments": call.arguments[start : start + 4]}
        yield chunk({"index": index, "function": arguments})


def chunk(tool_call: dict[str, object]) -> bytes:
    choice = {"index": 0, "delta": {"tool_calls": [tool_call]}}
    return b"data: " + msgspec.json.encode({"choices": [choice]}) + b"\n\n"


@given(st.permutations([0, 1, 2] * 5))
def test_parallel_calls_interleave_in_any_order(order: list[int]) -> None:
    pieces = [pieces_of(call, index=index) for index, call in enumerate(CALLS)]
    answer = answered([*(next(pieces[index]) for index in order), b"data: [DONE]\n\n"])
    assert answer.calls == [CALLS[index] for index in dict.fromkeys(order)]
    assert answer.finish == "tool_use"


def test_an_answer_in_one_piece_is_understood() -> None:
    body = b"""{"id": "1", "choices": [{"index": 0, "finish_reason": "stop", "message":
        {"role": "assistant", "reasoning": "Hm.", "content": "Yes."}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4}}"""
    mapper = ChatStreamMapper(secrets=())
    answer = answer_of(mapper.whole(body), failure=mapper.failure)
    assert (answer.reasoning, answer.text, answer.finish) == ("Hm.", "Yes.", "stop")
    assert answer.usage == TokenUsage(input_tokens=3, output_tokens=4)


def test_a_stream_that_is_not_declared_as_one_is_understood() -> None:
    mapper = ChatStreamMapper(secrets=())
    answer = answer_of(mapper.whole(WIRE["text"].body), failure=mapper.failure)
    assert answer.parts == (Text(text="Grüße, 世界 👋"),)


@pytest.mark.parametrize("body", [b"It works!", b"{}", b"", b"[1]"])
def test_an_answer_in_one_piece_that_is_none_is_the_servers_fault(body: bytes) -> None:
    mapper = ChatStreamMapper(secrets=())
    assert answer_of(mapper.whole(body)).finish is None
    assert mapper.failure is not None
    assert mapper.failure.kind == "server"


def test_a_key_in_an_error_of_the_stream_is_masked() -> None:
    mapper = ChatStreamMapper(secrets=("sk-123",))
    mapper.feed(b'data: {"error": {"message": "Bad key sk-123 given", "code": 401}}\n\n')
    assert mapper.failure is not None
    assert (mapper.failure.kind, mapper.failure.message) == ("auth", "Bad key [key] given")


def test_a_tool_that_ran_is_told_even_if_an_answer_in_one_piece_hides_its_output() -> None:
    body = b"""{"choices": [{"finish_reason": "stop", "message": {"content": "Sunny.",
        "executed_tools": [{"type": "search", "name": "web", "arguments": {"query": "x"}}]}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4}}"""
    mapper = ChatStreamMapper(secrets=())
    answer = answer_of(mapper.whole(body), failure=mapper.failure)
    ran = answer.parts[0]
    assert isinstance(ran, ServerTool)
    assert (ran.name, ran.arguments) == ("web", '{"query":"x"}')
    assert answer.usage == TokenUsage(input_tokens=3, output_tokens=4, web_searches=1)


def test_a_part_of_the_content_that_is_none_is_the_servers_fault() -> None:
    mapper = ChatStreamMapper(secrets=())
    mapper.feed(b'data: {"choices": [{"delta": {"content": [{"type": 1}]}}]}\n\n')
    assert mapper.failure is not None
    assert mapper.failure.kind == "server"
