import msgspec
import pytest

from tests.providers.asking import Answer, answer_of
from tests.providers.frames import event, exception, wrapped
from tests.providers.recordings import dialect_for
from windowpane.definitions import ProviderDefinition
from windowpane.parts import Citation, Native, Opaque, Reasoning, Text, ToolCall
from windowpane.providers.choose import dialect_of
from windowpane.usage import TokenUsage


def padded(kind: str, payload: dict[str, object]) -> bytes:
    return event(kind, {**payload, "p": "abc"})


def delta(index: int, change: dict[str, object]) -> bytes:
    return padded("contentBlockDelta", {"contentBlockIndex": index, "delta": change})


def stop(index: int) -> bytes:
    return padded("contentBlockStop", {"contentBlockIndex": index})


def call(index: int, id: str, name: str, arguments: str) -> bytes:
    start = {"toolUse": {"toolUseId": id, "name": name}}
    return (
        padded("contentBlockStart", {"contentBlockIndex": index, "start": start})
        + delta(index, {"toolUse": {"input": arguments}})
        + stop(index)
    )


def ended(reason: str) -> bytes:
    usage = {"inputTokens": 10, "outputTokens": 7, "cacheReadInputTokens": 3}
    return padded("messageStop", {"stopReason": reason}) + padded("metadata", {"usage": usage})


def native(block: object) -> Native:
    return Native(family="bedrock", block=msgspec.json.encode(block).decode())


def answered(body: bytes, *, block_bytes: int = 10**9) -> Answer:
    mapper = dialect_for("bedrock").mapper()
    events = [
        event
        for start in range(0, len(body), block_bytes)
        for event in mapper.feed(body[start : start + block_bytes])
    ]
    events += mapper.end()
    return answer_of(events, failure=mapper.failure)


@pytest.mark.parametrize("block_bytes", [10**9, 1, 61])
def test_thoughts_text_and_calls_are_told_in_order_with_their_blocks(block_bytes: int) -> None:
    body = (
        delta(0, {"reasoningContent": {"text": "Hm."}})
        + delta(0, {"reasoningContent": {"signature": "c2ln"}})
        + stop(0)
        + delta(1, {"text": "Let me "})
        + delta(1, {"text": "look."})
        + stop(1)
        + call(2, "t1", "look", '{"at":"it"}')
        + call(3, "t2", "wait", "")
        + ended("tool_use")
    )
    answer = answered(body, block_bytes=block_bytes)
    thought = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
    first = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"at": "it"}}}
    nothing: dict[str, object] = {}
    second = {"toolUse": {"toolUseId": "t2", "name": "wait", "input": nothing}}
    assert answer.parts == (
        Reasoning(text="Hm.", native=native(thought)),
        Text(text="Let me look."),
        ToolCall(call_id="t1", name="look", arguments='{"at":"it"}', native=native(first)),
        ToolCall(call_id="t2", name="wait", arguments="", native=native(second)),
    )
    assert answer.finish == "tool_use"
    assert answer.usage == TokenUsage(input_tokens=10, output_tokens=7, cache_read_tokens=3)


def test_a_sealed_thought_and_a_block_nobody_knows_are_kept() -> None:
    body = (
        delta(0, {"reasoningContent": {"redactedContent": "c2VhbGVk"}})
        + stop(0)
        + delta(1, {"novelty": {"a": 1}})
        + stop(1)
        + ended("end_turn")
    )
    sealed = {"reasoningContent": {"redactedContent": "c2VhbGVk"}}
    assert answered(body).parts == (
        Reasoning(text="", native=native(sealed)),
        Opaque(kind="novelty", native=native({"novelty": {"a": 1}})),
    )


@pytest.mark.parametrize(
    ("pieces", "sealed"),
    [(("YQ==", "Yg=="), "YWI="), (("c2VhbGVk",), "c2VhbGVk"), (("YQ==", "no base64"), None)],
)
def test_a_sealed_thought_that_came_in_pieces_is_one(
    pieces: tuple[str, ...], sealed: str | None
) -> None:
    body = b"".join(delta(0, {"reasoningContent": {"redactedContent": one}}) for one in pieces)
    block = {"reasoningContent": {"redactedContent": sealed}}
    expected = Reasoning(text="", native=native(block) if sealed else None)
    assert answered(body + stop(0) + ended("end_turn")).parts == (expected,)


def test_an_exception_in_the_stream_keeps_the_text_and_says_why() -> None:
    broken = exception("throttlingException", {"message": "Too many requests"})
    answer = answered(delta(0, {"text": "So far"}) + broken)
    assert answer.text == "So far"
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.message) == ("quota", "Too many requests")


def test_a_stream_that_ends_too_early_is_cut() -> None:
    answer = answered(
        delta(0, {"text": "So far"}) + padded("messageStop", {"stopReason": "end_turn"})
    )
    assert answer.text == "So far"
    assert answer.failure is not None
    assert answer.failure.kind == "net"


def test_a_damaged_frame_is_named_by_its_checksum() -> None:
    good, bad = delta(0, {"text": "So far"}), bytearray(delta(0, {"text": " and on"}))
    bad[-6] ^= 4
    answer = answered(good + bytes(bad) + ended("end_turn"))
    assert answer.text == "So far"
    assert answer.failure is not None
    assert "CRC" in answer.failure.message


def test_an_answer_in_one_piece_is_the_same_answer() -> None:
    cited = {
        "content": [{"text": "So."}],
        "citations": [
            {
                "title": "A",
                "location": {"web": {"url": "https://example.org/a"}},
                "sourceContent": [{"text": "so it is"}],
            }
        ],
    }
    blocks: list[object] = [
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
        {"text": "Yes."},
        {"citationsContent": cited},
        {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"at": "it"}}},
    ]
    body = {
        "output": {"message": {"role": "assistant", "content": blocks}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1, "outputTokens": 2},
    }
    mapper = dialect_for("bedrock").mapper()
    answer = answer_of(mapper.whole(msgspec.json.encode(body)), failure=mapper.failure)
    citation = Citation(url="https://example.org/a", title="A", cited_text="so it is")
    assert answer.parts == (
        Reasoning(text="Hm.", native=native(blocks[0])),
        Text(text="Yes."),
        Text(text="So.", citations=(citation,), native=native(blocks[2])),
        ToolCall(call_id="t1", name="look", arguments='{"at":"it"}', native=native(blocks[3])),
    )


def test_claude_on_bedrock_speaks_its_own_words_inside_amazons_frames() -> None:
    said: list[object] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "Hello."},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ]
    body = b"".join(wrapped(msgspec.json.encode(one)) for one in said)
    definition = ProviderDefinition(
        id="prv_1", name="claude", family="anthropic", base_url="bedrock:eu-central-1", api_key="k"
    )
    mapper = dialect_of(definition).mapper()
    answer = answer_of([*mapper.feed(body), *mapper.end()], failure=mapper.failure)
    assert (answer.text, answer.finish) == ("Hello.", "stop")
    assert answer.usage == TokenUsage(input_tokens=3, output_tokens=2)
