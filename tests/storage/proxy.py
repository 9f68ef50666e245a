"""A relay in front of PostgreSQL that hangs up once, when the server has just committed."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

CHUNK_BYTES = 65536


class HangingUp:
    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self.times = 0

    async def relay(self, client: StreamReader, to_client: StreamWriter) -> None:
        server, to_server = await asyncio.open_connection(self._host, self._port)
        try:
            answers = asyncio.create_task(self._answer(server, to_client))
            while request := await client.read(CHUNK_BYTES):
                if b"COMMIT" in request and self.times == 0:
                    self.times += 1
                    answers.cancel()
                    with suppress(asyncio.CancelledError):
                        await answers
                    to_server.write(request)
                    await server.read(CHUNK_BYTES)
                    return
                to_server.write(request)
        finally:
            to_server.close()
            to_client.close()

    async def _answer(self, server: StreamReader, to_client: StreamWriter) -> None:
        while answer := await server.read(CHUNK_BYTES):
            to_client.write(answer)


@asynccontextmanager
async def hanging_up_at_commit(url: str) -> AsyncGenerator[tuple[str, HangingUp]]:
    """The URL that leads through the relay, and the relay."""
    address = urlsplit(url)
    assert address.hostname is not None and address.port is not None
    relay = HangingUp(address.hostname, address.port)
    async with await asyncio.start_server(relay.relay, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        through = address.netloc.replace(f":{address.port}", f":{port}")
        yield urlunsplit(address._replace(netloc=through)), relay
