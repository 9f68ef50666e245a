"""OpenAI Chat Completions and every server that speaks it.

Asks, reads along and lists the models. The words are those of ``openai_chat_body`` (there) and
``openai_chat_stream`` (back); connections, timeouts and HTTP errors are ``http``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec
from aiohttp import ClientResponse, ClientSession
from msgspec import Struct

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import Failure, ProviderFailed
from windowpane.events import StreamEvent
from windowpane.providers.base import WireRequest
from windowpane.providers.http import BODY_LIMIT_BYTES, Timeouts, Upstream
from windowpane.providers.openai_chat_body import LimitName, chat_body
from windowpane.providers.openai_chat_stream import ChatStreamMapper

OPENAI_HOST = "//api.openai.com"
# A block of this size means that the answer comes faster than it is read: no time to wait.
BUSY_BLOCK_BYTES = 32 * 1024


class _Model(Struct, frozen=True):
    """The window's name differs: OpenRouter, Groq, vLLM, Mistral."""

    id: str
    context_length: int | None = None
    context_window: int | None = None
    max_model_len: int | None = None
    max_context_length: int | None = None


class _Models(Struct, frozen=True):
    data: list[_Model]


_models = msgspec.json.Decoder(_Models | list[_Model])


class OpenAIChatProvider:
    """``join_seconds``: after a delta, what arrives within it is told as one."""

    def __init__(
        self,
        definition: ProviderDefinition,
        session: ClientSession,
        *,
        timeouts: Timeouts,
        join_seconds: float,
    ) -> None:
        self._base_url = definition.base_url.rstrip("/")
        self._secret = definition.api_key
        self._limit_name: LimitName = (
            "max_completion_tokens" if OPENAI_HOST in self._base_url else "max_tokens"
        )
        self._join_seconds = join_seconds
        self._upstream = Upstream(
            session,
            base_url=self._base_url,
            secret=definition.api_key,
            secret_header=("authorization", "Bearer {}"),
            timeouts=timeouts,
        )

    def to_wire(self, request: ModelRequest) -> WireRequest:
        return WireRequest(
            method="POST",
            url=f"{self._base_url}/chat/completions",
            headers={"content-type": "application/json", "accept": "text/event-stream"},
            body=chat_body(request, limit_name=self._limit_name),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        mapper = ChatStreamMapper(secret=self._secret)
        async with self._upstream.open(self.to_wire(request)) as response:
            if response.content_type != "text/event-stream":
                body = await self._upstream.read_whole(response, limit_bytes=BODY_LIMIT_BYTES)
                events = mapper.whole(body)
            else:
                while block := await self._next_block(response, mapper):
                    if events := mapper.feed(block):
                        for event in events:
                            yield event
                        if len(block) < BUSY_BLOCK_BYTES:
                            await asyncio.sleep(self._join_seconds)
                events = mapper.end()
            for event in events:
                yield event
            if mapper.failure is not None:
                raise ProviderFailed(mapper.failure)

    async def models(self) -> list[ModelInfo]:
        wire = WireRequest(method="GET", url=f"{self._base_url}/models", headers={}, body=b"")
        async with self._upstream.open(wire) as response:
            body = await self._upstream.read_whole(response, limit_bytes=BODY_LIMIT_BYTES)
        try:
            decoded = _models.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            message = f"{wire.url} does not answer with a list of models. Check the base URL."
            raise ProviderFailed(Failure(kind="invalid", message=message)) from error
        listed = decoded.data if isinstance(decoded, _Models) else decoded
        return [_model_info(model) for model in listed]

    async def close(self) -> None:
        """Nothing to do: the session and its connections belong to whoever made them."""

    async def _next_block(self, response: ClientResponse, mapper: ChatStreamMapper) -> bytes:
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


def _model_info(model: _Model) -> ModelInfo:
    window_tokens = (
        model.context_length
        or model.context_window
        or model.max_model_len
        or model.max_context_length
    )
    return ModelInfo(name=model.id, context_window_tokens=window_tokens)
