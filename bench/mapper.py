"""CPU for one streamed chunk in the Chat Completions mapper; prints one JSON line.

Against the least anybody does with the same bytes in the same run: split them into lines and parse
each payload with ``json.loads``. Once with one chunk in each block, as at a slow pace, and once
with 40 chunks in a block, as when deltas are joined for 40 ms at 1 ms pace.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time

import msgspec

from windowpane.providers.openai_chat_stream import ChatStreamMapper

CHUNKS = 5_000
ROUNDS = 12
JOINED_CHUNKS = 40
GOAL_MICROSECONDS = 10.0

Reader = Callable[[list[bytes]], None]


def chunk(number: int) -> bytes:
    """As large as those of the big services, most of which says nothing new."""
    payload = {
        "id": "chatcmpl-0123456789abcdefghijklmnopqrs",
        "object": "chat.completion.chunk",
        "created": 1_793_500_000,
        "model": "a-model-2026-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "usage": None,
        "choices": [
            {
                "index": 0,
                "delta": {"content": f" word{number % 100}"},
                "logprobs": None,
                "finish_reason": None,
            }
        ],
        "obfuscation": "abcdefgh",
    }
    return b"data: " + msgspec.json.encode(payload) + b"\n\n"


def in_blocks(chunks: list[bytes], *, size: int) -> list[bytes]:
    return [b"".join(chunks[start : start + size]) for start in range(0, len(chunks), size)]


def read_with_mapper(blocks: list[bytes]) -> None:
    mapper = ChatStreamMapper(secrets=())
    for block in blocks:
        mapper.feed(block)
    mapper.end()


def parse_only(blocks: list[bytes]) -> None:
    for block in blocks:
        for line in block.splitlines():
            if line:
                json.loads(line[6:])


def microseconds(read: Reader, blocks: list[bytes]) -> float:
    start = process_time()
    read(blocks)
    return (process_time() - start) / CHUNKS * 1e6


def main() -> None:
    chunks = [chunk(number) for number in range(CHUNKS)]
    single, joined = in_blocks(chunks, size=1), in_blocks(chunks, size=JOINED_CHUNKS)
    best = dict.fromkeys(("single", "joined", "json"), float("inf"))
    for _ in range(ROUNDS):
        best["single"] = min(best["single"], microseconds(read_with_mapper, single))
        best["joined"] = min(best["joined"], microseconds(read_with_mapper, joined))
        best["json"] = min(best["json"], microseconds(parse_only, single))
    result = {
        "bench": "mapper",
        "bytes_per_chunk": len(chunks[0]),
        "json_us_per_chunk": round(best["json"], 2),
        "mapper_us_per_chunk": round(best["single"], 2),
        "mapper_joined_us_per_chunk": round(best["joined"], 2),
        "ratio_to_json": round(best["single"] / best["json"], 2),
        "joined_ratio_to_json": round(best["joined"] / best["json"], 2),
        "goal_us_per_chunk": GOAL_MICROSECONDS,
    }
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
