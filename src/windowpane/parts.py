"""What messages are made of.

A part keeps beside its plain form the provider's own block, verbatim: signatures, encrypted
reasoning and unknown kinds must go back to the same family unchanged.
"""

from __future__ import annotations

from msgspec import Struct


class Native(Struct, frozen=True, kw_only=True):
    """A provider's own block: its JSON text as it came, for adapters of ``family`` only."""

    family: str
    block: str


class Text(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="text"):
    text: str
    native: Native | None = None


class Reasoning(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reasoning"):
    text: str
    native: Native | None = None


class ToolCall(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_call"):
    """``arguments`` is the JSON text the model wrote, kept as it came, valid or not."""

    call_id: str
    name: str
    arguments: str
    native: Native | None = None


class ToolResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_result"):
    call_id: str
    name: str
    text: str
    is_error: bool = False


Part = Text | Reasoning | ToolCall | ToolResult
