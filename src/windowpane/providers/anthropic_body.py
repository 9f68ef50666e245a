"""A planned request in the words of Anthropic Messages, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. What the model wrote itself goes back block by block
as it came; what another family wrote goes in its plain form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from windowpane.context.request import ModelRequest
from windowpane.messages import Message
from windowpane.parts import Image, Opaque, Part, ServerTool, Text, ToolCall, ToolResult
from windowpane.providers.calls import Place, call_ids, call_input
from windowpane.providers.claude import (
    Thinking,
    is_adaptive,
    least_output_tokens,
    takes_temperature,
    wished_thinking,
    within_limit,
)
from windowpane.providers.writing import (
    Sourced,
    Written,
    from_message,
    from_system,
    from_tool,
    written,
)

FAMILY = "anthropic"
CACHED = {"type": "ephemeral"}
WEB_SEARCH = {"type": "web_search_20250305", "name": "web_search"}
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
# A mark on any other kind is refused, as on a thought, or nobody knows.
MARKED_KINDS = frozenset(
    {"text", "image", "tool_use", "tool_result", "server_tool_use", "web_search_tool_result"}
)
# An error without a word is refused.
NO_WORD = "(nothing)"

Block = dict[str, object]


class _Told(Struct, frozen=True, kw_only=True):
    """What the blocks of a message depend on beside the message itself."""

    messages: Sequence[Message]
    ids: Mapping[Place, str]
    answered: frozenset[str]
    marked: frozenset[str | None]


def messages_body(request: ModelRequest, *, extra: dict[str, object]) -> Written:
    """``extra`` are the fields that depend on where the request goes."""
    # The API wants a limit, also where a request leaves it open.
    max_tokens = request.max_output_tokens or least_output_tokens(request.model)
    wished = wished_thinking(request, family=FAMILY)
    thinking = within_limit(wished, limit_tokens=max_tokens)
    temperature = request.options.temperature
    marked = frozenset(mark.after_message_id for mark in request.marks)
    return written(
        {
            **extra,
            "max_tokens": max_tokens,
            "system": _system(request, is_marked=None in marked),
            "tools": _tools(request, is_marked=None in marked and not request.system),
            **(thinking.fields if thinking else {}),
            "temperature": temperature if takes_temperature(request.model, thinking) else None,
            "messages": list(_messages(request, marked=marked, thinking=thinking)),
        }
    )


def _system(request: ModelRequest, *, is_marked: bool) -> list[Sourced] | None:
    if not request.system:
        return None
    return [from_system(_marked({"type": "text", "text": request.system}, is_marked=is_marked))]


def _tools(request: ModelRequest, *, is_marked: bool) -> list[object] | None:
    tools: list[object] = []
    for tool in request.tools:
        is_last = tool is request.tools[-1]
        described: Block = {
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.schema,
        }
        tools.append(from_tool(tool.name, _marked(described, is_marked=is_marked and is_last)))
    if request.options.has_web_search:
        tools.append(WEB_SEARCH)
    return tools or None


def _messages(
    request: ModelRequest, *, marked: frozenset[str | None], thinking: Thinking | None
) -> Iterator[Block]:
    """Neighbours of one role are one message here; each block keeps its own source."""
    told = _Told(
        messages=request.messages,
        ids=call_ids(request.messages, form=CALL_ID),
        answered=_answered_server_calls(request.messages),
        marked=marked,
    )
    spoken = [
        (_role(message), from_message(message.id, block))
        for number, message in enumerate(request.messages)
        for block in _blocks_of(told, number)
    ]
    for role, group in groupby(spoken, key=lambda one: one[0]):
        yield {"role": role, "content": [block for _, block in group]}
    prefill = request.prefill.rstrip()
    if prefill and thinking is None and not is_adaptive(request.model):
        yield {"role": "assistant", "content": prefill}


def _role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _blocks_of(told: _Told, number: int) -> list[Block]:
    message = told.messages[number]
    # Citations count documents from the beginning of an answer, and a tool's result ends one.
    follows_result = number > 0 and told.messages[number - 1].role == "tool"
    blocks: list[Block] = []
    for position, part in enumerate(message.parts):
        block = _block(part, message=message, id=told.ids.get((number, position), ""))
        if block is None or (isinstance(part, ServerTool) and _is_orphan(block, told, number)):
            continue
        if follows_result and isinstance(part, Text):
            block.pop("citations", None)
        blocks.append(block)
    blocks = _without_blanks(blocks)
    # Results are wanted first, before a picture that came with them.
    blocks.sort(key=lambda block: block.get("type") != "tool_result")
    if message.id in told.marked:
        _mark_last(blocks)
    return blocks


def _block(part: Part, *, message: Message, id: str) -> Block | None:
    """``id`` is that of a call or of its result."""
    native = None if isinstance(part, ToolResult) else part.native
    if native is not None and native.family == FAMILY:
        block = msgspec.json.decode(native.block, type=Block)
        return {**block, "id": id} if isinstance(part, ToolCall) else block
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case ToolCall():
            input = call_input(part.arguments)
            return {"type": "tool_use", "id": id, "name": part.name, "input": input}
        case ToolResult():
            return _result(part, id=id)
        # There is no place for a picture that a model drew.
        case Image() if message.role != "assistant":
            return {"type": "image", "source": _source(part)}
        case _:
            return None


def _result(result: ToolResult, *, id: str) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": id}
    # An empty text is refused, a result without content is not.
    if result.text.strip():
        block["content"] = result.text
    elif result.is_error:
        block["content"] = NO_WORD
    if result.is_error:
        block["is_error"] = True
    return block


def _source(image: Image) -> Block:
    if image.data:
        return {"type": "base64", "media_type": image.media_type, "data": image.data}
    return {"type": "url", "url": image.url}


def _without_blanks(blocks: list[Block]) -> list[Block]:
    """An empty text is refused, even one that came so; white space alone, unless words are by."""
    has_words = any(_text(block).strip() for block in blocks)
    return [
        block
        for block in blocks
        if block.get("type") != "text" or _text(block).strip() or (has_words and _text(block))
    ]


def _text(block: Block) -> str:
    return str(block.get("text", "")) if block.get("type") == "text" else ""


def _answered_server_calls(messages: Sequence[Message]) -> frozenset[str]:
    """The ids of the provider's own calls whose results are there."""
    natives = (
        part.native
        for message in messages
        for part in message.parts
        if isinstance(part, Opaque) and part.native.family == FAMILY
    )
    blocks = (msgspec.json.decode(native.block, type=Block) for native in natives)
    return frozenset(str(block["tool_use_id"]) for block in blocks if "tool_use_id" in block)


def _is_orphan(block: Block, told: _Told, number: int) -> bool:
    """A search that was cut off before its result; where an answer paused, it will get it yet."""
    is_paused = number == len(told.messages) - 1 and told.messages[number].finish == "pause"
    return not is_paused and str(block.get("id")) not in told.answered


def _mark_last(blocks: list[Block]) -> None:
    for position in reversed(range(len(blocks))):
        if blocks[position].get("type") in MARKED_KINDS:
            blocks[position] = _marked(blocks[position], is_marked=True)
            return


def _marked(block: Block, *, is_marked: bool) -> Block:
    return {**block, "cache_control": CACHED} if is_marked else block
