"""A planned request in the words of the Responses API, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. Nothing is stored with the provider, so each request
holds the whole conversation, what the model once thought included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Raw, Struct

from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.messages import Message
from windowpane.options import Effort, clamped_effort
from windowpane.parts import Image, Native, Part, Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.calls import Place, call_ids
from windowpane.providers.efforts import is_sealed, supported_efforts, takes_temperature
from windowpane.providers.writing import (
    Sourced,
    Written,
    from_message,
    from_system,
    from_tool,
    written,
)

FAMILY = "openai_responses"
WEB_SEARCH = {"type": "web_search"}
SEALED_THOUGHTS = "reasoning.encrypted_content"
CALL_ID = re.compile(r".{1,64}")


class _Thought(Struct):
    encrypted_content: object = None
    content: object = None


_thought = msgspec.json.Decoder(_Thought)


def responses_body(request: ModelRequest) -> Written:
    """Cache marks have no words here: the provider remembers what it can by itself."""
    options = request.options
    effort = _effort(request)
    return written(
        {
            "model": request.model,
            "instructions": from_system(request.system) if request.system else None,
            "input": list(_input(request)),
            "tools": list(_tools(request)) or None,
            "max_output_tokens": request.max_output_tokens,
            "temperature": options.temperature
            if takes_temperature(request.model, effort=effort)
            else None,
            "reasoning": _reasoning(request, effort=effort),
            "store": False,
            # Models that do not think refuse to be asked for their thoughts, and other services'
            # models think in the open.
            "include": [SEALED_THOUGHTS] if is_sealed(request.model) else None,
            "stream": options.is_streamed,
        }
    )


def _effort(request: ModelRequest) -> Effort | None:
    reasoning = request.options.reasoning
    supported = supported_efforts(request.model)
    if reasoning is None or reasoning.effort is None or not supported:
        return None
    return clamped_effort(reasoning.effort, supported)


def _reasoning(request: ModelRequest, *, effort: Effort | None) -> dict[str, str] | None:
    """The summary only on request: OpenAI makes them for organisations it has verified."""
    reasoning = request.options.reasoning
    if reasoning is None or not supported_efforts(request.model):
        return None
    fields = {"effort": effort, "summary": reasoning.summary}
    return {name: value for name, value in fields.items() if value is not None} or None


def _tools(request: ModelRequest) -> Iterator[object]:
    for tool in request.tools:
        yield from_tool(tool.name, _tool(tool))
    if request.options.has_web_search:
        yield WEB_SEARCH


def _tool(tool: ToolDefinition) -> dict[str, object]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        # Left out it is taken for true, and schemas with optional fields are refused.
        "strict": False,
    }


def _input(request: ModelRequest) -> Iterator[Sourced]:
    ids = call_ids(request.messages, form=CALL_ID)
    for number, message in enumerate(request.messages):
        for item in _items(message, number, ids, model=request.model):
            yield from_message(message.id, item)


def _items(
    message: Message, number: int, ids: Mapping[Place, str], *, model: str
) -> Iterator[object]:
    match message.role:
        case "user":
            return _question(message)
        case "assistant":
            return _answer(message, number, ids, model=model)
        case "tool":
            return _results(message, number, ids)


def _question(message: Message) -> Iterator[object]:
    content = [item for part in message.parts if (item := _shown(part)) is not None]
    if any(isinstance(part, Image) for part in message.parts):
        yield {"role": "user", "content": content}
    elif content:
        yield {"role": "user", "content": message.text}


def _shown(part: Part) -> dict[str, str] | None:
    if isinstance(part, Text) and part.text:
        return {"type": "input_text", "text": part.text}
    if isinstance(part, Image):
        url = part.url or f"data:{part.media_type};base64,{part.data}"
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    return None


def _results(message: Message, number: int, ids: Mapping[Place, str]) -> Iterator[object]:
    for position, part in enumerate(message.parts):
        if isinstance(part, ToolResult):
            call_id = ids[number, position]
            yield {"type": "function_call_output", "call_id": call_id, "output": part.text}
    # Images that a tool gave are shown by the user.
    if images := [_shown(part) for part in message.parts if isinstance(part, Image)]:
        yield {"role": "user", "content": images}


def _answer(
    message: Message, number: int, ids: Mapping[Place, str], *, model: str
) -> Iterator[object]:
    """Items of this family as they came, others in plain words.

    A thought is refused without the very item that it led to, so it is left out where the answer
    was cut after it or what followed was written anew.
    """
    is_led_to = False
    items: list[object] = []
    for position, part in reversed(list(enumerate(message.parts))):
        id = ids.get((number, position), "")
        if isinstance(part, Reasoning):
            if is_led_to and (native := _own(part, id=id)) and _can_return(native, model=model):
                items.append(_verbatim(native))
        elif native := _own(part, id=id):
            items.append(_verbatim(native))
            is_led_to = True
        elif (plain := _plain(part, id=id)) is not None:
            items.append(plain)
            is_led_to = False
    return reversed(items)


def _own(part: Part, *, id: str) -> Native | None:
    """The block as it came, unless it is a call whose ``id`` had to become another."""
    native = None if isinstance(part, ToolResult) else part.native
    if native is None or native.family != FAMILY:
        return None
    return None if isinstance(part, ToolCall) and id != part.call_id else native


def _can_return(thought: Native, *, model: str) -> bool:
    """A thought that is neither sealed nor told is a mere name, which only a storing server knows.

    DeepSeek tells its thoughts; OpenAI seals them, and its models that do not think refuse them.
    """
    fields = _thought.decode(thought.block)
    return is_sealed(model) if fields.encrypted_content else bool(fields.content)


def _verbatim(native: Native) -> Raw:
    return Raw(native.block.encode())


def _plain(part: Part, *, id: str) -> dict[str, str] | None:
    if isinstance(part, Text) and part.text:
        return {"role": "assistant", "content": part.text}
    if isinstance(part, ToolCall):
        return {
            "type": "function_call",
            "call_id": id,
            "name": part.name,
            # A call without arguments comes as an empty text, which servers refuse to read back.
            "arguments": part.arguments or "{}",
        }
    return None
