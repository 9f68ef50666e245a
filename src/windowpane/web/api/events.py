"""A chat's events as they happen, raw, for programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec
from litestar import Request, get
from litestar.datastructures import State
from litestar.response import Stream

from windowpane.events import EventId, LoggedEvent, Reload
from windowpane.workspace import Workspace

HEARTBEAT_SECONDS = 15.0
EVENT_STREAM = "text/event-stream; charset=utf-8"


@get("/api/chats/{chat_id:str}/events", media_type=EVENT_STREAM)
async def follow_events(
    request: Request[None, None, State], workspace: Workspace, chat_id: str, after: str = ""
) -> Stream:
    """``after`` or the header ``Last-Event-ID`` says where to go on; the default is from now."""
    await workspace.chat(chat_id)
    text = request.headers.get("last-event-id", "") or after
    position = EventId.parse(text) if text else workspace.position(chat_id)
    frames = _frames(workspace, chat_id, after=position)
    return Stream(frames, media_type=EVENT_STREAM, headers={"x-accel-buffering": "no"})


async def _frames(
    workspace: Workspace, chat_id: str, *, after: EventId
) -> AsyncGenerator[bytes, None]:
    with workspace.follow(chat_id, after=after) as reader:
        while True:
            try:
                news = await asyncio.wait_for(reader.read(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            yield b"".join(_frame(logged) for logged in news)
            if isinstance(news[-1].event, Reload):
                return


def _frame(logged: LoggedEvent) -> bytes:
    return b"id: %s\ndata: %s\n\n" % (str(logged.id).encode(), msgspec.json.encode(logged))
