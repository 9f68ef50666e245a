"""A model that runs inside this process, with no key and no network.

The engine speaks Chat Completions, so the words are those of ``openai_chat_messages`` and
``openai_chat_stream``. Memory and threads are ``local_engine``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from windowpane.catalog.limits import LimitValues
from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ProviderDefinition
from windowpane.errors import Failure, FailureKind, InvalidInput, ProviderFailed
from windowpane.events import StreamEvent
from windowpane.providers.base import WireRequest
from windowpane.providers.local_engine import LocalEngine
from windowpane.providers.openai_chat_hosts import PLAIN_HOST
from windowpane.providers.openai_chat_messages import chat_tools, sourced_messages
from windowpane.providers.openai_chat_stream import ChatStreamMapper
from windowpane.providers.weights import weights_name, weights_of
from windowpane.providers.writing import Written, written

# The makers of the demo model advise a low temperature: a small model soon loses the thread.
TEMPERATURE = 0.2
TOP_P = 0.9
UNLIMITED = -1
# Left alone it goes round in circles to the end of its window: minutes of one sentence.
DEMO_OUTPUT_TOKENS = 512
DEMO_REPEAT_PENALTY = 1.15
NO_REPEAT_PENALTY = 1.0
SCHEME = "local:"


class LocalProvider:
    """``base_url`` of the definition is the path of a GGUF file; empty for the demo model."""

    def __init__(self, definition: ProviderDefinition, engine: LocalEngine) -> None:
        self._base_url = definition.base_url
        self._engine = engine

    def to_wire(self, request: ModelRequest) -> WireRequest:
        """What the engine is given; there is no address, and nothing leaves the process."""
        url = f"{SCHEME}{request.model}"
        spoken = local_body(request, base_url=self._base_url)
        return WireRequest(method="RUN", url=url, headers={}, body=spoken.body, spans=spoken.spans)

    async def stream(self, wire: WireRequest) -> AsyncGenerator[StreamEvent, None]:
        model = wire.url.removeprefix(SCHEME)
        if model != weights_name(self._base_url):
            raise _failed("model", f"There is no local model called {model}.")
        mapper = ChatStreamMapper(secrets=())
        try:
            async with aclosing(self._payloads(wire)) as payloads:
                async for payload in payloads:
                    for event in mapper.read(payload):
                        yield event
        except InvalidInput as error:
            raise _failed("model", str(error)) from error
        for event in mapper.end():
            yield event
        if mapper.failure is not None:
            raise ProviderFailed(mapper.failure)

    async def models(self) -> list[ModelInfo]:
        weights = await asyncio.to_thread(weights_of, self._base_url)
        return [
            ModelInfo(
                name=weights.name,
                context_window_tokens=weights.window_tokens,
                label=weights.label,
            )
        ]

    def learned_limits(self, model: str) -> LimitValues:
        """Nothing: nobody limits how often one asks it."""
        return LimitValues()

    async def close(self) -> None:
        """Nothing to do: the engine belongs to whoever made it."""

    def _payloads(self, wire: WireRequest) -> AsyncGenerator[str, None]:
        return self._engine.generate(wire.body.decode(), weights=lambda: weights_of(self._base_url))


def local_body(request: ModelRequest, *, base_url: str) -> Written:
    is_demo = not base_url
    wished = request.options.temperature
    return written(
        {
            "messages": list(sourced_messages(request, host=PLAIN_HOST)),
            "tools": chat_tools(request) or None,
            "stream": True,
            "stream_options": {"include_usage": True},
            # While the prompt is read there is nothing to say; progress gives a moment to stop at.
            "return_progress": True,
            "temperature": TEMPERATURE if wished is None else wished,
            "top_p": TOP_P,
            "repeat_penalty": DEMO_REPEAT_PENALTY if is_demo else NO_REPEAT_PENALTY,
            "max_tokens": request.max_output_tokens
            or (DEMO_OUTPUT_TOKENS if is_demo else UNLIMITED),
        }
    )


def _failed(kind: FailureKind, message: str) -> ProviderFailed:
    return ProviderFailed(Failure(kind=kind, message=message))
