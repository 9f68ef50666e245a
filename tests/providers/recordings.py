"""Recorded traffic of real services, where recordings are to be had.

``WINDOWPANE_RECORDINGS`` names a folder of JSON files, one for each HTTP exchange, each with what
is to come out of it under ``expect``.
"""

import os
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from windowpane.definitions import Family, ProviderDefinition
from windowpane.errors import FailureKind
from windowpane.messages import Finish
from windowpane.providers.base import Dialect
from windowpane.providers.choose import dialect_of
from windowpane.usage import TokenUsage

FAMILIES: dict[str, Family] = {
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
    "anthropic_messages": "anthropic",
    "bedrock_converse": "bedrock",
    "gemini_generate": "google",
}


class ExpectedCall(Struct):
    id: str | None
    name: str
    args: object


class ExpectedError(Struct):
    kind: str
    message: str | None


class ExpectedUsage(Struct):
    input: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    input_includes_cache: bool | None
    output_includes_reasoning: bool | None

    def normalised(self, *, web_searches: int) -> TokenUsage | None:
        """Input without what was cached, output with reasoning."""
        if self.input is None:
            return None
        cached = (self.cache_read or 0) + (self.cache_write or 0)
        reasoning = self.reasoning or 0
        return TokenUsage(
            input_tokens=self.input - (cached if self.input_includes_cache else 0),
            output_tokens=(self.output or 0) + (0 if self.output_includes_reasoning else reasoning),
            cache_read_tokens=self.cache_read or 0,
            cache_write_tokens=self.cache_write or 0,
            reasoning_tokens=reasoning,
            web_searches=web_searches,
        )


class ExpectedThought(Struct):
    kind: str
    sig_sha256: str | None
    sig_sha256_alt: str | None = None


class Expected(Struct):
    text: str
    thinking: str
    thinking_blocks: list[ExpectedThought]
    refusal: str | None
    tool_calls: list[ExpectedCall]
    finish: Finish | None
    usage: ExpectedUsage
    error: ExpectedError | None
    citations: list[str]
    web_searches: int
    complete: bool

    @property
    def kind(self) -> FailureKind | None:
        if self.error is None:
            return None if self.complete else "net"
        kind = "overflow" if self.error.kind == "context_overflow" else self.error.kind
        return msgspec.convert(kind, FailureKind)


class Recording(Struct):
    id: str
    conversation: str
    seq: int
    api: str
    method: str
    path: str
    response_status: int
    response_headers: dict[str, str]
    response_body: str
    expect: Expected
    request_body: object = None
    response_body_base64: bool = False

    @property
    def family(self) -> Family:
        return FAMILIES[self.api]

    @property
    def body(self) -> bytes:
        if self.response_body_base64:
            return b64decode(self.response_body)
        return self.response_body.encode()

    @property
    def is_streamed(self) -> bool:
        return "event" in self.response_headers.get("content-type", "")


def folder() -> Path | None:
    named = os.environ.get("WINDOWPANE_RECORDINGS")
    return Path(named) if named else None


@cache
def recordings() -> list[Recording]:
    return list(_read())


def _read() -> Iterator[Recording]:
    found = folder()
    for path in sorted(found.glob("*.json")) if found else ():
        yield msgspec.json.decode(path.read_bytes(), type=Recording)


def dialect_for(family: Family, *, base_url: str = "https://models.example/v1") -> Dialect:
    return dialect_of(
        ProviderDefinition(
            id="prv_1", name="test", family=family, base_url=base_url, api_key="sk-very-secret"
        )
    )
