"""Anthropic Messages, at Anthropic's own address or through Amazon Bedrock.

The words are those of ``anthropic_body`` (there) and ``anthropic_stream`` (back); Bedrock wraps
the same words in its own addresses and frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec
from msgspec import Struct, structs

from windowpane.context.request import ModelRequest
from windowpane.definitions import Ability, ModelInfo, ProviderDefinition
from windowpane.providers.amazon import AmazonDialect, is_amazon_address
from windowpane.providers.anthropic_body import messages_body
from windowpane.providers.anthropic_stream import (
    AnthropicStreamMapper,
    FramedPayloads,
    sse_payloads,
)
from windowpane.providers.base import Dialect, Fetch, StreamMapper, WireRequest
from windowpane.providers.classify import no_list
from windowpane.providers.claude import LONG_CONTEXT
from windowpane.providers.decoding import NOT_JSON

BASE_URL = "https://api.anthropic.com"
API_VERSION = "2023-06-01"
BEDROCK_VERSION = "bedrock-2023-05-31"
PAGE_MODELS = 1000
MOST_PAGES = 20


class _Capability(Struct, frozen=True):
    supported: bool = False


class _Capabilities(Struct, frozen=True):
    image_input: _Capability = _Capability()
    thinking: _Capability = _Capability()


class _Model(Struct, frozen=True):
    id: str
    max_input_tokens: int | None = None
    max_tokens: int | None = None
    capabilities: _Capabilities | None = None


class _Page(Struct, frozen=True):
    data: list[_Model]
    has_more: bool = False
    last_id: str | None = None


_decode_page = msgspec.json.Decoder(_Page).decode


def anthropic_dialect(definition: ProviderDefinition) -> Dialect:
    if is_amazon_address(definition.base_url):
        return BedrockMessagesDialect(definition)
    return AnthropicDialect(definition)


class AnthropicDialect:
    def __init__(self, definition: ProviderDefinition) -> None:
        self.base_url = (definition.base_url or BASE_URL).removesuffix("/v1")
        self.secrets = (definition.api_key, *definition.headers.values())
        key = {"x-api-key": definition.api_key} if definition.api_key else {}
        self._headers = {**key, **definition.headers}

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        return self._headers

    def to_wire(self, request: ModelRequest) -> WireRequest:
        is_streamed = request.options.is_streamed
        extra: dict[str, object] = {"model": request.model, "stream": is_streamed}
        written = messages_body(request, extra=extra)
        return WireRequest(
            method="POST",
            url=f"{self.base_url}/v1/messages",
            headers=_versioned(request),
            body=written.body,
            spans=written.spans,
        )

    def mapper(self) -> StreamMapper:
        return AnthropicStreamMapper(sse_payloads(), secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        found: list[_Model] = []
        after: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            query = urlencode({"limit": PAGE_MODELS, **after})
            page = await self._page(fetch, f"{self.base_url}/v1/models?{query}")
            found += page.data
            if not page.has_more or not page.last_id:
                break
            after = {"after_id": page.last_id}
        return [_info(model) for model in found]

    async def _page(self, fetch: Fetch, url: str) -> _Page:
        headers = {"anthropic-version": API_VERSION}
        body = await fetch(WireRequest(method="GET", url=url, headers=headers, body=b""))
        try:
            return _decode_page(body)
        except NOT_JSON as error:
            raise no_list(url) from error


class BedrockMessagesDialect(AmazonDialect):
    """The same words by way of Bedrock: the model is in the address, the answer in frames."""

    def to_wire(self, request: ModelRequest) -> WireRequest:
        extra: dict[str, object] = {"anthropic_version": BEDROCK_VERSION}
        if request.options.uses_long_context:
            extra["anthropic_beta"] = [LONG_CONTEXT]
        written = messages_body(_without_search(request), extra=extra)
        act = "invoke-with-response-stream" if request.options.is_streamed else "invoke"
        return self._asking(written, model=request.model, act=act)

    def mapper(self) -> StreamMapper:
        payloads = FramedPayloads(secrets=self.secrets)
        return AnthropicStreamMapper(payloads, secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        from windowpane.providers.amazon_models import discovered

        return await discovered(fetch, base_url=self._given_url, only_provider="Anthropic")


def _without_search(request: ModelRequest) -> ModelRequest:
    """Anthropic's search runs at Anthropic only; Bedrock refuses to hear of it."""
    options = structs.replace(request.options, has_web_search=False)
    return structs.replace(request, options=options)


def _versioned(request: ModelRequest) -> dict[str, str]:
    accepted = "text/event-stream" if request.options.is_streamed else "application/json"
    headers = {
        "content-type": "application/json",
        "accept": accepted,
        "anthropic-version": API_VERSION,
    }
    if request.options.uses_long_context:
        headers["anthropic-beta"] = LONG_CONTEXT
    return headers


def _info(model: _Model) -> ModelInfo:
    return ModelInfo(
        name=model.id,
        context_window_tokens=model.max_input_tokens,
        output_tokens=model.max_tokens,
        abilities=_abilities(model.capabilities),
    )


def _abilities(capabilities: _Capabilities | None) -> tuple[Ability, ...] | None:
    if capabilities is None:
        return None
    found: list[Ability] = ["tools"]
    if capabilities.image_input.supported:
        found.append("images")
    if capabilities.thinking.supported:
        found.append("reasoning")
    return tuple(found)
