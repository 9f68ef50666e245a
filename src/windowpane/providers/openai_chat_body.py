"""A planned request in the words of Chat Completions, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. Sending them is the adapter's work.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw, Struct

from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.providers.writing import (
    Sourced,
    Written,
    from_message,
    from_system,
    from_tool,
    written,
)

# OpenAI's newer models refuse the old name of the limit, many other servers know no other.
OPENAI_HOST = "//api.openai.com"


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


def chat_body(request: ModelRequest, *, base_url: str) -> Written:
    limit_name = "max_completion_tokens" if OPENAI_HOST in base_url else "max_tokens"
    is_streamed = request.options.is_streamed
    return written(
        {
            "model": request.model,
            "messages": list(_messages(request)),
            "tools": [from_tool(tool.name, _tool(tool)) for tool in request.tools] or None,
            limit_name: request.max_output_tokens,
            "temperature": request.options.temperature,
            "stream": is_streamed,
            "stream_options": StreamOptions(include_usage=True) if is_streamed else None,
        }
    )


def chat_messages(request: ModelRequest) -> list[object]:
    return [sourced.value for sourced in _messages(request)]


def chat_tools(request: ModelRequest) -> list[ChatTool]:
    return [_tool(tool) for tool in request.tools]


def _messages(request: ModelRequest) -> Iterator[Sourced]:
    if request.system:
        yield from_system(ChatMessage(role="system", content=request.system))
    for message in request.messages:
        spoken = _results(message) if message.role == "tool" else _speech(message)
        for one in spoken:
            yield from_message(message.id, one)


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
