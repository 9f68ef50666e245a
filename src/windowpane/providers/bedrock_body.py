"""A planned request in the words of Bedrock's Converse, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. Blocks that came from Converse go back as they came;
those of other families go in their plain form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby
from typing import Literal

import msgspec
from msgspec import Raw

from windowpane.context.request import ModelRequest
from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.options import Effort, RequestOptions, clamped_effort
from windowpane.parts import Image, Part, Text, ToolCall, ToolResult
from windowpane.providers.writing import (
    Written,
    from_message,
    from_system,
    from_tool,
    written,
)

FAMILY = "bedrock"
CACHE_POINT: dict[str, object] = {"cachePoint": {"type": "default"}}
CALL_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
LEAST_BUDGET_TOKENS = 1024
BUDGETS: dict[Effort, int] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16_384,
    "xhigh": 32_768,
}
NOVA_EFFORTS: tuple[Effort, ...] = ("low", "medium", "high")
OLD_CLAUDE = re.compile(r"claude-3")

Block = dict[str, object]
ThinkingKind = Literal["claude_3", "claude", "nova", "deepseek"]


def converse_body(request: ModelRequest) -> Written:
    is_cached = takes_cache_points(request.model)
    marked = {mark.after_message_id for mark in request.marks} if is_cached else set[str | None]()
    thinking = _thinking(request.options, model=request.model)
    is_claude_thinking = thinking is not None and "claude" in request.model
    inference: Block = {
        "maxTokens": request.max_output_tokens,
        # Claude refuses any temperature but its own while it thinks.
        "temperature": None if is_claude_thinking else request.options.temperature,
    }
    return written(
        {
            "system": _system(request, is_marked=None in marked),
            "messages": list(_messages(request, marked=marked, is_thinking=is_claude_thinking)),
            "toolConfig": _tool_config(request),
            "inferenceConfig": {k: v for k, v in inference.items() if v is not None} or None,
            "additionalModelRequestFields": thinking,
        }
    )


def takes_cache_points(model: str) -> bool:
    return "anthropic." in model or "amazon.nova" in model


def thinking_kind(model: str) -> ThinkingKind | None:
    """How a model is asked to think; most cannot be asked."""
    name = model.lower()
    if "claude" in name:
        return "claude_3" if OLD_CLAUDE.search(name) else "claude"
    if "nova-2" in name or "nova-premier-2" in name:
        return "nova"
    return "deepseek" if "deepseek" in name else None


def _thinking(options: RequestOptions, *, model: str) -> Block | None:
    wish, kind = options.reasoning, thinking_kind(model)
    if wish is None or wish.effort == "none" or kind is None:
        return None
    if kind == "nova":
        effort = clamped_effort(wish.effort or "medium", NOVA_EFFORTS)
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}
    if kind == "deepseek":
        return {"showThinking": True}
    budget_tokens = wish.budget_tokens or (BUDGETS[wish.effort] if wish.effort else None)
    if budget_tokens is None:
        return None
    name = "thinking" if kind == "claude_3" else "reasoning_config"
    return {name: {"type": "enabled", "budget_tokens": max(budget_tokens, LEAST_BUDGET_TOKENS)}}


def _system(request: ModelRequest, *, is_marked: bool) -> list[object] | None:
    if not request.system:
        return None
    text: object = from_system({"text": request.system})
    return [text, CACHE_POINT] if is_marked else [text]


def _tool_config(request: ModelRequest) -> Block | None:
    if not request.tools:
        return None
    tools = [
        from_tool(
            tool.name,
            {
                "toolSpec": {
                    "name": tool.name,
                    "description": tool.description,
                    "inputSchema": {"json": tool.schema},
                }
            },
        )
        for tool in request.tools
    ]
    return {"tools": tools}


def _messages(
    request: ModelRequest, *, marked: set[str | None], is_thinking: bool
) -> Iterator[Block]:
    """Neighbours of one role are one message here; each block keeps its own source."""
    spoken: list[tuple[str, object]] = []
    for message in request.messages:
        blocks = list(_blocks(message, has_tools=bool(request.tools)))
        spoken += [(_role(message), from_message(message.id, block)) for block in blocks]
        if message.id in marked and blocks:
            spoken.append((_role(message), CACHE_POINT))
    for role, group in groupby(spoken, key=lambda one: one[0]):
        yield {"role": role, "content": [block for _, block in group]}
    prefill = request.options.prefill.rstrip()
    if prefill and not is_thinking and takes_cache_points(request.model):
        yield {"role": "assistant", "content": [{"text": prefill}]}


def _role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _blocks(message: Message, *, has_tools: bool) -> Iterator[object]:
    for part in message.parts:
        native = None if isinstance(part, ToolResult) else part.native
        is_call = isinstance(part, ToolCall | ToolResult)
        if is_call and not has_tools:
            yield {"text": _told(part)}
        elif native is not None and native.family == FAMILY:
            yield Raw(native.block.encode())
        elif (block := _plain(part)) is not None:
            yield block


def _told(part: Part) -> str:
    """Converse refuses calls where no tool is on, so an old one is told instead."""
    match part:
        case ToolCall():
            return f"[called {part.name}: {part.arguments or '{}'}]"
        case ToolResult():
            return f"[{part.name} {'failed' if part.is_error else 'gave'}: {part.text}]"
        case _:
            raise AssertionError("only calls and results are told")


def _plain(part: Part) -> Block | None:
    match part:
        case Text():
            return {"text": part.text} if part.text.strip() else None
        case ToolCall():
            call: Block = {"toolUseId": call_id(part.call_id), "name": part.name}
            return {"toolUse": {**call, "input": _input(part.arguments)}}
        case ToolResult():
            return {
                "toolResult": {
                    "toolUseId": call_id(part.call_id),
                    "content": [{"text": part.text or " "}],
                    "status": "error" if part.is_error else "success",
                }
            }
        case Image():
            return _image(part)
        case _:
            return None


def _image(image: Image) -> Block:
    if not image.data:
        raise InvalidInput(
            "Bedrock takes images as files, not by address. Attach the image itself, or choose "
            "a model of another provider."
        )
    kind = image.media_type.partition("/")[2]
    return {"image": {"format": kind, "source": {"bytes": image.data}}}


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
