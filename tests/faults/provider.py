"""A provider on this machine that misbehaves as it is told, and remembers what it said when.

It lives in a thread of the test's process, so it outlives the servers that are killed. Which
behaviour answers a request is decided by a word in the last message of the user.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import cast

import msgspec

from tests.providers.loopback import END_OF_BODY, STREAM_HEAD, Line, loopback

MODEL = "faulty"
PATIENCE_SECONDS = 60
OVERFLOW = "This model's maximum context length is 8000 tokens, however you requested 9000 tokens."


class Telling:
    """One request, and what was sent of its answer."""

    def __init__(self, messages: Sequence[dict[str, object]]) -> None:
        self.asked_at = time.monotonic()
        self.messages = messages
        self.chunks: list[tuple[float, str]] = []
        self.is_done = False
        self.has_hung_up = False

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.chunks)

    def text_before(self, moment: float) -> str:
        return "".join(text for at, text in self.chunks if at < moment)

    @property
    def longest_gap_seconds(self) -> float:
        """Between two chunks. The provider means them to come evenly, so what is more than
        that is how long this machine lets a process wait."""
        times = [at for at, _ in self.chunks]
        return max((after - before for before, after in pairwise(times)), default=0.0)

    @property
    def tool_results(self) -> int:
        """Of this turn: those of earlier ones may still be in the request."""
        roles = [message["role"] for message in self.messages]
        asked_last = len(roles) - roles[::-1].index("user")
        return roles[asked_last:].count("tool")


Behaviour = Callable[[Line, Telling], Awaitable[bool]]


class FaultyProvider:
    def __init__(self, url: str) -> None:
        self.url = url
        self._behaviours: dict[str, Behaviour] = {}
        self._tellings: dict[str, list[Telling]] = {}

    def plan(self, word: str, behaviour: Behaviour) -> None:
        """Answer messages that begin with a word in this way."""
        self._behaviours[word] = behaviour
        self._tellings[word] = []

    def tellings(self, word: str) -> list[Telling]:
        return self._tellings[word]

    def until(self, word: str, is_time: Callable[[list[Telling]], bool]) -> list[Telling]:
        """Wait for something that is seen from here."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_time(self._tellings[word]):
            assert time.monotonic() < deadline, f"{word} has not come so far"
            time.sleep(0.001)
        return self._tellings[word]

    async def answer(self, line: Line) -> bool:
        if line.request.line.startswith("GET"):
            listed = msgspec.json.encode({"data": [{"id": MODEL}]})
            await line.send_whole(200, listed, "content-type: application/json")
            return True
        body = msgspec.json.decode(line.request.body, type=dict[str, object])
        messages = cast(list[dict[str, object]], body["messages"])
        told = Telling(messages)
        word = _asked(messages).partition(" ")[0]
        self._tellings.setdefault(word, []).append(told)
        try:
            return await self._behaviours.get(word, streams("Of course."))(line, told)
        except ConnectionError:
            told.has_hung_up = True
            raise


@contextmanager
def faulty_provider() -> Generator[FaultyProvider]:
    """In a thread of its own, for as long as the test takes."""
    ready = threading.Event()
    made: list[FaultyProvider] = []
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(_unheard)
    stopping = asyncio.Event()

    async def serve() -> None:
        provider = FaultyProvider("")
        async with loopback(provider.answer) as opened:
            provider.url = opened.url
            made.append(provider)
            ready.set()
            await stopping.wait()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE_SECONDS)
    try:
        yield made[0]
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(PATIENCE_SECONDS)
        loop.close()


# Behaviours


def streams(*chunks: str, pause_seconds: float = 0.0) -> Behaviour:
    async def behave(line: Line, told: Telling) -> bool:
        await line.send(STREAM_HEAD)
        await _say(line, told, chunks, pause_seconds=pause_seconds)
        await _end(line, told, finish="stop")
        return True

    return behave


def hangs_before_headers() -> Behaviour:
    async def behave(line: Line, told: Telling) -> bool:
        await _hang(line, told)
        return False

    return behave


def hangs_after(*chunks: str, pause_seconds: float = 0.0) -> Behaviour:
    async def behave(line: Line, told: Telling) -> bool:
        await line.send(STREAM_HEAD)
        await _say(line, told, chunks, pause_seconds=pause_seconds)
        await _hang(line, told)
        return False

    return behave


def cuts_after(*chunks: str, pause_seconds: float = 0.0) -> Behaviour:
    async def behave(line: Line, told: Telling) -> bool:
        await line.send(STREAM_HEAD)
        await _say(line, told, chunks, pause_seconds=pause_seconds)
        told.is_done = True
        return False

    return behave


def calls_tools(*, rounds: int, then: Behaviour) -> Behaviour:
    """So many rounds of tool calls, each a message that has to be stored, before the answer."""

    async def behave(line: Line, told: Telling) -> bool:
        done = told.tool_results
        if done >= rounds:
            return await then(line, told)
        await line.send(STREAM_HEAD)
        await _say(line, told, [f"Round {done}. "], pause_seconds=0.0)
        call = {
            "index": 0,
            "id": f"call_{done}",
            "type": "function",
            "function": {"name": "look", "arguments": "{}"},
        }
        await line.send_chunk(_event({"tool_calls": [call]}, finish=None))
        await _end(line, told, finish="tool_calls")
        return True

    return behave


def refuses(status: int, message: str, *headers: str) -> Behaviour:
    async def behave(line: Line, told: Telling) -> bool:
        body = msgspec.json.encode({"error": {"message": message, "type": "error"}})
        await line.send_whole(status, body, "content-type: application/json", *headers)
        told.is_done = True
        return True

    return behave


def at_first(times: int, behaviour: Behaviour, *, then: Behaviour) -> Behaviour:
    """The first attempts go one way, the others another way."""
    left = [times]

    async def behave(line: Line, told: Telling) -> bool:
        left[0] -= 1
        return await (behaviour if left[0] >= 0 else then)(line, told)

    return behave


# Inside


async def _say(line: Line, told: Telling, chunks: Sequence[str], *, pause_seconds: float) -> None:
    for chunk in chunks:
        if pause_seconds:
            await asyncio.sleep(pause_seconds)
        await line.send_chunk(_event({"content": chunk}, finish=None))
        told.chunks.append((time.monotonic(), chunk))


async def _end(line: Line, told: Telling, *, finish: str) -> None:
    await line.send_chunk(_event({}, finish=finish))
    await line.send_chunk(b"data: [DONE]\n\n")
    await line.send(END_OF_BODY)
    told.is_done = True


def _unheard(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """Connections that end with the test are of no interest to anybody."""


async def _hang(line: Line, told: Telling) -> None:
    await line.hung_up()
    told.has_hung_up = True


def _event(delta: dict[str, object], *, finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: %b\n\n" % msgspec.json.encode({"choices": [choice]})


def _asked(messages: Sequence[dict[str, object]]) -> str:
    """The last words of the user, plain or in parts."""
    said = [message["content"] for message in messages if message["role"] == "user"]
    content = said[-1] if said else ""
    if isinstance(content, str):
        return content
    parts = cast(list[dict[str, str]], content)
    return "".join(part.get("text", "") for part in parts)
