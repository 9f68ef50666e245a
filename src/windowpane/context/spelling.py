"""Tool calls as plain text, for requests that offer no tools.

A call and its result become one text where the call stood, so neither can go without the other.
Calls without a result are left as they are: nobody sends those.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from windowpane.context.emission import tool_pairs
from windowpane.messages import Message
from windowpane.parts import Part, Reasoning, Text, ToolCall, ToolResult

# Which message, which of its parts.
Place = tuple[int, int]


def spelled(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of one turn without a call that has a result."""
    pairs = dict(tool_pairs(messages))
    if not pairs:
        return tuple(messages)
    results = set(pairs.values())
    written: list[Message] = []
    for number, message in enumerate(messages):
        parts: list[Part] = []
        for position, part in enumerate(message.parts):
            place = (number, position)
            if place in pairs:
                spelling = _spelled(part, _part_at(messages, pairs[place]))
                is_first = not (parts and isinstance(parts[-1], Text))
                parts.append(Text(text=spelling if is_first else f"\n\n{spelling}"))
            elif place not in results:
                parts.append(part)
        written.append(_rewritten(message, parts))
    return tuple(message for message in written if message.parts)


def _part_at(messages: Sequence[Message], place: Place) -> Part:
    number, position = place
    return messages[number].parts[position]


def _rewritten(message: Message, parts: list[Part]) -> Message:
    """Thoughts that led to a call are bound to it, and go with it."""
    if tuple(parts) == message.parts:
        return message
    kept = tuple(part for part in parts if not isinstance(part, Reasoning))
    return structs.replace(message, parts=kept, usage=None)


def _spelled(call: Part, result: Part) -> str:
    assert isinstance(call, ToolCall) and isinstance(result, ToolResult), "pairs are of these"
    outcome = "failed" if result.is_error else "gave"
    return f"[called {call.name}: {call.arguments or '{}'}]\n[{outcome}: {result.text}]"
