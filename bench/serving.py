"""What an answer costs: time to the first token, work per chunk and per send, a hundred chats.

Everything is stored, drawn and watched by a page; the bare relay on the same fake provider, in the
same run, is the floor. Prints one JSON line.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time

import aiohttp

from bench.processes import Process, relay, upstream, windowpane
from bench.watching import Person, Seen, relayed

SENDS = 100
PACED_CHUNKS = 3000
CHATS = 100
CHUNKS = 100
PACE_MS = 50


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 2)


def micros_per(chunks: int, cpu_seconds: float) -> float:
    return round(cpu_seconds / chunks * 1e6, 1)


def median_first(seen: list[Seen]) -> float:
    return milliseconds(statistics.median(one.first_seconds for one in seen))


async def first_tokens(
    person: Person, session: aiohttp.ClientSession, floor: Process
) -> list[float]:
    """One user, one short answer after the other, in chats of their own: ours and the floor's."""
    ours: list[Seen] = []
    theirs: list[Seen] = []
    for _ in range(SENDS):
        ours.append(await person.ask(await person.new_chat(), model="fake/fake-n1"))
        theirs.append(await relayed(session, floor.address, model="fake-n1"))
    return [median_first(ours), median_first(theirs)]


async def send_cost(
    person: Person, session: aiohttp.ClientSession, server: Process, floor: Process
) -> list[float]:
    """CPU of a whole send with one chunk, in one chat that grows to a hundred turns."""
    chat_id = await person.new_chat()
    await person.ask(chat_id, model="fake/fake-n1")
    before, floor_before = server.cpu_seconds(), floor.cpu_seconds()
    for _ in range(SENDS):
        await person.ask(chat_id, model="fake/fake-n1")
        await relayed(session, floor.address, model="fake-n1")
    ours, theirs = server.cpu_seconds() - before, floor.cpu_seconds() - floor_before
    return [milliseconds(ours / SENDS), milliseconds(theirs / SENDS)]


async def paced(
    person: Person, session: aiohttp.ClientSession, server: Process, floor: Process
) -> list[float]:
    model = f"fake-n{PACED_CHUNKS}-d1"
    chat_id = await person.new_chat()
    before = server.cpu_seconds()
    await person.ask(chat_id, model=f"fake/{model}")
    ours = server.cpu_seconds() - before
    before = floor.cpu_seconds()
    await relayed(session, floor.address, model=model)
    return [micros_per(PACED_CHUNKS, ours), micros_per(PACED_CHUNKS, floor.cpu_seconds() - before)]


async def crowd(
    person: Person, session: aiohttp.ClientSession, server: Process, floor: Process
) -> dict[str, object]:
    model = f"fake-n{CHUNKS}-d{PACE_MS}"
    chats = [await person.new_chat() for _ in range(CHATS)]
    before, begun = server.cpu_seconds(), time.perf_counter()
    seen = await asyncio.gather(*(person.ask(one, model=f"fake/{model}") for one in chats))
    wall, ours = time.perf_counter() - begun, server.cpu_seconds() - before
    memory = server.memory_megabytes()
    before, begun = floor.cpu_seconds(), time.perf_counter()
    bare = await asyncio.gather(
        *(relayed(session, floor.address, model=model) for _ in range(CHATS))
    )
    floor_wall, theirs = time.perf_counter() - begun, floor.cpu_seconds() - before
    chunks = CHATS * CHUNKS
    return {
        "complete": sum(one.is_complete for one in seen),
        "floor_complete": sum(one.is_complete for one in bare),
        "wall_seconds": round(wall, 2),
        "floor_wall_seconds": round(floor_wall, 2),
        "ideal_wall_seconds": CHUNKS * PACE_MS / 1000,
        "cpu_us_per_chunk": micros_per(chunks, ours),
        "floor_cpu_us_per_chunk": micros_per(chunks, theirs),
        "cpu_ratio": round(ours / theirs, 2),
        "memory_megabytes": memory,
    }


async def measure(server: Process, entrance: str, floor: Process) -> dict[str, object]:
    idle = server.memory_megabytes()
    connector = aiohttp.TCPConnector(limit=0)
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=jar) as session:
        person = Person(session, server.address)
        await person.come_in(entrance)
        # The first send loads the tokenizer and opens connections: not what is measured here.
        await person.ask(await person.new_chat(), model="fake/fake-n1")
        await relayed(session, floor.address, model="fake-n1")
        ttft, ttft_floor = await first_tokens(person, session, floor)
        per_send, per_send_floor = await send_cost(person, session, server, floor)
        per_chunk, per_chunk_floor = await paced(person, session, server, floor)
        many = await crowd(person, session, server, floor)
    return {
        "bench": "serving",
        "first_token_ms": ttft,
        "floor_first_token_ms": ttft_floor,
        "cpu_ms_per_send": per_send,
        "floor_cpu_ms_per_send": per_send_floor,
        "paced_cpu_us_per_chunk": per_chunk,
        "floor_paced_cpu_us_per_chunk": per_chunk_floor,
        "paced_ratio": round(per_chunk / per_chunk_floor, 2),
        "crowd": many,
        "idle_memory_megabytes": idle,
        "floor_memory_megabytes": floor.memory_megabytes(),
    }


def main() -> None:
    with upstream() as source, relay(source) as floor:
        with windowpane(base_url=f"{source.address}/v1") as (server, entrance):
            print(json.dumps(asyncio.run(measure(server, entrance, floor))))


if __name__ == "__main__":
    main()
