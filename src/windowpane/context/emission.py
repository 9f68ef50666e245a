"""Which messages and parts of a turn go out. Counting and assembling both read it here.

A tool call never goes without its result, nor a result without its call, whatever else is
removed; reasoning that led to a call goes when the call goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import structs

from windowpane.messages import Message
from windowpane.parts import Part, Reasoning, ToolCall, ToolResult

Removal = Literal["reasoning", "tools"]
Removals = frozenset[Removal]
WHOLE: Removals = frozenset()


def emitted(messages: Sequence[Message], removals: Removals) -> tuple[Message, ...]:
    """The messages of one turn as they are sent; those that become empty are left out."""
    paired = frozenset[str]() if "tools" in removals else _paired_call_ids(messages)
    return tuple(
        message if parts == message.parts else structs.replace(message, parts=parts)
        for message in messages
        if (parts := _kept_parts(message, paired=paired, removals=removals))
    )


def _kept_parts(
    message: Message, *, paired: frozenset[str], removals: Removals
) -> tuple[Part, ...]:
    parts = tuple(part for part in message.parts if _is_kept(part, paired=paired))
    has_lost_calls = _calls(parts) < _calls(message.parts)
    if "reasoning" in removals or has_lost_calls:
        parts = tuple(part for part in parts if not isinstance(part, Reasoning))
    return parts


def _is_kept(part: Part, *, paired: frozenset[str]) -> bool:
    if isinstance(part, ToolCall | ToolResult):
        return part.call_id in paired
    # A block that is all signature has no text, and must go back all the same.
    return part.native is not None or bool(part.text.strip())


def _calls(parts: Sequence[Part]) -> int:
    return sum(1 for part in parts if isinstance(part, ToolCall))


def _paired_call_ids(messages: Sequence[Message]) -> frozenset[str]:
    parts = [part for message in messages for part in message.parts]
    called = {part.call_id for part in parts if isinstance(part, ToolCall)}
    answered = {part.call_id for part in parts if isinstance(part, ToolResult)}
    return frozenset(called & answered)
