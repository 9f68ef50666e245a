"""The calls of a running turn and what answers them: one tool message, in the order of the calls.

A turn that had to wait may hold that message with some of the results; it is filled up later and
stays the same message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from windowpane.messages import Message
from windowpane.parts import Image, ToolCall, ToolResult

REJECTED = "User rejected the tool call"
STOPPED = "The user stopped before this call had ended."
CLOSED = "Windowpane was closed before this call had ended."
FAILED = "The turn failed before this call had ended."


def open_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """The newest calls, as far as they have no result."""
    answered = [result.call_id for result in given_results(messages)]
    missing: list[ToolCall] = []
    for call in _newest_calls(messages):
        if call.call_id in answered:
            answered.remove(call.call_id)
        else:
            missing.append(call)
    return missing


def given_results(messages: Sequence[Message]) -> list[ToolResult]:
    """The results of the newest calls that are there already."""
    last = messages[-1]
    return [part for part in last.parts if isinstance(part, ToolResult)]


def results_message(
    messages: Sequence[Message],
    results: Iterable[ToolResult],
    *,
    images: Sequence[Image],
    id: str,
    at: datetime,
) -> Message:
    """The answer to the newest calls, with those results that were there before."""
    last = messages[-1]
    before = last if last.role == "tool" else None
    given = [*given_results(messages), *results]
    ordered: list[ToolResult] = []
    for call in _newest_calls(messages):
        found = next((result for result in given if result.call_id == call.call_id), None)
        if found is not None:
            given.remove(found)
            ordered.append(found)
    seen = [part for part in before.parts if isinstance(part, Image)] if before else []
    return Message(
        id=before.id if before else id,
        role="tool",
        parts=(*ordered, *seen, *images),
        created_at=before.created_at if before else at,
    )


def refusal(call: ToolCall, sentence: str) -> ToolResult:
    return ToolResult(call_id=call.call_id, name=call.name, text=sentence, is_error=True)


def with_message(messages: Sequence[Message], message: Message) -> list[Message]:
    """The messages with one more, or with a fuller one in its place."""
    return [*(one for one in messages if one.id != message.id), message]


def _newest_calls(messages: Sequence[Message]) -> list[ToolCall]:
    asking = messages[-1] if messages[-1].role != "tool" else messages[-2]
    return [part for part in asking.parts if isinstance(part, ToolCall)]
