"""The lens: the next request to the byte, before it is sent, each range with its source.

What it shows is what a send with the same ``written_at`` sends, as long as nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from windowpane.context.plan import ContextPlan
from windowpane.context.request import ModelRequest
from windowpane.messages import Message
from windowpane.providers.base import SourceKind, Span, WireRequest
from windowpane.tokens import Counter
from windowpane.turns import TurnContent


class LensSpan(Struct, frozen=True, kw_only=True):
    """A range of the body in bytes, what it comes from and what that weighs.

    ``turn_id`` is empty for the draft, the system text and tools; ``id`` names message or tool.
    """

    start: int
    end: int
    kind: SourceKind
    id: str
    turn_id: str
    tokens: int


class Lens(Struct, frozen=True, kw_only=True):
    """``written_at`` goes with the send that shall send exactly this."""

    method: str
    url: str
    headers: dict[str, str]
    body: str
    body_bytes: int
    spans: tuple[LensSpan, ...]
    total_tokens: int
    written_at: datetime


def lens_of(
    wire: WireRequest,
    request: ModelRequest,
    ready: ContextPlan,
    *,
    contents: Mapping[str, TurnContent],
    counter: Counter,
    written_at: datetime,
) -> Lens:
    messages = {message.id: message for message in request.messages}
    turns = {message.id: turn_id for turn_id, one in contents.items() for message in one.messages}
    tools = {tool.name: counter.tool(tool) for tool in request.tools}

    def tokens(span: Span) -> int:
        if span.kind == "tool":
            return tools[span.id]
        if span.kind == "system":
            return counter.system(request.system)
        return _message_tokens(messages[span.id], counter)

    return Lens(
        method=wire.method,
        url=wire.url,
        headers=wire.headers,
        body=wire.body.decode(),
        body_bytes=len(wire.body),
        spans=tuple(
            LensSpan(
                start=span.start,
                end=span.end,
                kind=span.kind,
                id=span.id,
                turn_id=turns.get(span.id, ""),
                tokens=tokens(span),
            )
            for span in wire.spans
        ),
        total_tokens=ready.total_tokens,
        written_at=written_at,
    )


def _message_tokens(message: Message, counter: Counter) -> int:
    return counter.message(message, sent=message.parts)
