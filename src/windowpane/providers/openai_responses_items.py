"""What a Responses answer is made of: output items and the response around them.

Values only: the shapes on the wire, and what each of them means in our words. The order in which
they come is ``openai_responses_stream``'s business.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from windowpane.events import OpenKind
from windowpane.messages import Finish
from windowpane.parts import Citation, Image, Native, Opaque, ServerTool
from windowpane.providers.openai_responses_body import FAMILY
from windowpane.usage import TokenUsage

FINISHES: dict[str, Finish] = {
    "completed": "stop",
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "queued": "pending",
    "in_progress": "pending",
}
# What is written piece by piece; every other item comes whole.
OPEN_KINDS: dict[str, OpenKind] = {
    "message": "text",
    "reasoning": "reasoning",
    "function_call": "tool_call",
}
NO_ACTION = (b"", b"null")


# Only the fields that are read are named: decoding skips the others without building them.
class Annotation(Struct, gc=False):
    url: str | None = None
    title: str | None = None

    def citation(self) -> Citation | None:
        """The place that is given is that of the link in the text, not of what it stands for."""
        return Citation(url=self.url, title=self.title or "") if self.url else None


class _Content(Struct, gc=False):
    """A piece of a message, a summary or a thought."""

    text: str | None = None
    refusal: str | None = None
    annotations: list[Annotation] | None = None


class _Kind(Struct, gc=False):
    type: str = ""


class Item(Struct, gc=False):
    """One output item; ``block`` is its JSON as it came."""

    type: str = ""
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    input: str | None = None
    content: list[_Content] | None = None
    summary: list[_Content] | None = None
    action: Raw = Raw()
    code: str | None = None
    queries: list[str] | None = None
    result: str | None = None
    output_format: str | None = None
    block: str = ""

    @property
    def native(self) -> Native:
        return Native(family=FAMILY, block=self.block)

    @property
    def text(self) -> str:
        """All that the item says, its parts joined: a message, a thought or a call's arguments."""
        match self.type:
            case "function_call":
                return self.arguments or ""
            case "custom_tool_call":
                return msgspec.json.encode({"input": self.input or ""}).decode()
            case _:
                pieces = (*(self.summary or ()), *(self.content or ()))
                return "".join(piece.text or piece.refusal or "" for piece in pieces)

    @property
    def has_refusal(self) -> bool:
        return any(piece.refusal for piece in self.content or ())

    @property
    def is_search(self) -> bool:
        """Pages that are opened or looked through are no searches and are not billed as such."""
        return self.type == "web_search_call" and _action_type(self.action) == "search"

    @property
    def _has_action(self) -> bool:
        return bytes(self.action) not in NO_ACTION

    def citations(self) -> Iterator[Citation]:
        for piece in self.content or ():
            for annotation in piece.annotations or ():
                if (citation := annotation.citation()) is not None:
                    yield citation

    def whole_parts(self) -> Iterator[ServerTool | Image | Opaque]:
        """An item that is not written piece by piece: what the provider did, or what we know not.

        Of a drawn picture both are told: that it was drawn, and the picture.
        """
        if not self.type.endswith("_call"):
            yield Opaque(kind=self.type or "unknown", native=self.native)
            return
        name = self.type.removesuffix("_call")
        if name == "mcp" and self.name:
            name = self.name
        yield ServerTool(name=name, arguments=self._doing(), native=self.native)
        if name == "image_generation" and self.result:
            yield Image(media_type=f"image/{self.output_format or 'png'}", data=self.result)

    def _doing(self) -> str:
        if self._has_action:
            return bytes(self.action).decode(errors="replace")
        if self.arguments:
            return self.arguments
        told = {"code": self.code, "queries": self.queries}
        return msgspec.json.encode({name: it for name, it in told.items() if it}).decode()


class _InputDetails(Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _OutputDetails(Struct, gc=False):
    reasoning_tokens: int | None = None


class Usage(Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None

    def normalised(self, *, web_searches: int) -> TokenUsage:
        """Input without what was cached, as ``TokenUsage`` wants it; output has the reasoning."""
        details = self.input_tokens_details or _InputDetails()
        cache_read_tokens = details.cached_tokens or 0
        cache_write_tokens = details.cache_write_tokens or 0
        cached_tokens = cache_read_tokens + cache_write_tokens
        thought = self.output_tokens_details or _OutputDetails()
        return TokenUsage(
            input_tokens=max(0, (self.input_tokens or 0) - cached_tokens),
            output_tokens=self.output_tokens or 0,
            cache_read_tokens=cache_read_tokens,
            cache_write_tokens=cache_write_tokens,
            reasoning_tokens=thought.reasoning_tokens or 0,
            web_searches=web_searches,
        )


class _Incomplete(Struct, gc=False):
    reason: str | None = None


class Response(Struct, gc=False):
    status: str | None = None
    output: list[Raw] | None = None
    usage: Usage | None = None
    incomplete_details: _Incomplete | None = None
    error: object = None

    @property
    def finish(self) -> Finish:
        details = self.incomplete_details or _Incomplete()
        return FINISHES.get(details.reason or self.status or "completed", "error")


_decode_item = msgspec.json.Decoder(Item).decode
_decode_kind = msgspec.json.Decoder(_Kind).decode


def item_from(raw: Raw) -> Item | None:
    """An item whose fields are not what they are elsewhere is kept for its name and block."""
    block = bytes(raw).decode(errors="replace")
    try:
        item = _decode_item(block)
    except msgspec.ValidationError:
        return _odd_item(block)
    except msgspec.DecodeError:
        return None
    item.block = block
    return item


def _odd_item(block: str) -> Item | None:
    try:
        return Item(type=_decode_kind(block).type, block=block)
    except msgspec.DecodeError:
        return None


def _action_type(action: Raw) -> str:
    """Calls without an action were searches before there was anything else."""
    try:
        return _decode_kind(action).type or "search"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "search"
