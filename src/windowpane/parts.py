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


class Citation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A source that a text leans on, with the words it leans on where the provider gives them."""

    url: str
    title: str = ""
    cited_text: str = ""


class Text(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="text"):
    """``is_prefill``: the beginning of an answer that was given to the model, not written by it."""

    text: str
    citations: tuple[Citation, ...] = ()
    native: Native | None = None
    is_prefill: bool = False


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
    """``text`` is what the model reads; ``output_id`` is the handle of the whole, if it is more."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    output_id: str = ""


class Image(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="image"):
    """``data`` is the file in base64; without it, ``url`` says where the provider finds it.

    A size of 0 × 0 pixels is not known.
    """

    media_type: str
    data: str = ""
    url: str = ""
    width_px: int = 0
    height_px: int = 0
    native: Native | None = None


class ServerTool(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="server_tool"):
    """A tool that the provider ran itself, as a web search; ``arguments`` is JSON text."""

    name: str
    arguments: str
    native: Native


class Opaque(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="opaque"):
    """A block without a plain form: kept as it came, and sent back to the same family only."""

    kind: str
    native: Native


Part = Text | Reasoning | ToolCall | ToolResult | Image | ServerTool | Opaque
