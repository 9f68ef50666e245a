"""What the next request contains. Only this module constructs what is sent."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.messages import Message
from windowpane.turns import TurnContent


class ModelRequest(Struct, frozen=True, kw_only=True):
    """What an adapter serialises: nothing is added to it and nothing left out."""

    model: str
    system: str
    messages: tuple[Message, ...]


class ContextPlan(Struct, frozen=True, kw_only=True):
    request: ModelRequest


def plan(*, model: str, system: str, turns: Sequence[TurnContent]) -> ContextPlan:
    """Every turn of the path, oldest first; empty messages are not emitted."""
    messages = tuple(message for content in turns for message in content.messages if message.parts)
    return ContextPlan(request=ModelRequest(model=model, system=system, messages=messages))
