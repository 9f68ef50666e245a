"""A person before the page, as a program: sends, and reads the page's own stream to the end."""

from __future__ import annotations

import asyncio
import time
from typing import TypedDict
from urllib.parse import urlsplit

import aiohttp
from msgspec import Struct

ENDED = b'"type":"state"'


class Named(TypedDict):
    id: str


class Seen(Struct, frozen=True, kw_only=True):
    """One answer as it was watched."""

    first_seconds: float
    is_complete: bool


class Person:
    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self._session = session
        self._address = address
        self._project_id = ""

    async def come_in(self, entrance: str) -> None:
        parts = urlsplit(entrance)
        async with self._session.get(f"{self._address}/?{parts.query}"):
            pass
        async with self._session.get(f"{self._address}/api/projects") as answer:
            self._project_id = (await answer.json())["projects"][0]["id"]
        # The floor asks for no titles, so neither does this.
        path = f"{self._address}/api/projects/{self._project_id}/settings"
        async with self._session.patch(path, json={"has_title": False}) as answer:
            answer.raise_for_status()

    async def new_chat(self) -> str:
        path = f"{self._address}/api/projects/{self._project_id}/chats"
        async with self._session.post(path) as answer:
            made: Named = await answer.json()
            return made["id"]

    async def ask(self, chat_id: str, *, model: str) -> Seen:
        """Open the page's stream, send, and read until the turn has ended."""
        watching = asyncio.Event()
        reading = asyncio.create_task(self._watch(chat_id, watching))
        await watching.wait()
        begun = time.perf_counter()
        path = f"{self._address}/api/chats/{chat_id}/send"
        async with self._session.post(path, json={"text": "hi", "model": model}) as answer:
            assert answer.status == 201, await answer.text()
        first_at, is_complete = await reading
        return Seen(first_seconds=first_at - begun, is_complete=is_complete)

    async def _watch(self, chat_id: str, watching: asyncio.Event) -> tuple[float, bool]:
        first_at = 0.0
        async with self._session.get(f"{self._address}/chats/{chat_id}/stream") as stream:
            watching.set()
            async for data in stream.content.iter_any():
                if not first_at and b"alpha" in data:
                    first_at = time.perf_counter()
                if ENDED in data:
                    return first_at, True
        return first_at, False


async def relayed(session: aiohttp.ClientSession, address: str, *, model: str) -> Seen:
    """The same through the bare relay."""
    begun = time.perf_counter()
    first_at = 0.0
    is_complete = False
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with session.post(f"{address}/v1/chat/completions", json=body) as stream:
        async for data in stream.content.iter_any():
            if not first_at and b"alpha" in data:
                first_at = time.perf_counter()
            is_complete = is_complete or b"[DONE]" in data
    return Seen(first_seconds=first_at - begun, is_complete=is_complete)
