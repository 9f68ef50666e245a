"""A planned request in the words of Gemini's generateContent, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. Parts that Gemini wrote go back as they came, with
their signatures; those of other families go in their plain form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import msgspec
from msgspec import Raw, Struct

from windowpane.context.request import ModelRequest
from windowpane.messages import Message
from windowpane.options import Effort, RequestOptions, clamped_effort
from windowpane.parts import Image, Part, Text, ToolCall, ToolResult
from windowpane.providers.calls import call_input
from windowpane.providers.writing import (
    Sourced,
    Written,
    from_message,
    from_system,
    from_tool,
    written,
)

FAMILY = "google"
WEB_SEARCH: dict[str, object] = {"googleSearch": {}}
VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
# Gemini 3 refuses calls without a signature; for those that another model made it takes this one.
FOREIGN_SIGNATURE = "skip_thought_signature_validator"
BUDGETS: dict[Effort, int] = {
    "none": 0,
    "minimal": 512,
    "low": 1024,
    "medium": 8192,
    "high": 24_576,
    "xhigh": 32_768,
}
FLASH_LEVELS: tuple[Effort, ...] = ("minimal", "low", "medium", "high")
PRO_LEVELS: tuple[Effort, ...] = ("low", "medium", "high")
# The first of the third generation knew nothing in between.
FIRST_PRO_LEVELS: tuple[Effort, ...] = ("low", "high")
# The least and the most that models of 2.5 take; Pro alone cannot be told not to think.
PRO_BUDGET = (128, 32_768)
LITE_BUDGET = (512, 24_576)
FLASH_BUDGET = (1, 24_576)
NO_BUDGET = 0
# Lets the model decide.
ANY_BUDGET = -1

Block = dict[str, object]


class _Function(Struct):
    id: str | None = None


class _Call(Struct):
    functionCall: _Function


def contents_body(request: ModelRequest) -> Written:
    """Cache marks have no words here: Gemini remembers prefixes by itself."""
    system = {"parts": [{"text": request.system}]} if request.system else None
    return written(
        {
            "systemInstruction": from_system(system) if system else None,
            "contents": list(_contents(request)),
            "tools": _tools(request),
            "generationConfig": _generation(request) or None,
        }
    )


def _generation(request: ModelRequest) -> Block:
    options = request.options
    fields: Block = {
        "maxOutputTokens": request.max_output_tokens,
        "temperature": options.temperature,
        "thinkingConfig": _thinking(options, model=request.model),
    }
    return {name: value for name, value in fields.items() if value is not None}


def version(model: str) -> tuple[int, int] | None:
    found = VERSION.search(model.lower())
    return (int(found[1]), int(found[2] or 0)) if found else None


def _thinking(options: RequestOptions, *, model: str) -> Block | None:
    """A budget in tokens for Gemini 2.5, a level from 3 on; earlier ones do not think."""
    wish, number = options.reasoning, version(model)
    if wish is None or number is None or number < (2, 5):
        return None
    if number >= (3, 0):
        levels = _levels(model, number)
        level: Block = {"thinkingLevel": clamped_effort(wish.effort, levels)} if wish.effort else {}
        return {**level, "includeThoughts": True}
    budget_tokens = wish.budget_tokens
    if budget_tokens is None and wish.effort is not None:
        budget_tokens = BUDGETS[wish.effort]
    if budget_tokens is None:
        return {"includeThoughts": True}
    budget_tokens = _taken_budget(budget_tokens, model=model)
    return {"thinkingBudget": budget_tokens, "includeThoughts": budget_tokens != NO_BUDGET}


def _levels(model: str, number: tuple[int, int]) -> tuple[Effort, ...]:
    if "flash" in model.lower():
        return FLASH_LEVELS
    return PRO_LEVELS if number > (3, 0) else FIRST_PRO_LEVELS


def _taken_budget(budget_tokens: int, *, model: str) -> int:
    """The nearest that the model takes."""
    name = model.lower()
    is_pro = "flash" not in name
    if budget_tokens == ANY_BUDGET or (budget_tokens == NO_BUDGET and not is_pro):
        return budget_tokens
    least, most = PRO_BUDGET if is_pro else LITE_BUDGET if "lite" in name else FLASH_BUDGET
    return min(max(budget_tokens, least), most)


def _tools(request: ModelRequest) -> list[object] | None:
    declared = [
        from_tool(
            tool.name,
            {
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": tool.schema,
            },
        )
        for tool in request.tools
    ]
    if declared:
        # A search beside functions is refused. Who plans decides which of them a request has.
        return [{"functionDeclarations": declared}]
    return [WEB_SEARCH] if request.options.has_web_search else None


def _contents(request: ModelRequest) -> Iterator[Block]:
    """Neighbours of one role are one content here; each part keeps its own source."""
    nameless = _calls_without_id(request)
    spoken: list[tuple[str, Sourced]] = []
    for message in request.messages:
        for part in _signed(_parts(message, nameless=nameless), message, model=request.model):
            spoken.append((_role(message), from_message(message.id, part)))
    for role, group in groupby(spoken, key=lambda one: one[0]):
        yield {"role": role, "parts": [part for _, part in group]}
    if request.prefill:
        yield {"role": "model", "parts": [{"text": request.prefill}]}


def _role(message: Message) -> str:
    return "model" if message.role == "assistant" else "user"


def _parts(message: Message, *, nameless: set[str]) -> Iterator[object]:
    for part in message.parts:
        native = None if isinstance(part, ToolResult) else part.native
        if native is not None and native.family == FAMILY:
            yield from msgspec.json.decode(native.block, type=list[Raw])
        else:
            yield from _plain(part, nameless=nameless)


def _plain(part: Part, *, nameless: set[str]) -> Iterator[Block]:
    match part:
        case Text():
            if part.text.strip():
                yield {"text": part.text}
        case ToolCall():
            yield {"functionCall": {"name": part.name, "args": call_input(part.arguments)}}
        case ToolResult():
            told = {"error" if part.is_error else "result": part.text}
            response: Block = {"name": part.name, "response": told}
            if part.call_id not in nameless:
                response = {"id": part.call_id, **response}
            yield {"functionResponse": response}
        case Image(data="", url=url):
            yield {"fileData": {"mimeType": part.media_type, "fileUri": url}}
        case Image():
            yield {"inlineData": {"mimeType": part.media_type, "data": part.data}}
        case _:
            return


def _signed(parts: Iterator[object], message: Message, *, model: str) -> Iterator[object]:
    """The first call of another family gets the signature that stands for none."""
    number = version(model)
    needs_one = message.role == "assistant" and number is not None and number >= (3, 0)
    for part in parts:
        if needs_one and (isinstance(part, Raw) or "functionCall" in _keys(part)):
            needs_one = False
            if not isinstance(part, Raw):
                part = {**_keys(part), "thoughtSignature": FOREIGN_SIGNATURE}
        yield part


def _keys(part: object) -> Block:
    return part if isinstance(part, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _calls_without_id(request: ModelRequest) -> set[str]:
    """Calls that go out without an id: their results are matched by name and order."""
    return {
        part.call_id
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolCall) and not _has_id(part)
    }


def _has_id(call: ToolCall) -> bool:
    if call.native is None or call.native.family != FAMILY:
        return False
    [part] = msgspec.json.decode(call.native.block, type=list[_Call])
    return bool(part.functionCall.id)
