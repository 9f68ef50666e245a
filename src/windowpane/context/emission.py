"""Which messages and parts of a turn go out. Counting and assembling both read it here.

A tool call never goes without its result, nor a result without its call, whatever else is
removed; reasoning that led to a call goes when the call goes. A message that was worded for the
model goes as it was worded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import structs

from windowpane.messages import Message
from windowpane.parts import Part, Reasoning, Text, ToolCall, ToolResult

Removal = Literal["reasoning", "tools"]
Removals = frozenset[Removal]
WHOLE: Removals = frozenset()

# The places of parts in a turn: which message, which of its parts.
Places = frozenset[tuple[int, int]]
NOWHERE: Places = frozenset()


def emitted(messages: Sequence[Message], removals: Removals) -> tuple[Message, ...]:
    """The messages of one turn as they are sent; those that become empty are left out."""
    # Most turns are question and answer, and a request holds many: nothing of them can be left out.
    if all(_is_plain(message) for message in messages):
        return tuple(messages)
    tools = NOWHERE if "tools" in removals else tool_places(messages)
    return with_tools_at(messages, tools, has_reasoning="reasoning" not in removals)


def with_tools_at(
    messages: Sequence[Message], tools: Places, *, has_reasoning: bool
) -> tuple[Message, ...]:
    """The messages with only the calls and results at some places."""
    sent: list[Message] = []
    for number, written in enumerate(messages):
        message = worded(written)
        parts = _kept_parts(message, number, tools=tools, has_reasoning=has_reasoning)
        if parts:
            is_whole = parts == message.parts
            sent.append(message if is_whole else structs.replace(message, parts=parts))
    return tuple(sent)


def worded(message: Message) -> Message:
    """A message with the text that the model gets; its other parts stay where they are."""
    if message.sent_text is None:
        return message
    others = [part for part in message.parts if not isinstance(part, Text)]
    parts = (*others, Text(text=message.sent_text))
    return structs.replace(message, parts=parts, sent_text=None)


def tool_places(messages: Sequence[Message]) -> Places:
    return frozenset(place for pair in tool_pairs(messages) for place in pair)


def tool_pairs(messages: Sequence[Message]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The places of each call and of its result, in the order of the results.

    A result answers the newest open call of its id before it: some servers count their calls
    from one again in every round.
    """
    open_calls: dict[str, list[tuple[int, int]]] = {}
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for number, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if isinstance(part, ToolCall):
                open_calls.setdefault(part.call_id, []).append((number, position))
            elif isinstance(part, ToolResult) and open_calls.get(part.call_id):
                pairs.append((open_calls[part.call_id].pop(), (number, position)))
    return pairs


def _kept_parts(
    message: Message, number: int, *, tools: Places, has_reasoning: bool
) -> tuple[Part, ...]:
    parts = tuple(
        part
        for position, part in enumerate(message.parts)
        if _is_kept(part, is_paired=(number, position) in tools)
    )
    if message.role == "tool" and not any(isinstance(part, ToolResult) for part in parts):
        # The images that a tool gave belong to its result.
        return ()
    has_lost_calls = _calls(parts) < _calls(message.parts)
    if has_reasoning and not has_lost_calls:
        return parts
    return tuple(part for part in parts if not isinstance(part, Reasoning))


def _is_plain(message: Message) -> bool:
    """One text that says something, and goes as it was written."""
    parts = message.parts
    if len(parts) != 1 or message.sent_text is not None:
        return False
    return isinstance(part := parts[0], Text) and _says_something(part.text)


def _says_something(text: str) -> bool:
    return bool(text) and not text.isspace()


def _is_kept(part: Part, *, is_paired: bool) -> bool:
    if isinstance(part, ToolCall | ToolResult):
        return is_paired
    if isinstance(part, Text | Reasoning):
        # A block that is all signature has no text, and must go back all the same.
        return part.native is not None or _says_something(part.text)
    return True


def _calls(parts: Sequence[Part]) -> int:
    return sum(1 for part in parts if isinstance(part, ToolCall))
