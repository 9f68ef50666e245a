"""A planned request in the words of Bedrock's Converse, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. Blocks that came from Converse go back as they came;
those of other families go in their plain form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Literal

from msgspec import Raw, Struct

from windowpane.context.request import ModelRequest
from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.options import Effort, ReasoningOptions, clamped_effort
from windowpane.parts import (
    Image,
    Opaque,
    Part,
    Reasoning,
    ServerTool,
    Text,
    ToolCall,
    ToolResult,
)
from windowpane.providers.calls import Place, call_ids, call_input
from windowpane.providers.claude import (
    LONG_CONTEXT,
    Thinking,
    is_adaptive,
    takes_temperature,
    wished_thinking,
    within_limit,
)
from windowpane.providers.writing import Written, from_message, from_system, from_tool, written

FAMILY = "bedrock"
CACHE_POINT: dict[str, object] = {"cachePoint": {"type": "default"}}
CALL_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
NOVA_EFFORTS: tuple[Effort, ...] = ("low", "medium", "high")
OLD_CLAUDE = re.compile(r"claude-3")
GEOGRAPHIES = frozenset({"us", "us-gov", "eu", "apac", "au", "ca", "jp", "global"})
# A result without a word is refused.
NO_WORD = "(nothing)"

Block = dict[str, object]
Maker = Literal["claude_3", "claude", "nova_2", "nova", "deepseek", "other"]


class _Settings(Struct, frozen=True, kw_only=True):
    """What is said beside the conversation, as the makers of models differ in it."""

    max_tokens: int | None
    temperature: float | None
    fields: Block
    takes_prefill: bool

    @property
    def inference(self) -> Block | None:
        named = {"maxTokens": self.max_tokens, "temperature": self.temperature}
        return {name: value for name, value in named.items() if value is not None} or None


def converse_body(request: ModelRequest) -> Written:
    maker = maker_of(request.model)
    is_claude = maker in ("claude", "claude_3")
    settings = _claude(request, maker) if is_claude else _others(request, maker)
    marked = {mark.after_message_id for mark in request.marks}
    if not takes_cache_points(request.model):
        marked.clear()
    return written(
        {
            "system": _system(request, is_marked=None in marked),
            "messages": list(_messages(request, marked, takes_prefill=settings.takes_prefill)),
            # Amazon's own models take no mark there.
            "toolConfig": _tool_config(
                request, is_marked=None in marked and is_claude and not request.system
            ),
            "inferenceConfig": settings.inference,
            "additionalModelRequestFields": settings.fields or None,
        }
    )


def takes_cache_points(model: str) -> bool:
    return "anthropic." in model or "amazon.nova" in model


def maker_of(model: str) -> Maker:
    name = model.lower()
    if "claude" in name:
        return "claude_3" if OLD_CLAUDE.search(name) else "claude"
    if "nova-2" in name or "nova-premier-2" in name:
        return "nova_2"
    if "amazon.nova" in name:
        return "nova"
    return "deepseek" if "deepseek" in name else "other"


def is_claude(model: str) -> bool:
    return maker_of(model) in ("claude", "claude_3")


def is_unlimited(model: str, wish: ReasoningOptions | None) -> bool:
    """Nova at its highest effort refuses to be limited in any other way."""
    return maker_of(model) == "nova_2" and _nova_effort(wish) == "high"


def vendor_of(model: str) -> str:
    """``amazon`` of ``bedrock/us.amazon.nova-2-lite-v1:0``; an address of one's own is its own."""
    names = model.rpartition("/")[2].lower().split(".")
    return names[1] if names[0] in GEOGRAPHIES and len(names) > 1 else names[0]


def _claude(request: ModelRequest, maker: Maker) -> _Settings:
    model = request.model
    max_tokens = request.max_output_tokens
    thinking = within_limit(wished_thinking(request, family=FAMILY), limit_tokens=max_tokens)
    fields = _claude_fields(thinking, maker)
    if request.options.uses_long_context:
        fields["anthropic_beta"] = [LONG_CONTEXT]
    is_tempered = takes_temperature(model, thinking)
    return _Settings(
        max_tokens=max_tokens,
        temperature=request.options.temperature if is_tempered else None,
        fields=fields,
        takes_prefill=thinking is None and not is_adaptive(model),
    )


