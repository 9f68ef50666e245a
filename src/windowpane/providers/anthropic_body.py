"""A planned request in the words of Anthropic Messages, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. What the model wrote itself goes back block by block
as it came; what another family wrote goes in its plain form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby

import msgspec
from msgspec import Struct

from windowpane.catalog.models import catalog_limits
from windowpane.context.request import ModelRequest
from windowpane.messages import Message
from windowpane.options import Effort, RequestOptions, clamped_effort
from windowpane.parts import Image, Opaque, Part, ServerTool, Text, ToolCall, ToolResult
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
# The API wants a limit; of a model that no catalog knows, every one can write as much as this.
FALLBACK_OUTPUT_TOKENS = 8192
LEAST_BUDGET_TOKENS = 1024
BUDGETS: dict[Effort, int] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16_384,
    "xhigh": 32_768,
}
ADAPTIVE_EFFORTS: tuple[Effort, ...] = ("low", "medium", "high")
VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)")
ADAPTIVE_FROM = (4, 6)
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
NOT_CACHED = frozenset({"thinking", "redacted_thinking"})

Block = dict[str, object]


class Thinking(Struct, frozen=True, kw_only=True):
    """``budget_tokens`` of None lets the model decide; ``effort`` is for those that take one."""

    budget_tokens: int | None
    effort: Effort | None


def messages_body(request: ModelRequest, *, extra: dict[str, object]) -> Written:
    """``extra`` are the fields that depend on where the request goes."""
    max_tokens, thinking = _limits(request)
    options = request.options
    marked = {mark.after_message_id for mark in request.marks}
    return written(
        {
            **extra,
            "max_tokens": max_tokens,
            "system": _system(request, is_marked=None in marked),
            "tools": _tools(request, is_marked=None in marked and not request.system),
            "thinking": _thinking(thinking),
            "output_config": {"effort": thinking.effort} if thinking and thinking.effort else None,
            # With thinking on, any temperature but the default is refused.
            "temperature": options.temperature if thinking is None else None,
            "messages": list(_messages(request, marked=marked, thinking=thinking)),
        }
    )


def is_adaptive(model: str) -> bool:
    """Models that decide themselves how long they think, and take no beginning of an answer."""
    found = VERSION.search(model.lower())
    return found is not None and (int(found[1]), int(found[2] or 0)) >= ADAPTIVE_FROM


def _limits(request: ModelRequest) -> tuple[int, Thinking | None]:
    """What may be written, and how much of it may be thought: both count against the limit."""
    most = catalog_limits(request.model, provider="anthropic").output_tokens.value
    wished = request.max_output_tokens
    limit = wished or most or FALLBACK_OUTPUT_TOKENS
    thinking = _wished_thinking(request.options, model=request.model)
    if thinking is None or thinking.budget_tokens is None:
        return limit, thinking
    if wished is not None:
        limit = min(wished + thinking.budget_tokens, most or wished + thinking.budget_tokens)
    budget_tokens = min(thinking.budget_tokens, limit - 1)
    if budget_tokens < LEAST_BUDGET_TOKENS:
        return limit, None
    return limit, Thinking(budget_tokens=budget_tokens, effort=None)


def _wished_thinking(options: RequestOptions, *, model: str) -> Thinking | None:
    wish = options.reasoning
    if wish is None or wish.effort == "none":
        return None
    if is_adaptive(model):
        effort = clamped_effort(wish.effort, ADAPTIVE_EFFORTS) if wish.effort else None
        return Thinking(budget_tokens=None, effort=effort)
    budget_tokens = wish.budget_tokens or (BUDGETS[wish.effort] if wish.effort else None)
    if budget_tokens is None:
        return None
    return Thinking(budget_tokens=max(budget_tokens, LEAST_BUDGET_TOKENS), effort=None)


def _thinking(thinking: Thinking | None) -> Block | None:
    if thinking is None:
        return None
    if thinking.budget_tokens is None:
        return {"type": "adaptive"}
    return {"type": "enabled", "budget_tokens": thinking.budget_tokens}


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
    request: ModelRequest, *, marked: set[str | None], thinking: Thinking | None
) -> Iterator[Block]:
    """Neighbours of one role are one message here; each block keeps its own source."""
    answered = _answered_server_calls(request.messages)
    spoken = [
        (_role(message), from_message(message.id, block))
        for number, message in enumerate(request.messages)
        for block in _blocks_of(request.messages, number, marked=marked, answered=answered)
    ]
    for role, group in groupby(spoken, key=lambda one: one[0]):
        yield {"role": role, "content": [block for _, block in group]}
    prefill = request.options.prefill.rstrip()
    if prefill and thinking is None and not is_adaptive(request.model):
        yield {"role": "assistant", "content": prefill}


def _role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _blocks_of(
    messages: Sequence[Message], number: int, *, marked: set[str | None], answered: set[str]
) -> list[Block]:
    message = messages[number]
    # Citations count documents from the beginning of an answer, and a tool's result ends one.
    follows_result = number > 0 and messages[number - 1].role == "tool"
    blocks: list[Block] = []
    for part in message.parts:
        block = _block(part)
        if block is None or _is_orphan(part, block, message, answered=answered):
            continue
        if follows_result and isinstance(part, Text):
            block.pop("citations", None)
        blocks.append(block)
    if message.id in marked:
        _mark_last(blocks)
    return blocks


def _block(part: Part) -> Block | None:
    native = None if isinstance(part, ToolResult) else part.native
    if native is not None and native.family == FAMILY:
        return msgspec.json.decode(native.block, type=Block)
    match part:
        case Text():
            return {"type": "text", "text": part.text} if part.text.strip() else None
        case ToolCall():
            return {
                "type": "tool_use",
                "id": call_id(part.call_id),
                "name": part.name,
                "input": _input(part.arguments),
            }
        case ToolResult():
            return _result(part)
        case Image():
            return {"type": "image", "source": _source(part)}
        case _:
            return None


def _result(result: ToolResult) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": call_id(result.call_id)}
    # An empty text is refused, a result without content is not.
    if result.text:
        block["content"] = result.text
    if result.is_error:
        block["is_error"] = True
    return block


def _source(image: Image) -> Block:
    if image.data:
        return {"type": "base64", "media_type": image.media_type, "data": image.data}
    return {"type": "url", "url": image.url}


def call_id(given: str) -> str:
    """Ids of other families may have characters that this one refuses."""
    if CALL_ID.fullmatch(given):
        return given
    return f"call_{sha256(given.encode()).hexdigest()[:24]}"


def _input(arguments: str) -> object:
    """An object is wanted, whatever the model wrote."""
    try:
        return msgspec.json.decode(arguments or "{}", type=Block)
    except msgspec.DecodeError:
        return {"arguments": arguments}


def _answered_server_calls(messages: Sequence[Message]) -> set[str]:
    """The ids of the provider's own calls whose results are there."""
    return {
        str(block["tool_use_id"])
        for message in messages
        for part in message.parts
        if isinstance(part, Opaque) and (block := _block(part)) and "tool_use_id" in block
    }


def _is_orphan(part: Part, block: Block, message: Message, *, answered: set[str]) -> bool:
    """A search that was cut off before its result; one that was paused will get it yet."""
    if not isinstance(part, ServerTool) or message.finish == "pause":
        return False
    return str(block.get("id")) not in answered


def _mark_last(blocks: list[Block]) -> None:
    for position in reversed(range(len(blocks))):
        if blocks[position].get("type") not in NOT_CACHED:
            blocks[position] = _marked(blocks[position], is_marked=True)
            return


def _marked(block: Block, *, is_marked: bool) -> Block:
    return {**block, "cache_control": CACHED} if is_marked else block
