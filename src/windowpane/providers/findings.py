"""What a tool that a provider ran itself has found, read from the provider's own blocks.

Only for those who look: what goes back to the provider is the block as it came. A block that
nobody knows has nothing to tell, and none is ever a reason to fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Struct

from windowpane.parts import Native

T = TypeVar("T")
GOOGLE_SUCCESS = "OUTCOME_OK"


class Finding(Struct, frozen=True, kw_only=True):
    """``call_id`` is the call it answers; empty if it stands in the block of the call itself."""

    call_id: str
    text: str
    is_error: bool


class _Item(Struct):
    """One of several things found: a page, a file, some output."""

    title: str | None = None
    url: str | None = None
    filename: str | None = None
    text: str | None = None
    logs: str | None = None


class _Outcome(Struct):
    """Anthropic: what a tool with one result says; which fields there are depends on the tool."""

    error_code: str | None = None
    error_message: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    return_code: int | None = None
    url: str | None = None
    content: object = None


class _AnthropicBlock(Struct):
    id: str | None = None
    tool_use_id: str | None = None
    content: object = None


class _Run(Struct):
    """Google: a program, or what it printed."""

    id: str | None = None
    outcome: str | None = None
    output: str | None = None


class _GooglePart(Struct, rename="camel"):
    executable_code: _Run | None = None
    code_execution_result: _Run | None = None


class _Action(Struct):
    sources: list[_Item] | None = None


class _OpenAIItem(Struct):
    """Responses, and the tools that a Chat Completions host ran."""

    outputs: list[_Item] | None = None
    results: list[_Item] | None = None
    output: str | None = None
    error: str | None = None
    action: _Action | None = None


def finding_in(native: Native) -> Finding | None:
    match native.family:
        case "anthropic":
            return _of_anthropic(native)
        case "google":
            return _of_google(native)
        case "openai_responses" | "openai_chat":
            return _of_openai(native)
        case _:
            return None


def call_id_in(native: Native) -> str:
    """The id of a call, by which a later block answers it; empty if it has none."""
    match native.family:
        case "anthropic":
            block = _decoded(native, _AnthropicBlock)
            return (block.id if block else None) or ""
        case "google":
            parts = _decoded(native, list[_GooglePart]) or []
            ids = (part.executable_code.id for part in parts if part.executable_code)
            return next((id for id in ids if id), "")
        case _:
            return ""


def _of_anthropic(native: Native) -> Finding | None:
    block = _decoded(native, _AnthropicBlock)
    if block is None or block.tool_use_id is None:
        return None
    if (items := _converted(block.content, list[_Item])) is not None:
        return Finding(call_id=block.tool_use_id, text=_listed(items), is_error=False)
    outcome = _converted(block.content, _Outcome)
    if outcome is None:
        return None
    is_error = outcome.error_code is not None or bool(outcome.return_code)
    return Finding(call_id=block.tool_use_id, text=_told(outcome), is_error=is_error)


def _told(outcome: _Outcome) -> str:
    if outcome.error_code is not None:
        return outcome.error_message or outcome.error_code
    if outcome.stdout is not None or outcome.stderr is not None:
        return f"{outcome.stdout or ''}{outcome.stderr or ''}".strip()
    return outcome.content if isinstance(outcome.content, str) else outcome.url or ""


def _of_google(native: Native) -> Finding | None:
    for part in _decoded(native, list[_GooglePart]) or []:
        if run := part.code_execution_result:
            return Finding(
                call_id=run.id or "",
                text=(run.output or "").strip(),
                is_error=run.outcome != GOOGLE_SUCCESS,
            )
    return None


def _of_openai(native: Native) -> Finding | None:
    item = _decoded(native, _OpenAIItem)
    if item is None:
        return None
    if item.error:
        return Finding(call_id="", text=item.error, is_error=True)
    sources = item.action.sources if item.action else None
    found = _listed(item.outputs or item.results or sources or [])
    text = (item.output or "").strip() or found
    return Finding(call_id="", text=text, is_error=False) if text else None


def _listed(items: Iterable[_Item]) -> str:
    lines = ([item.title or item.filename, item.url, item.logs or item.text] for item in items)
    return "\n".join("\n".join(word for word in line if word) for line in lines if any(line))


def _decoded(native: Native, type: type[T]) -> T | None:
    try:
        return msgspec.json.decode(native.block, type=type)
    except msgspec.MsgspecError:
        return None


def _converted(value: object, type: type[T]) -> T | None:
    try:
        return msgspec.convert(value, type)
    except msgspec.ValidationError:
        return None
