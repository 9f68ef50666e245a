"""Streamed answers in each family's words, as large as those of the big services.

Most of every chunk says nothing new: ids, names and padding come again and again.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from struct import pack
from zlib import crc32

import msgspec
from msgspec import Struct

from windowpane.definitions import Family

STRING = 7


class Shape(Struct, frozen=True, kw_only=True):
    """An answer: what opens it, one chunk for each word, what closes it."""

    family: Family
    head: list[bytes]
    chunk: Callable[[str], bytes]
    tail: Callable[[str], list[bytes]]
    base_url: str = "https://models.example/v1"

    def answer(self, words: Iterable[str]) -> list[bytes]:
        told = list(words)
        return [*self.head, *map(self.chunk, told), *self.tail("".join(told))]


def data(payload: object) -> bytes:
    return b"data: " + msgspec.json.encode(payload) + b"\n\n"


def named(type: str, **fields: object) -> bytes:
    return b"event: " + type.encode() + b"\n" + data({"type": type, **fields})


def frame(type: str, payload: object) -> bytes:
    """One frame of Amazon's event stream."""
    named_values = {
        ":event-type": type,
        ":content-type": "application/json",
        ":message-type": "event",
    }
    headers = b"".join(
        pack(">B", len(name)) + name.encode() + pack(">BH", STRING, len(value)) + value.encode()
        for name, value in named_values.items()
    )
    body = msgspec.json.encode(payload)
    prelude = pack(">II", len(headers) + len(body) + 16, len(headers))
    message = prelude + pack(">I", crc32(prelude)) + headers + body
    return message + pack(">I", crc32(message))


def chat_chunk(delta: dict[str, object], *, finish_reason: str | None) -> bytes:
    return data(
        {
            "id": "chatcmpl-0123456789abcdefghijklmnopqrs",
            "object": "chat.completion.chunk",
            "created": 1_793_500_000,
            "model": "a-model-2026-08-06",
            "service_tier": "default",
            "system_fingerprint": "fp_0123456789",
            "usage": None,
            "choices": [
                {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
            ],
            "obfuscation": "abcdefgh",
        }
    )


def chat_end(_: str) -> list[bytes]:
    return [chat_chunk({}, finish_reason="stop"), b"data: [DONE]\n\n"]


def routed_thought(word: str) -> bytes:
    detail = {"type": "reasoning.text", "text": word, "format": "anthropic-claude-v1", "index": 0}
    return data(
        {
            "id": "gen-1765226419-0123456789abcdefghij",
            "provider": "Somebody",
            "model": "somebody/a-model",
            "object": "chat.completion.chunk",
            "created": 1_793_500_000,
            "choices": [
                {
                    "index": 0,
                    "delta": {
                        "role": "assistant",
                        "content": "",
                        "reasoning": word,
                        "reasoning_details": [detail],
                    },
                    "finish_reason": None,
                    "native_finish_reason": None,
                    "logprobs": None,
                }
            ],
        }
    )


ITEM_ID = "msg_0123456789abcdef0123456789abcdef0123456789abcdef"


def output_item(text: str, *, status: str) -> dict[str, object]:
    part: dict[str, object] = {
        "type": "output_text",
        "text": text,
        "annotations": [],
        "logprobs": [],
    }
    return {
        "id": ITEM_ID,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": [part] if text else [],
    }


def response_delta(word: str) -> bytes:
    return named(
        "response.output_text.delta",
        sequence_number=1234,
        item_id=ITEM_ID,
        output_index=0,
        content_index=0,
        delta=word,
        logprobs=[],
        obfuscation="abcdefgh",
    )


def response(status: str, output: list[object]) -> dict[str, object]:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 30,
    }
    return {
        "id": "resp_0123456789abcdef",
        "object": "response",
        "status": status,
        "model": "a-model-2026-08-06",
        "output": output,
        "usage": usage if output else None,
    }


