"""Amazon Bedrock's Converse: one form for the models of many makers.

The words are those of ``bedrock_body`` (there) and ``bedrock_stream`` (back); addresses and
signatures are ``amazon``'s.
"""

from __future__ import annotations

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo
from windowpane.providers.amazon import AmazonDialect
from windowpane.providers.amazon_models import discovered
from windowpane.providers.base import Fetch, StreamMapper, WireRequest
from windowpane.providers.bedrock_body import converse_body
from windowpane.providers.bedrock_stream import BedrockStreamMapper


class BedrockDialect(AmazonDialect):
    def to_wire(self, request: ModelRequest) -> WireRequest:
        written = converse_body(request)
        act = "converse-stream" if request.options.is_streamed else "converse"
        return self._asking(written, model=request.model, act=act)

    def mapper(self) -> StreamMapper:
        return BedrockStreamMapper(secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        return await discovered(fetch, base_url=self._given_url, only_provider=None)
