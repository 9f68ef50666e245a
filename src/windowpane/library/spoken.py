"""From single messages to turns, the unit that is shown, sent and left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from windowpane.library.reading import BadMessages, Json
from windowpane.library.source import Source
from windowpane.messages import Message, Role
from windowpane.parts import Part, ToolCall, ToolResult
from windowpane.turns import Turn, TurnContent

# Given messages carry no time.
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


class SystemText(Struct, frozen=True, kw_only=True):
    """Instructions at the beginning, as given and as text."""

    json: Json
    text: str


def message_of(number: int, role: Role, parts: Sequence[Part]) -> Message:
    return Message(id=str(number), role=role, parts=tuple(parts), created_at=NO_TIME)


def turns_of(sources: Sequence[Source]) -> list[list[Source]]:
    """A turn begins with every message of the user."""
    turns: list[list[Source]] = []
    for source in sources:
        if source.message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(source)
    return turns


def content_of(number: int, sources: Sequence[Source]) -> TurnContent:
    turn = Turn(
        id=str(number),
        chat_id="",
        parent_id=None,
        depth=number - 1,
        model="",
        state="complete",
        created_at=NO_TIME,
    )
    return TurnContent(turn=turn, messages=tuple(source.message for source in sources))


def is_pending(sources: Sequence[Source]) -> bool:
    """Whether a turn waits for an answer: its last word is the user's or a tool's."""
    spoken = [source for source in sources if not source.is_instruction]
    return bool(spoken) and spoken[-1].message.role != "assistant"


def check_tools(sources: Sequence[Source], *, leading: int) -> None:
    """A result answers a call before it, and a call has a result unless it is the last word.

    ``leading`` messages stand before these in the list that was given.
    """
    open_calls: dict[str, int] = {}
    last_speech = -1
    for at, source in enumerate(sources):
        if source.message.role == "assistant" and not source.is_instruction:
            last_speech = at
        for part in source.message.parts:
            if isinstance(part, ToolCall):
                open_calls[part.call_id] = at
            elif isinstance(part, ToolResult) and open_calls.pop(part.call_id, None) is None:
                complaint = f"answers the call {part.call_id!r}, which is not open before it."
                raise BadMessages(f"messages[{leading + at}]", complaint)
    for call_id, at in open_calls.items():
        if at != last_speech:
            complaint = f"makes the call {call_id!r}, which has no result after it."
            raise BadMessages(f"messages[{leading + at}]", complaint)
