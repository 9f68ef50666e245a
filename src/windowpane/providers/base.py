"""The ``Provider`` protocol: one place where a model answers, and what adapters are made of.

An adapter turns a planned request into the provider's words and the provider's stream into our
events. It alone knows provider types; it decides nothing about what is sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Literal, Protocol

from msgspec import Struct

from windowpane.catalog.limits import LimitValues
from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo
from windowpane.errors import Failure
from windowpane.events import StreamEvent

SourceKind = Literal["system", "tool", "message"]


class Span(Struct, frozen=True, kw_only=True):
    """The bytes of a body that come from one source: the system text, a tool or a message."""

    start: int
    end: int
    kind: SourceKind
    id: str


class WireRequest(Struct, frozen=True, kw_only=True):
    """One HTTP request as it goes out, but for the headers that carry secrets.

    ``model`` is whom it asks; empty for a request that asks no model.
    """

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    spans: tuple[Span, ...] = ()
    model: str = ""


class StreamMapper(Protocol):
    """A pure state machine: bytes as they came in, events out.

    ``failure`` is set when the provider broke off; the events up to it stay valid. ``is_done``
    says that the answer's last word has been read.
    """

    failure: Failure | None
    is_done: bool

    def feed(self, block: bytes) -> list[StreamEvent]:
        """The events of one block of a stream, its text joined into one delta."""
        ...

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece; nothing follows it."""
        ...

    def end(self) -> list[StreamEvent]:
        """The body is over: what is open closes, and the answer is complete or cut."""
        ...


# Sends a request and gives back the body of the answer; raises ``ProviderFailed``.
Fetch = Callable[[WireRequest], Awaitable[bytes]]


class Dialect(Protocol):
    """The words of one family at one address; it contacts nobody by itself.

    ``secrets`` are the texts that must never show in an error.
    """

    base_url: str
    secrets: tuple[str, ...]

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        """The headers that carry secrets, for the request that they go with."""
        ...

    def to_wire(self, request: ModelRequest) -> WireRequest: ...

    def mapper(self) -> StreamMapper: ...

    async def models(self, fetch: Fetch) -> list[ModelInfo]: ...


class Provider(Protocol):
    def to_wire(self, request: ModelRequest) -> WireRequest:
        """The request in the provider's words, byte by byte. Pure: what is shown is what is sent.

        A model inside the process has no address; ``method`` says how it is reached.
        """
        ...

    def stream(self, wire: WireRequest) -> AsyncGenerator[StreamEvent, None]:
        """Send what ``to_wire`` made and yield the answer. Closing aborts upstream at once.

        Raises ``ProviderFailed``; what was yielded before stays valid.
        """
        ...

    async def models(self) -> list[ModelInfo]:
        """What this provider offers, by the provider's own model names."""
        ...

    def learned_limits(self, model: str) -> LimitValues:
        """What its answers have taught of a model's limits so far."""
        ...

    async def close(self) -> None: ...
