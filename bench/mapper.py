"""CPU for one streamed chunk in the mapper of each family; prints one JSON line.

Against the least anybody does with the same bytes in the same run: split them into lines, or
Amazon's into frames, and parse each payload with ``json.loads``. Once with one chunk in each block,
as at a slow pace, and once with 40 chunks in a block, as when deltas are joined for 40 ms at 1 ms
pace.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from time import process_time

import msgspec
from msgspec import Struct

from bench.shapes import SHAPES, Shape
from windowpane.definitions import ProviderDefinition
from windowpane.providers.base import Dialect
from windowpane.providers.choose import dialect_of

CHUNKS = 5_000
ROUNDS = 12
JOINED_CHUNKS = 40
GOAL_RATIO = 3.0

Reader = Callable[[list[bytes]], None]


class Costs(Struct, frozen=True, kw_only=True):
    bytes_per_chunk: int
    json_us_per_chunk: float
    mapper_us_per_chunk: float
    mapper_joined_us_per_chunk: float
    ratio_to_json: float
    joined_ratio_to_json: float


def in_blocks(chunks: list[bytes], *, size: int) -> list[bytes]:
    return [b"".join(chunks[start : start + size]) for start in range(0, len(chunks), size)]


def read_with_mapper(dialect: Dialect, blocks: list[bytes]) -> None:
    mapper = dialect.mapper()
    for block in blocks:
        mapper.feed(block)
    mapper.end()
    assert mapper.failure is None, mapper.failure


def parse_lines(blocks: list[bytes]) -> None:
    for block in blocks:
        for line in block.splitlines():
            if line.startswith(b"data: {"):
                json.loads(line[6:])


def parse_frames(blocks: list[bytes]) -> None:
    for payload in frames(blocks):
        json.loads(payload)


def parse_wrapped(blocks: list[bytes]) -> None:
    for payload in frames(blocks):
        json.loads(b64decode(json.loads(payload)["bytes"]))


def frames(blocks: list[bytes]) -> Iterator[bytes]:
    for block in blocks:
        start = 0
        while start < len(block):
            end = start + int.from_bytes(block[start : start + 4])
            headers_bytes = int.from_bytes(block[start + 4 : start + 8])
            yield block[start + 12 + headers_bytes : end - 4]
            start = end


PARSERS: dict[str, Reader] = {"bedrock": parse_frames, "anthropic_on_bedrock": parse_wrapped}


def microseconds(read: Reader, blocks: list[bytes]) -> float:
    start = process_time()
    read(blocks)
    return (process_time() - start) / CHUNKS * 1e6


def costs(shape: Shape, *, parse_only: Reader) -> Costs:
    dialect = dialect_of(
        ProviderDefinition(
            id="prv_1",
            name="bench",
            family=shape.family,
            base_url=shape.base_url,
            api_key="none",
        )
    )
    chunks = shape.answer(f" word{number % 100}" for number in range(CHUNKS))
    single, joined = in_blocks(chunks, size=1), in_blocks(chunks, size=JOINED_CHUNKS)
    best = dict.fromkeys(("single", "joined", "json"), float("inf"))

    def map_all(blocks: list[bytes]) -> None:
        read_with_mapper(dialect, blocks)

    for _ in range(ROUNDS):
        best["single"] = min(best["single"], microseconds(map_all, single))
        best["joined"] = min(best["joined"], microseconds(map_all, joined))
        best["json"] = min(best["json"], microseconds(parse_only, single))
    return Costs(
        bytes_per_chunk=len(shape.chunk(" word42")),
        json_us_per_chunk=round(best["json"], 2),
        mapper_us_per_chunk=round(best["single"], 2),
        mapper_joined_us_per_chunk=round(best["joined"], 2),
        ratio_to_json=round(best["single"] / best["json"], 2),
        joined_ratio_to_json=round(best["joined"] / best["json"], 2),
    )


def main() -> None:
    measured = {
        name: costs(shape, parse_only=PARSERS.get(name, parse_lines))
        for name, shape in SHAPES.items()
    }
    result = {"bench": "mapper", "goal_ratio": GOAL_RATIO, "shapes": measured}
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
