"""Bedrock's Converse as it comes over the wire → our events.

A pure state machine: blocks of bytes in, events out. Content blocks are kept whole beside their
plain form, because signatures and sealed thoughts must go back as they came.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Raw, Struct

from windowpane.events import StreamEvent
from windowpane.messages import Finish
from windowpane.parts import Citation, Native, Opaque, ServerTool
from windowpane.providers.assembly import Draft
from windowpane.providers.bedrock_body import FAMILY
from windowpane.providers.classify import (
    Complaint,
    complaint_from,
    failure_from,
    malformed,
    unreadable,
)
from windowpane.providers.decoding import NOT_JSON, reader_of
from windowpane.providers.eventstream import Frame, FrameParser
from windowpane.providers.mapper import AnswerMapper
from windowpane.usage import TokenUsage

FINISHES: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "filter",
    "content_filtered": "filter",
}
Block = dict[str, object]


# Only the fields that are read are named: decoding skips the others without building them.
class _ToolUse(Struct, gc=False):
    toolUseId: str = ""
    name: str = ""
    type: str = ""
    input: Raw = Raw()


class _ReasoningText(Struct, gc=False):
    text: str | None = None
    signature: str | None = None


class _Reasoning(Struct, gc=False):
    """In a stream the text stands where a whole block has ``reasoningText``."""

    text: str | None = None
    signature: str | None = None
    redactedContent: str | None = None
    reasoningText: _ReasoningText | None = None


class _Web(Struct, gc=False):
    url: str | None = None


class _Location(Struct, gc=False):
    web: _Web | None = None


class _Source(Struct, gc=False):
    text: str | None = None


class _Citation(Struct, gc=False):
    title: str | None = None
    location: _Location | None = None
    sourceContent: list[_Source] | None = None

    def plain(self) -> Citation | None:
        web = self.location.web if self.location else None
        if web is None or not web.url:
            return None
        cited = "".join(source.text or "" for source in self.sourceContent or ())
        return Citation(url=web.url, title=self.title or "", cited_text=cited)


class _CitedText(Struct, gc=False):
    text: str | None = None


class _Cited(Struct, gc=False):
    content: list[_CitedText] | None = None
    citations: list[_Citation] | None = None


class _Piece(Struct, gc=False):
    """A whole content block, the start of one, or what is added to one."""

    text: str | None = None
    toolUse: _ToolUse | None = None
    reasoningContent: _Reasoning | None = None
    citation: _Citation | None = None
    citationsContent: _Cited | None = None


class _Usage(Struct, gc=False):
    inputTokens: int | None = None
    outputTokens: int | None = None
    cacheReadInputTokens: int | None = None
    cacheWriteInputTokens: int | None = None


class _Event(Struct, gc=False):
    contentBlockIndex: int = 0
    start: Raw = Raw()
    delta: Raw = Raw()
    stopReason: str | None = None
    usage: _Usage | None = None


class _Message(Struct, gc=False):
    content: list[Raw] | None = None


class _Output(Struct, gc=False):
    message: _Message | None = None


class _Answer(Struct, gc=False):
    output: _Output | None = None
    stopReason: str | None = None
    usage: _Usage | None = None


_decode_event = msgspec.json.Decoder(_Event).decode
_piece_from = reader_of(_Piece)
_answer_from = reader_of(_Answer)
_text_from = reader_of(str)


class _Open:
    """A content block that is being written."""

    def __init__(self) -> None:
        self.draft: Draft | None = None
        self.signature = ""
        self.redacted: list[str] = []
        self.tool: _ToolUse | None = None
        self.input: list[str] = []
        self.unknown: list[Raw] = []


class BedrockStreamMapper(AnswerMapper[Frame]):
    def __init__(self, *, secrets: Sequence[str]) -> None:
        super().__init__(FrameParser().feed, secrets=secrets)
        self._open: dict[int, _Open] = {}
        self._stop_reason: str | None = None
        self._usage: _Usage | None = None

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece."""
        answer = _answer_from(body) or _Answer()
        message = answer.output.message if answer.output else None
        if message is None or message.content is None:
            self.failure = unreadable(body)
            return self.end()
        for raw in message.content:
            self._read_block(raw)
        self._stop_reason, self._usage = answer.stopReason, answer.usage
        self.is_done = True
        return self.end()

    def _read(self, frame: Frame) -> None:
        if frame.headers.get(":message-type") in ("exception", "error"):
            self._read_exception(frame)
            return
        try:
            event = _decode_event(frame.payload)
        except NOT_JSON:
            self.failure = malformed(frame.payload)
            return
        match frame.headers.get(":event-type"):
            case "contentBlockDelta":
                self._read_delta(event.contentBlockIndex, event.delta)
            case "contentBlockStart":
                self._read_start(event.contentBlockIndex, event.start)
            case "contentBlockStop":
                self._stop(self._open.pop(event.contentBlockIndex, None))
            case "messageStop":
                self._stop_reason = event.stopReason
            case "metadata":
                self._usage, self.is_done = event.usage, True
            case _:
                pass

    def _read_start(self, index: int, raw: Raw) -> None:
        opened = self._open[index] = _Open()
        piece = _piece_from(raw)
        if piece is None or piece.toolUse is None:
            # A start without a word of what begins; what follows will tell.
            opened.unknown += [raw] if piece is None else []
            return
        opened.tool = piece.toolUse
        if piece.toolUse.type != "server_tool_use":
            opened.draft = self._assembly.begin_call(
                call_id=piece.toolUse.toolUseId, name=piece.toolUse.name
            )

    def _read_delta(self, index: int, raw: Raw) -> None:
        opened = self._open.get(index)
        if opened is None:
            opened = self._open[index] = _Open()
        piece = _piece_from(raw)
        if piece is None:
            opened.unknown.append(raw)
        elif piece.text is not None:
            self._prose(opened, "text").fresh.append(piece.text)
        elif piece.reasoningContent is not None:
            self._read_reasoning(opened, piece.reasoningContent)
        elif piece.toolUse is not None:
            self._read_input(opened, piece.toolUse)
        elif piece.citation is not None:
            if (citation := piece.citation.plain()) is not None:
                self._prose(opened, "text").cite(citation)
        else:
            opened.unknown.append(raw)

    def _prose(self, opened: _Open, kind: str) -> Draft:
        if opened.draft is None:
            opened.draft = self._assembly.begin("text" if kind == "text" else "reasoning")
        return opened.draft

    def _read_reasoning(self, opened: _Open, reasoning: _Reasoning) -> None:
        draft = self._prose(opened, "reasoning")
        draft.fresh.append(reasoning.text or "")
        opened.signature += reasoning.signature or ""
        if reasoning.redactedContent:
            opened.redacted.append(reasoning.redactedContent)

    def _read_input(self, opened: _Open, tool: _ToolUse) -> None:
        """In a stream the input is a text that grows."""
        piece = _text_from(tool.input)
        if piece is None:
            return
        opened.input.append(piece)
        if opened.draft is not None:
            opened.draft.fresh.append(piece)

    def _stop(self, opened: _Open | None) -> None:
        if opened is None:
            return
        draft = opened.draft
        if draft is None:
            self._stop_whole(opened)
            return
        match draft.kind:
            case "text":
                pass
            case "reasoning":
                draft.native = _thought(opened, draft.content)
            case "tool_call":
                draft.native = _call_native(draft)
        draft.is_closed = True

    def _stop_whole(self, opened: _Open) -> None:
        if opened.tool is not None:
            tool, written = opened.tool, "".join(opened.input)
            block: Block = {"toolUseId": tool.toolUseId, "name": tool.name, "type": tool.type}
            native = _native({"toolUse": {**block, "input": _json_or_text(written)}})
            self._assembly.add(ServerTool(name=tool.name, arguments=written, native=native))
        for raw in opened.unknown:
            self._add_unknown(raw)

    def _read_block(self, raw: Raw) -> None:
        piece = _piece_from(raw) or _Piece()
        native = Native(family=FAMILY, block=bytes(raw).decode(errors="replace"))
        if piece.text is not None:
            self._assembly.begin("text").fresh.append(piece.text)
        elif piece.reasoningContent is not None:
            draft = self._assembly.begin("reasoning")
            thought = piece.reasoningContent.reasoningText or _ReasoningText()
            draft.fresh.append(thought.text or "")
            is_kept = bool(thought.signature or piece.reasoningContent.redactedContent)
            draft.native, draft.is_closed = native if is_kept else None, True
        elif piece.toolUse is not None:
            self._add_call(piece.toolUse, native)
        elif piece.citationsContent is not None:
            self._add_cited(piece.citationsContent, native)
        else:
            self._add_unknown(raw)

    def _add_call(self, tool: _ToolUse, native: Native) -> None:
        arguments = bytes(tool.input).decode(errors="replace")
        if tool.type == "server_tool_use":
            self._assembly.add(ServerTool(name=tool.name, arguments=arguments, native=native))
            return
        draft = self._assembly.begin_call(call_id=tool.toolUseId, name=tool.name)
        draft.fresh.append(arguments)
        draft.native, draft.is_closed = native, True

    def _add_cited(self, cited: _Cited, native: Native) -> None:
        draft = self._assembly.begin("text")
        draft.fresh += [piece.text or "" for piece in cited.content or ()]
        for citation in _plain_citations(cited.citations or ()):
            draft.cite(citation)
        draft.native, draft.is_closed = native, True

    def _add_unknown(self, raw: Raw) -> None:
        text = bytes(raw).decode(errors="replace")
        try:
            kind = next(iter(msgspec.json.decode(text, type=dict[str, Raw])), "block")
        except msgspec.DecodeError:
            return
        self._assembly.add(Opaque(kind=kind, native=Native(family=FAMILY, block=text)))

    def _read_exception(self, frame: Frame) -> None:
        said = complaint_from(frame.payload, http_status=None)
        headers = frame.headers
        complaint = Complaint(
            code=headers.get(":exception-type") or headers.get(":error-code") or said.code,
            message=said.message or headers.get(":error-message", ""),
            http_status=None,
        )
        self.failure = failure_from(complaint, secrets=self._secrets, retry_after_seconds=None)

    def _told_usage(self) -> TokenUsage | None:
        if self._usage is None or self._usage.inputTokens is None:
            return None
        return _normalised(self._usage)

    def _finish(self) -> Finish:
        if self._stop_reason is None:
            return "tool_use" if self._assembly.has_calls else "stop"
        return FINISHES.get(self._stop_reason, "error")


