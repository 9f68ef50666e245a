"""Anthropic Messages as they come over the wire → our events.

A pure state machine: blocks of bytes in, events out. Each content block is kept whole beside its
plain form, because signatures, search results and unknown kinds must go back as they came.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import msgspec
from msgspec import Raw, Struct

from windowpane.errors import ProviderFailed
from windowpane.events import StreamEvent
from windowpane.messages import Finish
from windowpane.parts import Citation, Native, Opaque, ServerTool
from windowpane.providers.anthropic_body import FAMILY
from windowpane.providers.assembly import Draft
from windowpane.providers.classify import (
    Complaint,
    complaint_from,
    failure_from,
    malformed,
    unreadable,
)
from windowpane.providers.decoding import NOT_JSON, reader_of
from windowpane.providers.eventstream import Frame, FrameParser
from windowpane.providers.mapper import AnswerMapper, last_counts
from windowpane.providers.sse import SseParser, is_sse
from windowpane.usage import TokenUsage

FINISHES: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "compaction": "stop",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "pause_turn": "pause",
}
SERVER_TOOLS = ("server_tool_use", "mcp_tool_use")
# The field of a block that a delta of its kind adds to.
GROWING = {"text_delta": "text", "thinking_delta": "thinking"}

Fields = dict[str, object]


class _Citation(Struct, gc=False):
    url: str | None = None
    title: str | None = None
    document_title: str | None = None
    cited_text: str | None = None

    def plain(self) -> Citation | None:
        if not self.url:
            return None
        title = self.title or self.document_title or ""
        return Citation(url=self.url, title=title, cited_text=self.cited_text or "")


class _Delta(Struct, gc=False):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _OutputDetails(Struct, gc=False):
    thinking_tokens: int | None = None


class _ServerTools(Struct, gc=False):
    web_search_requests: int | None = None


class _Usage(Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: _OutputDetails | None = None
    server_tool_use: _ServerTools | None = None


class _Message(Struct, gc=False):
    """The head of a stream, or an answer in one piece."""

    content: list[Raw] | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None
    error: object = None


class _Event(Struct, gc=False):
    type: str = ""
    index: int | None = None
    content_block: Raw = Raw()
    delta: Raw = Raw()
    message: _Message | None = None
    usage: _Usage | None = None


_event_from = reader_of(_Event)
_delta_from = reader_of(_Delta)
_message_from = reader_of(_Message)
_fields_from = reader_of(Fields)


class Payloads(Protocol):
    """Cuts bytes into the JSON texts of events, whatever is wrapped around them."""

    def feed(self, block: bytes) -> Iterable[bytes]: ...

    def end(self) -> Iterable[bytes]: ...


class FramedPayloads:
    """The same events inside Amazon's frames."""

    def __init__(self, *, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._frames = FrameParser()

    def feed(self, block: bytes) -> Iterator[bytes]:
        for frame in self._frames.feed(block):
            yield self._payload(frame)

    def end(self) -> Iterable[bytes]:
        return ()

    def _payload(self, frame: Frame) -> bytes:
        kind = frame.headers.get(":exception-type") or frame.headers.get(":error-code")
        if kind is not None:
            said = complaint_from(frame.payload, http_status=None)
            complaint = Complaint(code=kind, message=said.message, http_status=None)
            raise ProviderFailed(
                failure_from(complaint, secrets=self._secrets, retry_after_seconds=None)
            )
        return _unwrapped(frame.payload)


class _Wrapped(Struct):
    bytes: str = ""


_decode_wrapped = msgspec.json.Decoder(_Wrapped).decode


def _unwrapped(payload: bytes) -> bytes:
    try:
        return b64decode(_decode_wrapped(payload).bytes)
    except (*NOT_JSON, NotBase64) as error:
        raise ProviderFailed(malformed(payload)) from error


class _Block:
    """A content block that is being written: its fields, and the draft that tells it."""

    __slots__ = ("draft", "fields", "json")

    def __init__(self, fields: Fields, draft: Draft | None) -> None:
        self.fields = fields
        self.draft = draft
        self.json: list[str] = []

    @property
    def kind(self) -> str:
        return _text(self.fields, "type")


class AnthropicStreamMapper(AnswerMapper[bytes]):
    def __init__(self, payloads: Payloads, *, secrets: Sequence[str]) -> None:
        super().__init__(payloads.feed, secrets=secrets)
        self._payloads = payloads
        self._blocks: dict[int, _Block] = {}
        self._stop_reason: str | None = None
        self._usage: _Usage | None = None

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece, from a server that does not stream or does not say so."""
        if is_sse(body):
            return [*self.feed(body), *self.end()]
        message = _message_from(body)
        if message is not None and message.error is not None:
            self._fail(body)
        elif message is None or message.content is None:
            self.failure = unreadable(body)
        else:
            self._read_message(message)
        return self.end()

    def _last_payloads(self) -> Iterable[bytes]:
        return (one for one in self._payloads.end() if _event_from(one) is not None)

    def _read(self, payload: bytes) -> None:
        event = _event_from(payload)
        if event is None:
            self.failure = malformed(payload)
            return
        match event.type:
            case "content_block_delta":
                self._read_delta(event, payload)
            case "content_block_start":
                self._begin_block(event, payload)
            case "content_block_stop":
                self._end_block(event.index or 0)
            case "message_start":
                self._note_usage(event.message.usage if event.message else None)
            case "message_delta":
                self._read_ending(event)
            case "message_stop":
                self.is_done = True
            case "error":
                self._fail(payload)
            case _:
                pass

    def _read_message(self, message: _Message) -> None:
        for index, raw in enumerate(message.content or ()):
            self._begin(index, _fields_from(raw))
            self._end_block(index)
        self._stop_reason = message.stop_reason
        self._note_usage(message.usage)
        self.is_done = True

    def _begin_block(self, event: _Event, payload: bytes) -> None:
        fields = _fields_from(event.content_block)
        if fields is None:
            self.failure = malformed(payload)
        else:
            self._begin(event.index or 0, fields)

    def _begin(self, index: int, fields: Fields | None) -> None:
        if fields is None:
            return
        block = self._blocks[index] = _Block(fields, self._draft_for(fields))
        draft = block.draft
        if draft is not None and draft.kind != "tool_call":
            begun = _text(fields, "text") or _text(fields, "thinking")
            draft.fresh.append(begun)
            for citation in _citations(fields):
                draft.cite(citation)

    def _draft_for(self, fields: Fields) -> Draft | None:
        match fields.get("type"):
            case "text":
                return self._assembly.begin("text")
            case "thinking" | "redacted_thinking":
                return self._assembly.begin("reasoning")
            case "tool_use":
                call_id, name = _text(fields, "id"), _text(fields, "name")
                return self._assembly.begin_call(call_id=call_id, name=name)
            case _:
                return None

    def _read_delta(self, event: _Event, payload: bytes) -> None:
        block = self._blocks.get(event.index or 0)
        delta = _delta_from(event.delta)
        if block is None or delta is None:
            self.failure = malformed(payload)
            return
        growth = delta.text if delta.type == "text_delta" else delta.thinking
        if delta.type in GROWING and block.draft is not None:
            block.draft.fresh.append(growth or "")
        elif delta.type == "input_json_delta":
            self._read_json(block, delta.partial_json or "")
        elif delta.type == "signature_delta":
            block.fields["signature"] = delta.signature or ""
        else:
            self._read_other(block, _fields_from(event.delta) or {})

    def _read_json(self, block: _Block, piece: str) -> None:
        block.json.append(piece)
        if block.kind == "tool_use" and block.draft is not None:
            block.draft.fresh.append(piece)

    def _read_other(self, block: _Block, delta: Fields) -> None:
        """A citation, or a kind of change that nobody knew: texts grow, the rest is set."""
        if delta.get("type") == "citations_delta":
            kept = block.fields.get("citations")
            listed: list[object] = list(kept) if isinstance(kept, list) else []  # pyright: ignore[reportUnknownArgumentType]
            block.fields["citations"] = [*listed, delta.get("citation")]
            if block.draft is not None:
                for citation in _citations({"citations": [delta.get("citation")]}):
                    block.draft.cite(citation)
            return
        for name, value in delta.items():
            before = block.fields.get(name)
            if name != "type":
                grows = isinstance(before, str) and isinstance(value, str)
                block.fields[name] = f"{before}{value}" if grows else value

    def _end_block(self, index: int) -> None:
        block = self._blocks.pop(index, None)
        if block is None:
            return
        match block.kind:
            case "text" | "thinking" | "redacted_thinking":
                self._end_prose(block)
            case "tool_use":
                self._end_call(block)
            case kind if kind in SERVER_TOOLS:
                self._end_server_tool(block)
            case kind:
                native = _native(block.fields)
                self._assembly.add(Opaque(kind=kind or "unknown", native=native))

    def _end_prose(self, block: _Block) -> None:
        if block.draft is None:
            return
        if block.kind != "redacted_thinking":
            block.fields[block.kind] = block.draft.content
        block.draft.native = _native(block.fields)
        block.draft.is_closed = True

    def _end_call(self, block: _Block) -> None:
        """Arguments that are no JSON cannot go back as a block; the plain form keeps them."""
        if block.draft is None:
            return
        written = "".join(block.json)
        if not written and block.fields.get("input"):
            block.draft.fresh.append(msgspec.json.encode(block.fields["input"]).decode())
        if not written or _has_input(block, written):
            block.draft.native = _native(block.fields)
        block.draft.is_closed = True

    def _end_server_tool(self, block: _Block) -> None:
        written = "".join(block.json)
        if written:
            _has_input(block, written)
        arguments = msgspec.json.encode(block.fields.get("input", {})).decode()
        name = _text(block.fields, "name")
        self._assembly.add(ServerTool(name=name, arguments=arguments, native=_native(block.fields)))

    def _read_ending(self, event: _Event) -> None:
        delta = _delta_from(event.delta)
        if delta is not None:
            self._stop_reason = delta.stop_reason or self._stop_reason
        self._note_usage(event.usage)

    def _note_usage(self, usage: _Usage | None) -> None:
        if usage is not None:
            self._usage = last_counts(self._usage, usage)

    def _told_usage(self) -> TokenUsage | None:
        if self._usage is None or self._usage.input_tokens is None:
            return None
        return _normalised(self._usage)

    def _finish(self) -> Finish:
        if self._stop_reason is None:
            return "tool_use" if self._assembly.has_calls else "stop"
        return FINISHES.get(self._stop_reason, "error")


def sse_payloads() -> Payloads:
    return SseParser()


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _citations(fields: Fields) -> Iterator[Citation]:
    try:
        listed = msgspec.convert(fields.get("citations") or [], list[_Citation])
    except msgspec.ValidationError:
        return
    for one in listed:
        if (citation := one.plain()) is not None:
            yield citation


def _has_input(block: _Block, written: str) -> bool:
    """Put the written arguments into the block, if they are JSON."""
    try:
        block.fields["input"] = msgspec.json.decode(written)
    except msgspec.DecodeError:
        return False
    return True


def _native(fields: Fields) -> Native:
    return Native(family=FAMILY, block=msgspec.json.encode(fields).decode())


def _normalised(usage: _Usage) -> TokenUsage:
    details = usage.output_tokens_details or _OutputDetails()
    searches = usage.server_tool_use or _ServerTools()
    return TokenUsage(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        cache_write_tokens=usage.cache_creation_input_tokens or 0,
        reasoning_tokens=details.thinking_tokens or 0,
        web_searches=searches.web_search_requests or 0,
    )
