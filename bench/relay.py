"""The floor: the least that a relay can do. Bytes in from aiohttp, the same bytes out by uvicorn.

Stores nothing, understands nothing, draws nothing.
"""

from __future__ import annotations

import os
import sys

import aiohttp
import uvicorn
from litestar.types import Receive, Scope, Send
from litestar.types.asgi_types import HTTPResponseBodyEvent, HTTPResponseStartEvent

UPSTREAM = os.environ.get("UPSTREAM", "")
EVENT_STREAM = [(b"content-type", b"text/event-stream")]


class Relay:
    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._session is None:
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        body = b""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message["body"]
            if not message["more_body"]:
                break
        async with self._session.post(UPSTREAM, data=body) as response:
            start: HTTPResponseStartEvent = {
                "type": "http.response.start",
                "status": response.status,
                "headers": EVENT_STREAM,
            }
            await send(start)
            async for data in response.content.iter_any():
                await send(_part(data, is_last=False))
            await send(_part(b"", is_last=True))


def _part(data: bytes, *, is_last: bool) -> HTTPResponseBodyEvent:
    return {"type": "http.response.body", "body": data, "more_body": not is_last}


if __name__ == "__main__":
    uvicorn.run(
        Relay(),  # pyright: ignore[reportArgumentType]  # litestar's and uvicorn's ASGI types differ
        host="127.0.0.1",
        port=int(sys.argv[1]),
        log_level="error",
        lifespan="off",
    )
