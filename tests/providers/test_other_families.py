"""What one family said goes to every other in its plain form, as if it had never been native."""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import cast

import msgspec
import pytest
from msgspec import structs

from tests.providers.asking import say
from tests.providers.recordings import dialect_for, recordings
from tests.providers.scenes import LOOK, Wire
from tests.providers.test_recordings import heard
from tests.providers.test_wire import MODELS, REMOTE
from tests.providers.wires import wires
from windowpane.context.emission import WHOLE, emitted
from windowpane.context.request import ModelRequest
from windowpane.definitions import Family
from windowpane.messages import Message
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import (
    Native,
    Opaque,
    Part,
    Reasoning,
    ServerTool,
    Text,
    ToolCall,
    ToolResult,
)

every_pair = pytest.mark.parametrize(("source", "target"), list(permutations(REMOTE, 2)))


def answers(source: Family) -> Iterator[tuple[Part, ...]]:
    """What servers of this family have said, in fixtures and recordings."""
    for wire in wires(source).values():
        yield wire.answer.parts
    for recording in recordings():
        if recording.family == source and recording.response_status < 400:
            yield heard(recording, block_bytes=10**9).parts


def continued(parts: tuple[Part, ...], *, target: Family) -> ModelRequest:
    """A conversation that goes on with another family after this answer."""
    calls = [part for part in parts if isinstance(part, ToolCall)]
    results = [ToolResult(call_id=one.call_id, name=one.name, text="So.") for one in calls]
    turn = (
        say("rec_1", "user", Text(text="Hi")),
        say("rec_2", "assistant", *parts),
        say("rec_3", "tool", *results),
        say("rec_4", "assistant", Text(text="It is so.")),
    )
    return ModelRequest(
        model=MODELS[target],
        system="Be exact.",
        messages=(*emitted(turn, WHOLE), say("rec_5", "user", Text(text="And?"))),
        tools=(LOOK,),
        options=RequestOptions(reasoning=ReasoningOptions(effort="high")),
    )


def is_plain(part: Part) -> bool:
    return not isinstance(part, ServerTool | Opaque)


def without_native(part: Part) -> Part:
    if isinstance(part, ToolResult | ServerTool | Opaque):
        return part
    return structs.replace(part, native=None)


def plain(message: Message) -> Message:
    parts = tuple(without_native(part) for part in message.parts if is_plain(part))
    return structs.replace(message, parts=parts)


def body(asking: ModelRequest, *, target: Family) -> bytes:
    return dialect_for(target).to_wire(asking).body


@every_pair
def test_nothing_of_a_foreign_block_is_in_the_request(source: Family, target: Family) -> None:
    for parts in answers(source):
        asking = continued(parts, target=target)
        plainly = structs.replace(asking, messages=tuple(map(plain, asking.messages)))
        assert body(asking, target=target) == body(plainly, target=target)


def chat_calls(told: Wire) -> Iterator[tuple[str, object]]:
    for one in cast("list[Wire]", told["messages"]):
        for call in cast("list[dict[str, dict[str, str]]]", one.get("tool_calls", [])):
            yield call["function"]["name"], msgspec.json.decode(call["function"]["arguments"])


def responses_calls(told: Wire) -> Iterator[tuple[str, object]]:
    for item in cast("list[dict[str, str]]", told["input"]):
        if item.get("type") == "function_call":
            yield item["name"], msgspec.json.decode(item["arguments"])


def anthropic_calls(told: Wire) -> Iterator[tuple[str, object]]:
    for one in cast("list[Wire]", told["messages"]):
        for block in cast("list[Wire]", one["content"]):
            if block["type"] == "tool_use":
                yield str(block["name"]), block["input"]


def bedrock_calls(told: Wire) -> Iterator[tuple[str, object]]:
    for one in cast("list[Wire]", told["messages"]):
        for block in cast("list[dict[str, dict[str, str]]]", one["content"]):
            if call := block.get("toolUse"):
                yield call["name"], call["input"]


def google_calls(told: Wire) -> Iterator[tuple[str, object]]:
    for one in cast("list[Wire]", told["contents"]):
        for part in cast("list[dict[str, dict[str, str]]]", one["parts"]):
            if call := part.get("functionCall"):
                yield call["name"], call["args"]


CALLS: dict[Family, Callable[[Wire], Iterator[tuple[str, object]]]] = {
    "openai_chat": chat_calls,
    "openai_responses": responses_calls,
    "anthropic": anthropic_calls,
    "bedrock": bedrock_calls,
    "google": google_calls,
}


def given(arguments: str) -> object:
    try:
        return msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        return None


@every_pair
def test_words_and_calls_are_in_the_request_as_what_they_are(
    source: Family, target: Family
) -> None:
    has_calls = False
    for parts in answers(source):
        told = body(continued(parts, target=target), target=target)
        texts = [part.text for part in parts if isinstance(part, Text) and part.text.strip()]
        assert all(msgspec.json.encode(text)[1:-1] in told for text in texts)
        calls = [part for part in parts if isinstance(part, ToolCall)]
        if all(isinstance(given(call.arguments), dict) for call in calls):
            sent = list(CALLS[target](msgspec.json.decode(told)))
            assert sent == [(call.name, given(call.arguments)) for call in calls]
        has_calls = has_calls or len(calls) > 1
    assert has_calls, "every family has a fixture with parallel calls"


@pytest.mark.parametrize("family", REMOTE)
def test_the_same_family_gets_its_own_blocks(family: Family) -> None:
    """Else the tests above would hold for an adapter that forgets everything."""
    block = {
        "openai_chat": '{"reasoning_content":"SIGNED"}',
        "openai_responses": '{"type":"reasoning","encrypted_content":"SIGNED"}',
        "anthropic": '{"type":"thinking","thinking":"","signature":"SIGNED"}',
        "bedrock": '{"reasoningContent":{"redactedContent":"SIGNED"}}',
        "google": '[{"text":"","thought":true,"thoughtSignature":"SIGNED"}]',
    }[family]
    speech = '{"type":"message","content":[]}'
    thought = Reasoning(text="", native=Native(family=family, block=block))
    led_to = Native(family=family, block=speech) if family == "openai_responses" else None
    asking = continued((thought, Text(text="So.", native=led_to)), target=family)
    assert b"SIGNED" in body(asking, target=family)
