"""The full text behind a handle: what a shortened request or a search result stands for.

A handle is a turn's id. It opens only within its own chat: what a model asks for must not reach
into others.
"""

from __future__ import annotations

from windowpane.agent.reading import read_turns
from windowpane.errors import NotFound
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.storage.shelves import left_of
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent


async def text_behind(vault: Vault, handle: str, *, chat_id: str) -> str:
    """All of a turn, whether it is on the chat's path or was left."""
    read = (await read_turns(vault, [handle])).turns.get(handle)
    if read is None or read.parent_id not in (chat_id, left_of(chat_id)):
        raise NotFound("turn", id=handle)
    return turn_text(read.content)


def turn_text(content: TurnContent) -> str:
    """A turn as one text, in the order in which it was said; thoughts and pictures are not said."""
    told = [
        f"{message.role}: {text}"
        for message in content.messages
        for part in message.parts
        if (text := _text(part))
    ]
    return "\n\n".join(told)


def _text(part: Part) -> str:
    match part:
        case Text() | ToolResult():
            return part.text
        case ToolCall() | ServerTool():
            return f"[{part.name} {part.arguments}]"
        case Reasoning() | Image() | Opaque():
            return ""
