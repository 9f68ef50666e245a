"""The full text behind a handle: what a shortened request or a search result stands for.

A handle is a turn's id, or a turn's id and a tool call's, written ``trn_…/call``. It opens only
within its own chat: what a model asks for must not reach into others.
"""

from __future__ import annotations

from collections.abc import Iterator

from windowpane.agent.reading import read_turns
from windowpane.errors import NotFound
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.storage.shelves import OUTPUTS, left_of
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent


def result_handle(turn_id: str, *, call_id: str) -> str:
    return f"{turn_id}/{call_id}"


async def text_behind(vault: Vault, handle: str, *, chat_id: str) -> str:
    """All of a turn, or of a tool's result, whether it is on the chat's path or was left."""
    turn_id, _, call_id = handle.partition("/")
    read = (await read_turns(vault, [turn_id])).turns.get(turn_id)
    if read is None or read.parent_id not in (chat_id, left_of(chat_id)):
        raise NotFound("turn", id=turn_id)
    if not call_id:
        return turn_text(read.content)
    for part in _parts(read.content):
        if isinstance(part, ToolResult) and part.call_id == call_id:
            whole = await vault.find(OUTPUTS, part.output_id) if part.output_id else None
            return whole.value.text if whole else part.text
    raise NotFound("tool result", id=handle)


def turn_text(content: TurnContent) -> str:
    """A turn as one text, in the order in which it was said; thoughts and pictures are not said."""
    told = [
        f"{message.role}: {text}"
        for message in content.messages
        for part in message.parts
        if (text := _text(part))
    ]
    return "\n\n".join(told)


def _parts(content: TurnContent) -> Iterator[Part]:
    for message in content.messages:
        yield from message.parts


def _text(part: Part) -> str:
    match part:
        case Text() | ToolResult():
            return part.text
        case ToolCall() | ServerTool():
            return f"[{part.name} {part.arguments}]"
        case Reasoning() | Image() | Opaque():
            return ""