def _native(block: Block) -> Native:
    return Native(family=FAMILY, block=msgspec.json.encode(block).decode())


def _thought(opened: _Open, text: str) -> Native | None:
    """Only what is signed or sealed can go back: the models that sign nothing refuse it."""
    if opened.redacted:
        sealed = _joined(opened.redacted)
        return _native({"reasoningContent": {"redactedContent": sealed}}) if sealed else None
    if not opened.signature:
        return None
    signed = {"text": text, "signature": opened.signature}
    return _native({"reasoningContent": {"reasoningText": signed}})


def _joined(pieces: list[str]) -> str:
    """Each piece was put in base64 by itself; if one was not, nothing can go back."""
    if len(pieces) == 1:
        return pieces[0]
    try:
        return b64encode(b"".join(b64decode(one, validate=True) for one in pieces)).decode()
    except NotBase64:
        return ""


def _call_native(draft: Draft) -> Native | None:
    """Arguments that are no JSON cannot go back as a block; the plain form keeps them."""
    given = _json_or_text(draft.content or "{}")
    if isinstance(given, str):
        return None
    return _native({"toolUse": {"toolUseId": draft.call_id, "name": draft.name, "input": given}})


def _json_or_text(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _plain_citations(citations: Iterable[_Citation]) -> Iterator[Citation]:
    for one in citations:
        if (citation := one.plain()) is not None:
            yield citation


def _normalised(usage: _Usage) -> TokenUsage:
    return TokenUsage(
        input_tokens=usage.inputTokens or 0,
        output_tokens=usage.outputTokens or 0,
        cache_read_tokens=usage.cacheReadInputTokens or 0,
        cache_write_tokens=usage.cacheWriteInputTokens or 0,
    )
