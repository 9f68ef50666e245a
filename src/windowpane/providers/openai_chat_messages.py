"""Messages and tools in the words of Chat Completions, each with its source.

What a server sent for its own use goes back to it unchanged; parts of other families go in their
plain form, and reasoning without a native block is left out: the family has no place for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import cast

from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.messages import Message
from windowpane.parts import Image, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.openai_chat_hosts import Host
from windowpane.providers.openai_chat_native import (
    Fields,
    add_fields,
    is_content_part,
    native_fields,
)
from windowpane.providers.writing import Sourced, from_message, from_system, from_tool

EPHEMERAL = {"type": "ephemeral"}
# Behind OpenRouter, these take marks; all others remember by themselves.
MARKED_MODELS = ("anthropic/", "google/")
CALL_ID_CHARACTERS = 9


def chat_tools(request: ModelRequest) -> list[Sourced]:
    return [from_tool(tool.name, _tool(tool)) for tool in request.tools]


def sourced_messages(request: ModelRequest, *, host: Host) -> Iterator[Sourced | Fields]:
    marks = _marks(request, host)
    if request.system:
        system: Fields = {"role": "system", "content": request.system}
        yield from_system(_marked(system) if None in marks else system)
    for message in request.messages:
        spoken = _plain(message) or list(_spoken(message, host))
        if spoken and message.id in marks:
            spoken[-1] = _marked(spoken[-1])
        for one in spoken:
            yield from_message(message.id, one)
    if request.prefill and host.prefill != "unsupported":
        prefix: Fields = {"prefix": True} if host.prefill == "prefix" else {}
        yield {"role": "assistant", "content": request.prefill, **prefix}


def _tool(tool: ToolDefinition) -> Fields:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _marks(request: ModelRequest, host: Host) -> frozenset[str | None]:
    if not (host.has_cache_marks and request.model.startswith(MARKED_MODELS)):
        return frozenset()
    return frozenset(mark.after_message_id for mark in request.marks)


def _marked(wire: Fields) -> Fields:
    """The mark stands on the last part of the content; calls alone have no place for it."""
    content = wire["content"]
    if not content:
        return wire
    parts = [_text_part(content)] if isinstance(content, str) else cast("list[Fields]", content)
    return wire | {"content": [*parts[:-1], parts[-1] | {"cache_control": EPHEMERAL}]}


def _plain(message: Message) -> list[Fields]:
    """One text, as most messages are, and a request holds many; nothing for any other."""
    match message.parts:
        case (Text(text=text),) if text and message.role != "tool":
            return [{"role": message.role, "content": text}]
        case _:
            return []


def _spoken(message: Message, host: Host) -> Iterator[Fields]:
    match message.role:
        case "user":
            if content := _user_content(message):
                yield {"role": "user", "content": content}
        case "tool":
            yield from _results(message, host)
        case "assistant":
            yield from _answer(message, host)


def _user_content(message: Message) -> str | list[Fields]:
    if not any(isinstance(part, Image) for part in message.parts):
        return message.text
    return list(_prose(message.parts))


def _prose(parts: tuple[Part, ...]) -> Iterator[Fields]:
    for part in parts:
        if isinstance(part, Text) and part.text:
            yield _text_part(part.text)
        elif isinstance(part, Image):
            yield _image_part(part)


def _results(message: Message, host: Host) -> Iterator[Fields]:
    for part in message.parts:
        if isinstance(part, ToolResult):
            call_id = _call_id(part.call_id, host)
            yield {"role": "tool", "content": part.text, "tool_call_id": call_id}
    # A result is text here: images that a tool gave are shown by the user.
    if images := [_image_part(part) for part in message.parts if isinstance(part, Image)]:
        yield {"role": "user", "content": images}


def _answer(message: Message, host: Host) -> Iterator[Fields]:
    """One message, or none: this family has no place for reasoning alone."""
    content = _answer_content(message, host)
    calls = [_call(part, host) for part in message.parts if isinstance(part, ToolCall)]
    images = [_image_part(part) for part in message.parts if isinstance(part, Image)]
    if not host.gives_back_images:
        images.clear()
    if not (content or calls or images):
        return
    wire: Fields = {"role": "assistant", "content": content}
    for part in message.parts:
        if isinstance(part, Reasoning):
            add_fields(_message_fields(part, host), to=wire)
    if images:
        wire["images"] = images
    if calls and host.field_of_calls:
        wire.setdefault(host.field_of_calls, "")
    if calls:
        wire["tool_calls"] = calls
    yield wire


def _answer_content(message: Message, host: Host) -> str | list[Fields] | None:
    """Text as one string, unless the server's own parts stand between it."""
    own = [_own_part(part, host) for part in message.parts]
    if not any(own):
        return message.text or None
    content: list[Fields] = []
    for part, fields in zip(message.parts, own, strict=True):
        if fields:
            content.append(fields)
        elif isinstance(part, Text) and part.text:
            content.append(_text_part(part.text))
    return content


def _own_part(part: Part, host: Host) -> Fields:
    if not isinstance(part, Reasoning | Opaque) or not _is_wanted("content", host):
        return {}
    fields = native_fields(part.native)
    return fields if is_content_part(fields) else {}


def _message_fields(part: Reasoning, host: Host) -> Fields:
    fields = native_fields(part.native)
    if is_content_part(fields):
        return {}
    return {name: value for name, value in fields.items() if _is_wanted(name, host)}


def _is_wanted(field: str, host: Host) -> bool:
    return host.gives_back is None or field in host.gives_back


def _call(call: ToolCall, host: Host) -> Fields:
    native = native_fields(call.native)
    wire: Fields = {"id": _call_id(call.call_id, host), "type": "function"}
    if native.get("type") == "custom":
        return wire | {"type": "custom", "custom": {"name": call.name, "input": call.arguments}}
    # A call without arguments comes as an empty text, which servers refuse to read back.
    wire["function"] = {"name": call.name, "arguments": call.arguments or "{}"}
    return wire | {name: value for name, value in native.items() if _is_wanted(name, host)}


def _call_id(call_id: str, host: Host) -> str:
    """As it is, unless the server refuses its form: then one that is the same each time."""
    if re.fullmatch(host.call_id_form, call_id):
        return call_id
    return sha256(call_id.encode()).hexdigest()[:CALL_ID_CHARACTERS]


def _text_part(text: str) -> Fields:
    return {"type": "text", "text": text}


def _image_part(image: Image) -> Fields:
    url = f"data:{image.media_type};base64,{image.data}" if image.data else image.url
    return {"type": "image_url", "image_url": {"url": url}}
