"""A fast fake provider for benchmarks: Chat Completions streams of any length at any pace.

The model's name says what comes: ``fake-n100-d50`` is 100 chunks, 50 ms apart. Raw asyncio, so
that the measured servers and not this one are the load.
"""

from __future__ import annotations

import asyncio
import re
import sys

import msgspec

WORDS = "alpha server copies each delta as soon as it arrives and never waits for a reader ".split(
    " "
)
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


def event(delta: dict[str, str], *, finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    body = {
        "id": "chatcmpl-fake",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "fake",
        "system_fingerprint": "fp_fake",
        "choices": [choice],
        "usage": None,
    }
    return chunk(b"data: " + msgspec.json.encode(body) + b"\n\n")


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


EVENTS = [event({"content": f"{word} "}, finish=None) for word in WORDS]


def tail(count: int) -> bytes:
    usage = {"prompt_tokens": 10, "completion_tokens": count, "total_tokens": 10 + count}
    last = chunk(b"data: " + msgspec.json.encode({"choices": [], "usage": usage}) + b"\n\n")
    return event({}, finish="stop") + last + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


async def answer(writer: asyncio.StreamWriter, *, count: int, delay_seconds: float) -> None:
    writer.write(HEAD + event({"role": "assistant", "content": ""}, finish=None))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for number in range(count):
        if wait := max(0.0, begun + number * delay_seconds - loop.time()):
            await asyncio.sleep(wait)
        writer.write(EVENTS[number % len(EVENTS)])
        await writer.drain()
    writer.write(tail(count))
    await writer.drain()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            found = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(found[1])) if found else b""
            asked = dict(re.findall(rb"-([nd])(\d+)", body))
            await answer(
                writer,
                count=int(asked.get(b"n", b"1")),
                delay_seconds=int(asked.get(b"d", b"0")) / 1000,
            )
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main(port: int) -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
