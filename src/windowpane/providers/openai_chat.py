"""OpenAI Chat Completions and every server that speaks it.

The words are those of ``openai_chat_body`` (there) and ``openai_chat_stream`` (back), and where
servers differ, ``openai_chat_hosts`` knows by the address.
"""

from __future__ import annotations

from collections.abc import Mapping

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.providers.base import Fetch, StreamMapper, WireRequest
from windowpane.providers.openai_chat_body import chat_body
from windowpane.providers.openai_chat_hosts import host_of
from windowpane.providers.openai_chat_stream import ChatStreamMapper
from windowpane.providers.openai_models import listed_models, openai_headers

BASE_URL = "https://api.openai.com/v1"


class OpenAIChatDialect:
    def __init__(self, definition: ProviderDefinition) -> None:
        self.base_url = definition.base_url or BASE_URL
        self.secrets = (definition.api_key, *definition.headers.values())
        self._headers = openai_headers(definition)
        self._host = host_of(self.base_url)

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        return self._headers

    def to_wire(self, request: ModelRequest) -> WireRequest:
        written = chat_body(request, host=self._host)
        accepted = "text/event-stream" if request.options.is_streamed else "application/json"
        return WireRequest(
            method="POST",
            url=f"{self.base_url}/chat/completions",
            headers={"content-type": "application/json", "accept": accepted},
            body=written.body,
            spans=written.spans,
        )

    def mapper(self) -> StreamMapper:
        return ChatStreamMapper(secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        url = f"{self.base_url}/models"
        wire = WireRequest(method="GET", url=url, headers={}, body=b"")
        return listed_models(await fetch(wire), url=url)
