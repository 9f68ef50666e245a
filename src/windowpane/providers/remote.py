"""A provider behind HTTP: asks in its dialect, reads along and lists its models.

The words are the dialect's, connections and HTTP errors are ``http``'s; this is the one road that
every remote family takes, streamed or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from aiohttp import ClientResponse
from msgspec import Struct

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo
from windowpane.errors import ProviderFailed
from windowpane.events import StreamEvent
from windowpane.providers.base import Dialect, StreamMapper, WireRequest
from windowpane.providers.http import BODY_LIMIT_BYTES, Upstream
from windowpane.providers.openai_models import listed_models
from windowpane.providers.pace import Pace

STREAMS = frozenset({"text/event-stream", "application/vnd.amazon.eventstream"})
# A block of this size means that the answer comes faster than it is read: no time to wait.
BUSY_BLOCK_BYTES = 32 * 1024


class Listing(Struct, frozen=True, kw_only=True):
    """Another address that lists the models, to which no secret goes."""

    url: str
    upstream: Upstream


class RemoteProvider:
    """After a delta, what arrives within the pace's time is told as one."""

    def __init__(
        self,
        dialect: Dialect,
        upstream: Upstream,
        *,
        listing: Listing | None,
        pace: Pace,
    ) -> None:
        self._dialect = dialect
        self._upstream = upstream
        self._listing = listing
        self._pace = pace

    def to_wire(self, request: ModelRequest) -> WireRequest:
        return self._dialect.to_wire(request)

    async def stream(self, wire: WireRequest) -> AsyncGenerator[StreamEvent, None]:
        mapper = self._dialect.mapper()
        async with self._upstream.open(wire) as response:
            with self._pace.running():
                if response.content_type not in STREAMS:
                    body = await self._upstream.read_whole(response, limit_bytes=BODY_LIMIT_BYTES)
                    events = mapper.whole(body)
                else:
                    while block := await self._next_block(response, mapper):
                        if events := mapper.feed(block):
                            for event in events:
                                yield event
                            if len(block) < BUSY_BLOCK_BYTES:
                                await asyncio.sleep(self._pace.seconds)
                    events = mapper.end()
                for event in events:
                    yield event
                if mapper.failure is not None:
                    raise ProviderFailed(mapper.failure)

    async def models(self) -> list[ModelInfo]:
        if self._listing is None:
            return await self._dialect.models(self._fetch)
        wire = WireRequest(method="GET", url=self._listing.url, headers={}, body=b"")
        body = await _fetched(wire, self._listing.upstream)
        return listed_models(body, url=self._listing.url)

    async def close(self) -> None:
        """Nothing to do: the session and its connections belong to whoever made them."""

    async def _fetch(self, wire: WireRequest) -> bytes:
        return await _fetched(wire, self._upstream)

    async def _next_block(self, response: ClientResponse, mapper: StreamMapper) -> bytes:
        """The next block of an answer that goes on; empty when it is over."""
        if mapper.failure is not None:
            return b""
        if mapper.is_done:
            await self._upstream.read_rest(response)
            return b""
        try:
            return await self._upstream.next_block(response)
        except ProviderFailed as failed:
            mapper.failure = failed.failure
            return b""


async def _fetched(wire: WireRequest, upstream: Upstream) -> bytes:
    async with upstream.open(wire) as response:
        return await upstream.read_whole(response, limit_bytes=BODY_LIMIT_BYTES)
