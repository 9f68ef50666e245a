"""A small HTTP server on this machine that a test scripts byte by byte."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

from msgspec import Struct

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)
END_OF_BODY = b"0\r\n\r\n"


class Received(Struct, frozen=True, kw_only=True):
    """One request as it arrived; ``connection`` counts the connections of the server."""

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int


class Line:
    """The server's end of one connection, and the request that came over it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, request: Received
    ) -> None:
        self._reader = reader
        self._writer = writer
        self.request = request

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def send_chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%b\r\n" % (len(data), data))

    async def send_whole(self, status: int, body: bytes, *headers: str) -> None:
        head = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", *headers, "", ""]
        await self.send("\r\n".join(head).encode() + body)

    async def hung_up(self) -> None:
        """Wait until the other side is gone."""
        while await self._reader.read(1024):
            pass


Answering = Callable[[Line], Awaitable[bool]]


class Loopback(Struct, frozen=True):
    url: str
    received: list[Received]


@asynccontextmanager
async def loopback(answer: Answering) -> AsyncGenerator[Loopback, None]:
    """Answer every request with ``answer``, which says whether the connection goes on."""
    received: list[Received] = []
    connections = 0
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        task = cast("asyncio.Task[None]", asyncio.current_task())
        serving.add(task)
        try:
            while request := await _request(reader, connection=connections):
                received.append(request)
                if not await answer(Line(reader, writer, request=request)):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            serving.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield Loopback(f"http://127.0.0.1:{port}/v1", received)
    finally:
        server.close()
        for task in tuple(serving):
            task.cancel()
        await asyncio.gather(*serving)
        await server.wait_closed()


async def _request(reader: asyncio.StreamReader, *, connection: int) -> Received | None:
    line = (await reader.readline()).decode("latin-1").strip()
    if not line:
        return None
    headers: dict[str, str] = {}
    while field := (await reader.readline()).decode("latin-1").strip():
        name, _, value = field.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(line=line, headers=headers, body=body, connection=connection)
