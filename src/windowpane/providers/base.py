"""The ``Provider`` protocol: one place where a model answers.

An adapter turns a planned request into the provider's words and the provider's stream into our
events. It alone knows provider types; it decides nothing about what is sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from msgspec import Struct

from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo
from windowpane.events import StreamEvent


class WireRequest(Struct, frozen=True, kw_only=True):
    """One HTTP request as it goes out, but for the headers that carry secrets."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes


class Provider(Protocol):
    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yield the answer. Closing the generator aborts upstream at once.

        Raises ``ProviderFailed``; what was yielded before stays valid.
        """
        ...

    async def models(self) -> list[ModelInfo]:
        """What this provider offers, by the provider's own model names."""
        ...

    async def close(self) -> None: ...
