from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.asking import Answer, answer_of
from tests.providers.wires import wires
from windowpane.events import OpenKind, PartDelta, PartStarted
from windowpane.parts import Native, Text, ToolCall, ToolResult
from windowpane.providers.openai_responses_stream import OpenAIResponsesMapper
from windowpane.usage import TokenUsage

WIRE = wires("openai_responses")


def answered(blocks: Iterable[bytes]) -> Answer:
    mapper = OpenAIResponsesMapper(secrets=())
    events = [event for block in blocks for event in mapper.feed(block)]
    events += mapper.end()
    return answer_of(events, failure=mapper.failure)


def answered_whole(response: object) -> Answer:
    mapper = OpenAIResponsesMapper(secrets=())
    events = mapper.whole(msgspec.json.encode(response))
    return answer_of(events, failure=mapper.failure)


def line(event: dict[str, object]) -> bytes:
    return b"data: " + msgspec.json.encode(event) + b"\n\n"


@given(place=st.integers(0, len(WIRE["text"].body)))
def test_an_answer_that_is_cut_is_a_net_failure_with_the_text_so_far(place: int) -> None:
    body = WIRE["text"].body
    answer = answered([body[:place]])
    assert "Grüße, 世界 👋".startswith(answer.text)
    if place < len(body.rstrip()):
        assert answer.failure is not None
        assert answer.failure.kind == "net"
    else:
        assert answer.finish == "stop"


def test_what_arrives_together_is_told_as_one_delta() -> None:
    events = OpenAIResponsesMapper(secrets=()).feed(WIRE["text"].body)
    assert [event.text for event in events if isinstance(event, PartDelta)] == ["Grüße, 世界 👋"]


@pytest.mark.parametrize(
    ("kind", "name", "item", "delta"),
    [
        ("reasoning", "", {"type": "reasoning"}, "response.reasoning_summary_text.delta"),
        (
            "tool_call",
            "now",
            {"type": "function_call", "call_id": "call_a", "name": "now"},
            "response.function_call_arguments.delta",
        ),
    ],
)
def test_half_a_thought_or_call_is_told_but_never_done(
    kind: OpenKind, name: str, item: dict[str, object], delta: str
) -> None:
    mapper = OpenAIResponsesMapper(secrets=())
    events = mapper.feed(
        line({"type": "response.output_item.added", "output_index": 0, "item": item})
        + line({"type": delta, "output_index": 0, "delta": "half"})
    )
    events += mapper.end()
    assert mapper.failure is not None
    assert events == [PartStarted(kind=kind, name=name), PartDelta(text="half")]


CALLS = [
    ToolCall(call_id="call_a", name="weather", arguments='{"city":"Rome"}'),
    ToolCall(call_id="call_b", name="time", arguments='{"zone":"CET"}'),
    ToolCall(call_id="call_c", name="sum", arguments='{"n":[1,2,3,4]}'),
]


def events_of(call: ToolCall, *, index: int) -> list[bytes]:
    """One call: it begins, its arguments come in three pieces, it is done."""
    item = {"type": "function_call", "call_id": call.call_id, "name": call.name}
    done = item | {"arguments": call.arguments}
    deltas = [call.arguments[start : start + 6] for start in range(0, 18, 6)]
    return [
        line({"type": "response.output_item.added", "output_index": index, "item": item}),
        *(
            line(
                {
                    "type": "response.function_call_arguments.delta",
                    "output_index": index,
                    "delta": delta,
                }
            )
            for delta in deltas
        ),
        line({"type": "response.output_item.done", "output_index": index, "item": done}),
    ]


@given(st.permutations([0, 1, 2] * 5))
def test_items_interleave_in_any_order(order: list[int]) -> None:
    pieces = [iter(events_of(call, index=index)) for index, call in enumerate(CALLS)]
    end = line({"type": "response.completed", "response": {"status": "completed"}})
    answer = answered([*(next(pieces[index]) for index in order), end])
    plain = [msgspec.structs.replace(call, native=None) for call in answer.calls]
    assert plain == [CALLS[index] for index in dict.fromkeys(order)]
    assert all(call.native is not None for call in answer.calls)
    assert answer.finish == "tool_use"


def test_an_answer_in_one_piece_is_understood() -> None:
    item = {"id": "msg_1", "type": "message", "content": [{"type": "output_text", "text": "Yes."}]}
    usage = {"input_tokens": 3, "output_tokens": 4}
    answer = answered_whole({"status": "completed", "output": [item], "usage": usage})
    block = msgspec.json.encode(item).decode()
    assert answer.parts == (
        Text(text="Yes.", native=Native(family="openai_responses", block=block)),
    )
    assert answer.usage == TokenUsage(input_tokens=3, output_tokens=4)
    assert answer.finish == "stop"


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_an_answer_that_is_still_to_come_is_pending(status: str) -> None:
    assert answered_whole({"status": status, "output": []}).finish == "pending"


def test_an_error_in_a_good_answer_of_one_piece_is_told() -> None:
    answer = answered_whole({"error": {"code": "server_error", "message": "Out of order."}})
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.message) == ("server", "Out of order.")


def test_a_stream_that_is_not_declared_as_one_is_understood() -> None:
    mapper = OpenAIResponsesMapper(secrets=())
    answer = answer_of(mapper.whole(WIRE["text"].body), failure=mapper.failure)
    assert answer.text == "Grüße, 世界 👋"


@pytest.mark.parametrize("body", [b"It works!", b"{}", b"", b"[1]", b'{"output": 3}', b"\xff"])
def test_an_answer_in_one_piece_that_is_none_is_the_servers_fault(body: bytes) -> None:
    mapper = OpenAIResponsesMapper(secrets=())
    assert answer_of(mapper.whole(body)).finish is None
    assert mapper.failure is not None
    assert mapper.failure.kind == "server"


ODD_ITEMS: list[object] = [
    {},
    {"type": "message", "content": "bare"},
    {"type": "function_call", "arguments": {"a": 1}},
    {"type": "web_search_call", "action": "search"},
    {"type": "web_search_call", "action": None},
    {"type": "reasoning", "summary": [{"text": 3}]},
]


@pytest.mark.parametrize("item", ODD_ITEMS)
def test_an_odd_item_is_kept_as_it_came(item: object) -> None:
    answer = answered_whole({"status": "completed", "output": [item]})
    (part,) = answer.parts
    assert not isinstance(part, ToolResult)
    assert part.native is not None
    assert part.native.block == msgspec.json.encode(item).decode()


@pytest.mark.parametrize("item", [3, None, {"type": 3}])
def test_an_item_that_is_none_is_the_servers_fault(item: object) -> None:
    answer = answered_whole({"status": "completed", "output": [item]})
    assert answer.failure is not None
    assert answer.failure.kind == "server"


def test_a_key_in_an_error_of_the_stream_is_masked() -> None:
    mapper = OpenAIResponsesMapper(secrets=("sk-123",))
    mapper.feed(line({"type": "error", "code": "invalid_api_key", "message": "Bad sk-123."}))
    assert mapper.failure is not None
    assert (mapper.failure.kind, mapper.failure.message) == ("auth", "Bad [key].")
