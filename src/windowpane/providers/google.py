"""Google Gemini: generateContent, streamed or not, at Google's address or a Vertex endpoint.

The words are those of ``google_body`` (there) and ``google_stream`` (back).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct

from windowpane.context.request import ModelRequest
from windowpane.definitions import Ability, ModelInfo, ProviderDefinition
from windowpane.providers.base import Fetch, StreamMapper, WireRequest
from windowpane.providers.classify import no_list
from windowpane.providers.decoding import NOT_JSON
from windowpane.providers.google_body import contents_body
from windowpane.providers.google_stream import GoogleStreamMapper

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
VERSIONED = re.compile(r"/v\d+[a-z0-9]*(/|$)")
VERTEX_HOST = "aiplatform.googleapis.com"
GENERATES = "generateContent"
PAGE_MODELS = 1000
MOST_PAGES = 20


class _Model(Struct, frozen=True):
    name: str
    inputTokenLimit: int | None = None
    outputTokenLimit: int | None = None
    supportedGenerationMethods: list[str] | None = None
    thinking: bool | None = None


class _Page(Struct, frozen=True):
    models: list[_Model] = []
    nextPageToken: str | None = None


_decode_page = msgspec.json.Decoder(_Page).decode


class GoogleDialect:
    def __init__(self, definition: ProviderDefinition) -> None:
        self.base_url = _versioned(definition.base_url or BASE_URL)
        self.secrets = (definition.api_key, *definition.headers.values())
        self._headers = {**_key_header(definition), **definition.headers}

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        return self._headers

    def to_wire(self, request: ModelRequest) -> WireRequest:
        written = contents_body(request)
        is_streamed = request.options.is_streamed
        act = "streamGenerateContent?alt=sse" if is_streamed else GENERATES
        accepted = "text/event-stream" if is_streamed else "application/json"
        model = quote(request.model.removeprefix("models/"), safe="-._~")
        return WireRequest(
            method="POST",
            url=f"{self.base_url}/models/{model}:{act}",
            headers={"content-type": "application/json", "accept": accepted},
            body=written.body,
            spans=written.spans,
        )

    def mapper(self) -> StreamMapper:
        return GoogleStreamMapper(secrets=self.secrets)

    async def models(self, fetch: Fetch) -> list[ModelInfo]:
        found: list[_Model] = []
        token: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            query = urlencode({"pageSize": PAGE_MODELS, **token})
            page = await _fetched(fetch, f"{self.base_url}/models?{query}")
            found += page.models
            if not page.nextPageToken:
                break
            token = {"pageToken": page.nextPageToken}
        return [_info(model) for model in found if _is_chat_model(model)]


def _versioned(base_url: str) -> str:
    """An address without a version gets the one that every feature is in."""
    if VERSIONED.search(urlsplit(base_url).path):
        return base_url
    return f"{base_url}/v1beta"


def _key_header(definition: ProviderDefinition) -> dict[str, str]:
    if not definition.api_key:
        return {}
    if (urlsplit(definition.base_url).hostname or "").endswith(VERTEX_HOST):
        return {"authorization": f"Bearer {definition.api_key}"}
    return {"x-goog-api-key": definition.api_key}


async def _fetched(fetch: Fetch, url: str) -> _Page:
    body = await fetch(WireRequest(method="GET", url=url, headers={}, body=b""))
    try:
        return _decode_page(body)
    except NOT_JSON as error:
        raise no_list(url) from error


def _is_chat_model(model: _Model) -> bool:
    methods = model.supportedGenerationMethods
    return methods is None or GENERATES in methods


def _info(model: _Model) -> ModelInfo:
    abilities: tuple[Ability, ...] | None = ("reasoning",) if model.thinking else None
    return ModelInfo(
        name=model.name.removeprefix("models/"),
        input_tokens=model.inputTokenLimit,
        output_tokens=model.outputTokenLimit,
        abilities=abilities,
    )