def response_end(text: str) -> list[bytes]:
    item = output_item(text, status="completed")
    return [
        named("response.output_item.done", sequence_number=2, output_index=0, item=item),
        named("response.completed", sequence_number=3, response=response("completed", [item])),
    ]


def anthropic_delta(word: str) -> bytes:
    delta = {"type": "text_delta", "text": word}
    return named("content_block_delta", index=0, delta=delta)


def anthropic_end(_: str) -> list[bytes]:
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    return [
        named("content_block_stop", index=0),
        named("message_delta", delta=delta, usage={"output_tokens": 20}),
        named("message_stop"),
    ]


def google_chunk(word: str, **candidate: object) -> bytes:
    content = {"parts": [{"text": word}], "role": "model"}
    return data(
        {
            "candidates": [{"content": content, "index": 0, **candidate}],
            "usageMetadata": {
                "promptTokenCount": 10,
                "candidatesTokenCount": 20,
                "totalTokenCount": 30,
                "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 10}],
            },
            "modelVersion": "a-model-2026",
            "responseId": "0123456789abcdefghijk",
        }
    )


def bedrock_delta(word: str) -> bytes:
    delta = {"contentBlockIndex": 0, "delta": {"text": word}, "p": "abcdefghijklmnop"}
    return frame("contentBlockDelta", delta)


def bedrock_end(_: str) -> list[bytes]:
    usage = {"inputTokens": 10, "outputTokens": 20, "totalTokens": 30}
    return [
        frame("contentBlockStop", {"contentBlockIndex": 0, "p": "abc"}),
        frame("messageStop", {"stopReason": "end_turn", "p": "abc"}),
        frame("metadata", {"metrics": {"latencyMs": 1}, "usage": usage, "p": "abc"}),
    ]


def wrapped(event: bytes) -> bytes:
    """An event of Anthropic's as Bedrock passes it on: its JSON in base64, in a frame."""
    payload = event[event.index(b"data: ") + 6 :].strip()
    return frame("chunk", {"bytes": b64encode(payload).decode(), "p": "abcdefgh"})


SHAPES = {
    "openai_chat": Shape(
        family="openai_chat",
        head=[chat_chunk({"role": "assistant", "content": ""}, finish_reason=None)],
        chunk=lambda word: chat_chunk({"content": word}, finish_reason=None),
        tail=chat_end,
    ),
    "openai_chat_reasoning": Shape(
        family="openai_chat", head=[], chunk=routed_thought, tail=chat_end
    ),
    "openai_responses": Shape(
        family="openai_responses",
        head=[
            named("response.created", sequence_number=0, response=response("in_progress", [])),
            named(
                "response.output_item.added",
                sequence_number=1,
                output_index=0,
                item=output_item("", status="in_progress"),
            ),
        ],
        chunk=response_delta,
        tail=response_end,
    ),
    "anthropic": Shape(
        family="anthropic",
        head=[
            named(
                "message_start",
                message={
                    "id": "msg_0123456789",
                    "type": "message",
                    "role": "assistant",
                    "model": "a-model",
                    "content": [],
                    "stop_reason": None,
                    "usage": {"input_tokens": 10, "output_tokens": 1},
                },
            ),
            named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        ],
        chunk=anthropic_delta,
        tail=anthropic_end,
    ),
    "google": Shape(
        family="google",
        head=[],
        chunk=google_chunk,
        tail=lambda _: [google_chunk("", finishReason="STOP")],
    ),
    "bedrock": Shape(
        family="bedrock",
        head=[frame("messageStart", {"role": "assistant", "p": "abc"})],
        chunk=bedrock_delta,
        tail=bedrock_end,
    ),
}
SHAPES["anthropic_on_bedrock"] = Shape(
    family="anthropic",
    base_url="bedrock:us-east-1",
    head=[wrapped(event) for event in SHAPES["anthropic"].head],
    chunk=lambda word: wrapped(anthropic_delta(word)),
    tail=lambda text: [wrapped(event) for event in anthropic_end(text)],
)
