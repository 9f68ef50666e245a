"""A conversation as plain text, for a model that reads about it instead of taking part in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from windowpane.context.emission import WHOLE, emitted
from windowpane.messages import Message
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.turns import TurnContent


def transcript(contents: Iterable[TurnContent]) -> str:
    """What was said and done, each message under its role. Reasoning is no part of it."""
    blocks: list[str] = []
    for content in contents:
        for message in emitted(content.messages, WHOLE):
            lines = [line for part in message.parts for line in _lines(part)]
            if lines:
                blocks.append("\n".join([f"[{_speaker(message)}]", *lines]))
    return "\n\n".join(blocks)


def _speaker(message: Message) -> str:
    return message.role.upper()


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Text(text=text):
            if text.strip():
                yield text
        case Reasoning() | ServerTool() | Opaque():
            return
        case Image(media_type=media_type):
            yield f"<image type={media_type!r} />"
        case ToolCall(name=name, arguments=arguments):
            yield f"<tool_call name={name!r}>\n{arguments}\n</tool_call>"
        case ToolResult(name=name, text=text, is_error=is_error):
            failed = " failed" if is_error else ""
            yield f"<tool_result name={name!r}{failed}>\n{text}\n</tool_result>"
        case _:
            assert_never(part)