def _claude_fields(thinking: Thinking | None, maker: Maker) -> Block:
    """Anthropic's own words, but for a budget from Claude 4 on: Bedrock calls it differently."""
    if thinking is None:
        return {}
    if maker == "claude" and thinking.budget_tokens is not None:
        return {"reasoning_config": thinking.fields["thinking"]}
    return thinking.fields


def _others(request: ModelRequest, maker: Maker) -> _Settings:
    """Most models cannot be asked to think."""
    wish = request.options.reasoning
    fields: Block = {}
    if maker == "nova_2" and (effort := _nova_effort(wish)):
        fields = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}
    elif wish is not None and wish.effort != "none" and maker == "deepseek":
        fields = {"showThinking": True}
    is_free = is_unlimited(request.model, wish)
    return _Settings(
        max_tokens=None if is_free else request.max_output_tokens,
        temperature=None if is_free else request.options.temperature,
        fields=fields,
        takes_prefill=maker in ("nova", "nova_2"),
    )


def _nova_effort(wish: ReasoningOptions | None) -> Effort | None:
    if wish is None or wish.effort == "none":
        return None
    return clamped_effort(wish.effort or "medium", NOVA_EFFORTS)


def _system(request: ModelRequest, *, is_marked: bool) -> list[object] | None:
    if not request.system:
        return None
    text: object = from_system({"text": request.system})
    return [text, CACHE_POINT] if is_marked else [text]


def _tool_config(request: ModelRequest, *, is_marked: bool) -> Block | None:
    if not request.tools:
        return None
    tools: list[object] = [
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
    return {"tools": [*tools, CACHE_POINT] if is_marked else tools}


def _messages(
    request: ModelRequest, marked: set[str | None], *, takes_prefill: bool
) -> Iterator[Block]:
    """Neighbours of one role are one message here; each block keeps its own source."""
    ids = call_ids(request.messages, form=CALL_ID)
    spoken: list[tuple[str, object]] = []
    for number, message in enumerate(request.messages):
        blocks = list(_blocks(request, number, ids=ids))
        spoken += [(_role(message), from_message(message.id, block)) for block in blocks]
        if message.id in marked and blocks:
            spoken.append((_role(message), CACHE_POINT))
    for role, group in groupby(spoken, key=lambda one: one[0]):
        yield {"role": role, "content": [block for _, block in group]}
    if takes_prefill and (prefill := request.prefill.rstrip()):
        yield {"role": "assistant", "content": [{"text": prefill}]}


def _role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _blocks(request: ModelRequest, number: int, *, ids: Mapping[Place, str]) -> Iterator[object]:
    message = request.messages[number]
    is_of_another = bool(message.model) and vendor_of(message.model or "") != vendor_of(
        request.model
    )
    # Results are wanted first, before a picture that came with them.
    parts = sorted(enumerate(message.parts), key=lambda one: not isinstance(one[1], ToolResult))
    for position, part in parts:
        if isinstance(part, ToolCall | ToolResult):
            id = ids[number, position]
            yield _tool_block(part, id=id) if request.tools else {"text": _told(part)}
        elif is_of_another and isinstance(part, Reasoning | ServerTool | Opaque):
            # One maker's models refuse what another's have signed.
            continue
        elif part.native is not None and part.native.family == FAMILY:
            yield Raw(part.native.block.encode())
        elif (block := _plain(part, message=message)) is not None:
            yield block


def _told(part: ToolCall | ToolResult) -> str:
    """Converse refuses calls where no tool is on, so an old one is told instead."""
    if isinstance(part, ToolCall):
        return f"[called {part.name}: {part.arguments or '{}'}]"
    return f"[{part.name} {'failed' if part.is_error else 'gave'}: {part.text}]"


def _tool_block(part: ToolCall | ToolResult, *, id: str) -> object:
    if isinstance(part, ToolCall):
        is_own = part.native is not None and part.native.family == FAMILY
        if part.native is not None and is_own and id == part.call_id:
            return Raw(part.native.block.encode())
        call: Block = {"toolUseId": id, "name": part.name, "input": call_input(part.arguments)}
        return {"toolUse": call}
    return {
        "toolResult": {
            "toolUseId": id,
            "content": [{"text": part.text if part.text.strip() else NO_WORD}],
            "status": "error" if part.is_error else "success",
        }
    }


def _plain(part: Part, *, message: Message) -> Block | None:
    match part:
        case Text():
            return {"text": part.text} if part.text.strip() else None
        # There is no place for a picture that a model drew.
        case Image() if message.role != "assistant":
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
