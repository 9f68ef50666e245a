"""A provider behind HTTP: asks in its dialect, reads along and lists its models.

The words are the dialect's, connections and HTTP errors are ``http``'s; this is the one road that
every remote family takes, streamed or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from functools import partial

from msgspec import Struct, structs

from windowpane.catalog.learned import limits_in_headers
from windowpane.catalog.limits import LimitValues
from windowpane.catalog.models import catalog_provider
from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo
from windowpane.errors import ProviderFailed
from windowpane.events import StreamEvent
from windowpane.providers.base import Dialect, StreamMapper, WireRequest
from windowpane.providers.classify import masked_failure
from windowpane.providers.http import BODY_LIMIT_BYTES, Upstream
from windowpane.providers.incoming import Incoming
from windowpane.providers.openai_models import listed_models
from windowpane.providers.pace import Pace

STREAMS = frozenset({"text/event-stream", "application/vnd.amazon.eventstream"})
# A block of this size means that the answer comes faster than it is read: no time to wait.
BUSY_BLOCK_BYTES = 32 * 1024
NOTHING_TAUGHT = LimitValues()


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
        self._learned: dict[str, LimitValues] = {}

    def to_wire(self, request: ModelRequest) -> WireRequest:
        return structs.replace(self._dialect.to_wire(request), model=request.model)

    async def stream(self, wire: WireRequest) -> AsyncGenerator[StreamEvent, None]:
        mapper = self._dialect.mapper()
        hear = partial(self._learn, wire.model)
        async with self._upstream.open(wire, hear=hear) as incoming:
            with self._pace.running():
                if incoming.content_type not in STREAMS:
                    events = mapper.whole(await incoming.whole(limit_bytes=BODY_LIMIT_BYTES))
                else:
                    while block := await _next_block(incoming, mapper):
                        if events := mapper.feed(block):
                            for event in events:
                                yield event
                            if len(block) < BUSY_BLOCK_BYTES:
                                await asyncio.sleep(self._pace.seconds)
                    events = mapper.end()
                for event in events:
                    yield event
                if mapper.failure is not None:
                    secrets = self._dialect.secrets
                    raise ProviderFailed(masked_failure(mapper.failure, secrets=secrets))

    async def models(self) -> list[ModelInfo]:
        if self._listing is None:
            return await self._dialect.models(self._fetch)
        wire = WireRequest(method="GET", url=self._listing.url, headers={}, body=b"")
        body = await _fetched(wire, self._listing.upstream)
        return listed_models(body, url=self._listing.url)

    def learned_limits(self, model: str) -> LimitValues:
        return self._learned.get(model, NOTHING_TAUGHT)

    async def close(self) -> None:
        """Nothing to do: the session and its connections belong to whoever made them."""

    async def _fetch(self, wire: WireRequest) -> bytes:
        return await _fetched(wire, self._upstream)

    def _learn(self, model: str, headers: Mapping[str, str]) -> None:
        """What an answer tells holds until another one tells something else."""
        # The catalog takes a moment to load, and most servers at home tell nothing.
        if not any("ratelimit" in name.lower() for name in headers):
            return
        provider = catalog_provider(self._dialect.base_url)
        taught = limits_in_headers(headers, provider=provider)
        if taught != NOTHING_TAUGHT:
            self._learned[model] = taught


async def _next_block(incoming: Incoming, mapper: StreamMapper) -> bytes:
    """The next block of an answer that goes on; empty when it is over."""
    if mapper.failure is not None:
        return b""
    if mapper.is_done:
        await incoming.rest()
        return b""
    try:
        return await incoming.next_block()
    except ProviderFailed as failed:
        mapper.failure = failed.failure
        return b""


def _unheard(headers: Mapping[str, str]) -> None:
    """A list of models says nothing of one."""


async def _fetched(wire: WireRequest, upstream: Upstream) -> bytes:
    async with upstream.open(wire, hear=_unheard) as incoming:
        return await incoming.whole(limit_bytes=BODY_LIMIT_BYTES)
