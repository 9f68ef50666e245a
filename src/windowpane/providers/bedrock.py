"""Amazon Bedrock's Converse: one form for the models of many makers.

The words are those of ``bedrock_body`` (there) and ``bedrock_stream`` (back); addresses and
signatures are ``amazon``'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.providers.amazon import (
    amazon_authorise,
    amazon_region,
    amazon_runtime_url,
    amazon_secrets,
)
from windowpane.providers.amazon_models import discovered
from windowpane.providers.base import Fetch, StreamMapper, WireRequest
from windowpane.providers.bedrock_body import converse_body
from windowpane.providers.bedrock_stream import BedrockStreamMapper


class BedrockDialect:
    def __init__(self, definition: ProviderDefinition) -> None:
        self._given_url = definition.base_url
        self.base_url = amazon_runtime_url(definition.base_url)
        self.secrets = amazon_secrets(definition)
        self._authorise = amazon_authorise(definition, region=amazon_region(definition.base_url))

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        return self._authorise(wire)

    def to_wire(self, request: ModelRequest) -> WireRequest:
        written = converse_body(request)
        act = "converse-stream" if request.options.is_streamed else "converse"
        return WireRequest(
            method="POST",
            url=f"{self.base_url}/model/{quote(request.model, safe='')}/{act}",
            headers={"content-type": "application/json"},
            body=written.body,
            spans=written.spans,
        )

    def mapper(self) -> StreamMapper:
        return BedrockStreamMapper(secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        return await discovered(fetch, base_url=self._given_url, only_provider=None)
