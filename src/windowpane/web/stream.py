"""The response that never ends by itself: a watcher's frames as server-sent events.

Plain ASGI: each batch of frames is one write of bytes that were encoded once for all tabs.
"""

from __future__ import annotations

import asyncio

from litestar.types import Receive, Scope, Send
from litestar.types.asgi_types import HTTPResponseBodyEvent, HTTPResponseStartEvent

from windowpane.events import EventId
from windowpane.web.live import LiveChats, Watcher

HEARTBEAT_SECONDS = 15.0
HEARTBEAT = b": still here\n\n"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # nginx would otherwise collect the frames before it passes them on.
    (b"x-accel-buffering", b"no"),
]


class FrameStream:
    """An ASGI application that answers one request."""

    def __init__(self, live: LiveChats, *, chat_id: str, after: EventId) -> None:
        self._live = live
        self._chat_id = chat_id
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._live.watching(self._chat_id, after=self._after) as watcher:
            start: HTTPResponseStartEvent = {
                "type": "http.response.start",
                "status": 200,
                "headers": HEADERS,
            }
            await send(start)
            await send(_body(HEARTBEAT, more=True))
            companions = (
                asyncio.create_task(_end_with_client(watcher, receive)),
                asyncio.create_task(_beat(watcher)),
            )
            try:
                while data := await watcher.take():
                    await send(_body(data, more=True))
                await send(_body(b"", more=False))
            finally:
                for task in companions:
                    task.cancel()


def _body(data: bytes, *, more: bool) -> HTTPResponseBodyEvent:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def _end_with_client(watcher: Watcher, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    watcher.end()


async def _beat(watcher: Watcher) -> None:
    """Proxies close what is silent, and a dead connection shows only when it is written to."""
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        watcher.offer(HEARTBEAT)
