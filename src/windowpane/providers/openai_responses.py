"""OpenAI's Responses API and the services that speak it: Azure, DeepSeek, Amazon's mantle.

The words are those of ``openai_responses_body`` (there) and ``openai_responses_stream`` (back).
"""

from __future__ import annotations

from collections.abc import Mapping

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.providers.base import Fetch, StreamMapper, WireRequest
from windowpane.providers.openai_models import listed_models, openai_headers
from windowpane.providers.openai_responses_body import responses_body
from windowpane.providers.openai_responses_stream import OpenAIResponsesMapper

BASE_URL = "https://api.openai.com/v1"


class OpenAIResponsesDialect:
    def __init__(self, definition: ProviderDefinition) -> None:
        self.base_url = definition.base_url or BASE_URL
        self.secrets = (definition.api_key, *definition.headers.values())
        self._headers = openai_headers(definition)

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        return self._headers

    def to_wire(self, request: ModelRequest) -> WireRequest:
        written = responses_body(request)
        accepted = "text/event-stream" if request.options.is_streamed else "application/json"
        return WireRequest(
            method="POST",
            url=f"{self.base_url}/responses",
            headers={"content-type": "application/json", "accept": accepted},
            body=written.body,
            spans=written.spans,
        )

    def mapper(self) -> StreamMapper:
        return OpenAIResponsesMapper(secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        url = f"{self.base_url}/models"
        wire = WireRequest(method="GET", url=url, headers={}, body=b"")
        return listed_models(await fetch(wire), url=url)
