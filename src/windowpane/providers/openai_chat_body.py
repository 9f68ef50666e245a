"""A planned request in the words of Chat Completions, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. Sending them is the adapter's work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult

# OpenAI's newer models refuse the old name, many compatible servers know no other.
LimitName = Literal["max_tokens", "max_completion_tokens"]


class _Call(Struct, frozen=True, kw_only=True):
    name: str
    arguments: str


class ChatToolCall(Struct, frozen=True, kw_only=True):
    id: str
    type: str
    function: _Call


class ChatMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    role: str
    content: str | None = None
    tool_calls: tuple[ChatToolCall, ...] = ()
    tool_call_id: str = ""


class _Function(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    parameters: Raw


class ChatTool(Struct, frozen=True, kw_only=True):
    type: str
    function: _Function


class StreamOptions(Struct, frozen=True, kw_only=True):
    include_usage: bool


class ChatBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    model: str
    messages: list[ChatMessage]
    tools: list[ChatTool] = []
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream: bool
    stream_options: StreamOptions


def chat_body(request: ModelRequest, *, limit_name: LimitName) -> bytes:
    limit = request.max_output_tokens
    body = ChatBody(
        model=request.model,
        messages=chat_messages(request),
        tools=chat_tools(request),
        max_tokens=limit if limit_name == "max_tokens" else None,
        max_completion_tokens=limit if limit_name == "max_completion_tokens" else None,
        stream=True,
        stream_options=StreamOptions(include_usage=True),
    )
    return msgspec.json.encode(body)


def chat_messages(request: ModelRequest) -> list[ChatMessage]:
    return list(_messages(request))


def chat_tools(request: ModelRequest) -> list[ChatTool]:
    return [_tool(tool) for tool in request.tools]


def _messages(request: ModelRequest) -> Iterator[ChatMessage]:
    if request.system:
        yield ChatMessage(role="system", content=request.system)
    for message in request.messages:
        if message.role == "tool":
            yield from _results(message)
        else:
            yield from _speech(message)


def _results(message: Message) -> Iterator[ChatMessage]:
    for part in message.parts:
        if isinstance(part, ToolResult):
            yield ChatMessage(role="tool", content=part.text, tool_call_id=part.call_id)


def _speech(message: Message) -> Iterator[ChatMessage]:
    """One message, or none: this family has no place for reasoning alone."""
    calls = tuple(_call(part) for part in message.parts if isinstance(part, ToolCall))
    if message.text or calls:
        yield ChatMessage(role=message.role, content=message.text or None, tool_calls=calls)


def _call(call: ToolCall) -> ChatToolCall:
    # A call without arguments comes as an empty text, which servers refuse to read back.
    function = _Call(name=call.name, arguments=call.arguments or "{}")
    return ChatToolCall(id=call.call_id, type="function", function=function)


def _tool(tool: ToolDefinition) -> ChatTool:
    function = _Function(name=tool.name, description=tool.description, parameters=tool.schema)
    return ChatTool(type="function", function=function)
