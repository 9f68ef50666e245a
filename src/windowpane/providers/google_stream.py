"""Gemini's answers as they come over the wire → our events.

A pure state machine: blocks of bytes in, events out. Text comes in many small parts, which are
one text to a reader; a part with a signature is kept as the part that it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Raw, Struct

from windowpane.events import StreamEvent
from windowpane.messages import Finish
from windowpane.parts import Citation, Image, Native, Opaque, ServerTool
from windowpane.providers.assembly import Draft
from windowpane.providers.classify import malformed, unreadable
from windowpane.providers.decoding import NOT_JSON, reader_of
from windowpane.providers.google_body import FAMILY
from windowpane.providers.mapper import AnswerMapper, last_counts
from windowpane.providers.sse import SseParser
from windowpane.usage import TokenUsage

FINISHES: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "filter",
    "RECITATION": "filter",
    "PROHIBITED_CONTENT": "filter",
    "BLOCKLIST": "filter",
    "SPII": "filter",
    "IMAGE_SAFETY": "filter",
    "MODEL_ARMOR": "filter",
}


# Only the fields that are read are named: decoding skips the others without building them.
class _FunctionCall(Struct, gc=False):
    id: str | None = None
    name: str = ""
    args: Raw = Raw(b"{}")


class _InlineData(Struct, gc=False):
    mimeType: str = ""
    data: str = ""


class _Code(Struct, gc=False):
    code: str = ""


class _ToolUse(Struct, gc=False):
    toolType: str = ""
    args: Raw = Raw(b"{}")


class _Part(Struct, gc=False):
    text: str | None = None
    thought: bool | None = None
    thoughtSignature: str | None = None
    functionCall: _FunctionCall | None = None
    inlineData: _InlineData | None = None
    executableCode: _Code | None = None
    toolCall: _ToolUse | None = None


class _Content(Struct, gc=False):
    parts: list[Raw] | None = None


class _Web(Struct, gc=False):
    uri: str | None = None
    title: str | None = None


class _GroundingChunk(Struct, gc=False):
    web: _Web | None = None


class _Segment(Struct, gc=False):
    text: str | None = None


class _Support(Struct, gc=False):
    segment: _Segment | None = None
    groundingChunkIndices: list[int] | None = None


class _Grounding(Struct, gc=False):
    groundingChunks: list[_GroundingChunk] | None = None
    groundingSupports: list[_Support] | None = None
    webSearchQueries: list[str] | None = None


class _Candidate(Struct, gc=False):
    content: _Content | None = None
    finishReason: str | None = None
    groundingMetadata: _Grounding | None = None


class _Feedback(Struct, gc=False):
    blockReason: str | None = None


class _Usage(Struct, gc=False):
    promptTokenCount: int | None = None
    candidatesTokenCount: int | None = None
    cachedContentTokenCount: int | None = None
    thoughtsTokenCount: int | None = None


class _Chunk(Struct, gc=False):
    candidates: list[_Candidate] | None = None
    promptFeedback: _Feedback | None = None
    usageMetadata: _Usage | None = None
    responseId: str | None = None
    error: object = None


_chunk_from = reader_of(_Chunk)
_part_from = reader_of(_Part)
_list_from = reader_of(list[Raw])


class _SignedText:
    """The parts of one text as they must go back.

    A signature belongs to its part alone: what has none is joined around it, never with it.
    """

    def __init__(self) -> None:
        self.parts: list[object] = []
        self._unsigned = ""
        self._is_thought = False

    def add(self, text: str, raw: Raw, *, is_thought: bool, signature: str | None) -> None:
        self._is_thought = is_thought
        if signature:
            self.parts = [*self.all(), raw]
            self._unsigned = ""
        else:
            self._unsigned += text

    def all(self) -> list[object]:
        if not self._unsigned:
            return self.parts
        rest: dict[str, object] = {"text": self._unsigned}
        return [*self.parts, rest | {"thought": True} if self._is_thought else rest]


class GoogleStreamMapper(AnswerMapper[bytes]):
    """It is never done: after the finish there may still be usage, and no word says otherwise."""

    def __init__(self, *, secrets: Sequence[str]) -> None:
        self._sse = SseParser()
        super().__init__(self._sse.feed, secrets=secrets)
        self._draft: Draft | None = None
        self._signed = _SignedText()
        self._calls = 0
        self._finish_reason: str | None = None
        self._is_blocked = False
        self._usage: _Usage | None = None
        self._web_searches = 0

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece: an object, or a list of what a stream would have sent."""
        start = body.lstrip()[:1]
        if start not in (b"{", b"[") and b"data:" in body:
            return [*self.feed(body), *self.end()]
        payloads = _listed(body) if start == b"[" else [body]
        if all(_chunk_from(payload) is not None for payload in payloads):
            self._read_all(payloads)
        else:
            self.failure = unreadable(body)
        return self.end()

    def _last_payloads(self) -> Iterable[bytes]:
        return (one for one in self._sse.end() if _chunk_from(one) is not None)

    def _is_complete(self) -> bool:
        return self._finish_reason is not None or self._is_blocked

    def _read(self, payload: bytes) -> None:
        chunk = _chunk_from(payload)
        if chunk is None:
            self.failure = malformed(payload)
        elif chunk.error is not None:
            self._fail(payload)
        else:
            self._read_chunk(chunk)

    def _read_chunk(self, chunk: _Chunk) -> None:
        for candidate in (chunk.candidates or ())[:1]:
            self._read_candidate(candidate, response_id=chunk.responseId or "answer")
        if chunk.promptFeedback is not None and chunk.promptFeedback.blockReason:
            self._is_blocked = self._is_blocked or not chunk.candidates
        if chunk.usageMetadata is not None:
            self._usage = last_counts(self._usage, chunk.usageMetadata)

    def _read_candidate(self, candidate: _Candidate, *, response_id: str) -> None:
        content = candidate.content or _Content()
        for raw in content.parts or ():
            self._read_part(raw, response_id=response_id)
        if candidate.finishReason:
            self._finish_reason = candidate.finishReason
        if candidate.groundingMetadata is not None:
            self._read_grounding(candidate.groundingMetadata)

    def _read_part(self, raw: Raw, *, response_id: str) -> None:
        part = _part_from(raw)
        if part is None:
            self._add_whole(Opaque(kind="part", native=_native(raw)))
        elif part.functionCall is not None:
            self._read_call(part.functionCall, raw, response_id=response_id)
        elif part.inlineData is not None:
            data = part.inlineData
            self._add_whole(Image(media_type=data.mimeType, data=data.data, native=_native(raw)))
        elif part.executableCode is not None:
            code = msgspec.json.encode({"code": part.executableCode.code}).decode()
            self._add_tool("code_execution", code, raw)
        elif part.toolCall is not None:
            self._add_tool(part.toolCall.toolType, bytes(part.toolCall.args).decode(), raw)
        elif part.text is not None:
            self._read_text(part, raw)
        else:
            self._add_whole(Opaque(kind=_kind(raw), native=_native(raw)))

    def _read_text(self, part: _Part, raw: Raw) -> None:
        text = part.text or ""
        if not text and not part.thoughtSignature:
            return
        kind = "reasoning" if part.thought else "text"
        draft = self._draft
        if draft is None or draft.kind != kind:
            draft = self._draft = self._assembly.begin(kind)
            self._signed = _SignedText()
        draft.fresh.append(text)
        self._signed.add(text, raw, is_thought=bool(part.thought), signature=part.thoughtSignature)
        if self._signed.parts:
            block = msgspec.json.encode(self._signed.all()).decode()
            draft.native = Native(family=FAMILY, block=block)

    def _read_call(self, call: _FunctionCall, raw: Raw, *, response_id: str) -> None:
        self._calls += 1
        # Results refer to an id; where the server gives none, its answer's id makes one.
        call_id = call.id or f"{response_id}-{self._calls}"
        draft = self._assembly.begin_call(call_id=call_id, name=call.name)
        draft.fresh.append(bytes(call.args).decode(errors="replace"))
        draft.native = _native(raw)
        draft.is_closed = True
        self._draft = None

    def _add_tool(self, name: str, arguments: str, raw: Raw) -> None:
        self._add_whole(ServerTool(name=name, arguments=arguments, native=_native(raw)))

    def _add_whole(self, part: Image | ServerTool | Opaque) -> None:
        self._assembly.add(part)
        self._draft = None

    def _read_grounding(self, grounding: _Grounding) -> None:
        self._web_searches = max(self._web_searches, len(grounding.webSearchQueries or ()))
        citations = list(_citations(grounding))
        if not citations:
            return
        if self._draft is None or self._draft.kind != "text":
            self._draft = self._assembly.begin("text")
        for citation in citations:
            self._draft.cite(citation)

    def _told_usage(self) -> TokenUsage | None:
        if self._usage is None or self._usage.promptTokenCount is None:
            return None
        return _normalised(self._usage, web_searches=self._web_searches)

    def _finish(self) -> Finish:
        if self._finish_reason is None:
            return "filter"
        finish = FINISHES.get(self._finish_reason, "error")
        return "tool_use" if finish == "stop" and self._assembly.has_calls else finish


def _listed(body: bytes) -> list[bytes]:
    raws = _list_from(body)
    return [body] if raws is None else [bytes(raw) for raw in raws]


def _kind(raw: Raw) -> str:
    """A part is named by its one field."""
    try:
        return next(iter(msgspec.json.decode(raw, type=dict[str, Raw])), "part")
    except NOT_JSON:
        return "part"


def _native(raw: Raw) -> Native:
    return Native(family=FAMILY, block=f"[{bytes(raw).decode(errors='replace')}]")


def _citations(grounding: _Grounding) -> Iterator[Citation]:
    cited: dict[int, str] = {}
    for support in grounding.groundingSupports or ():
        text = (support.segment.text if support.segment else None) or ""
        for index in support.groundingChunkIndices or ():
            cited.setdefault(index, text)
    for index, chunk in enumerate(grounding.groundingChunks or ()):
        if chunk.web is not None and chunk.web.uri:
            yield Citation(
                url=chunk.web.uri,
                title=chunk.web.title or "",
                cited_text=cited.get(index, ""),
            )


def _normalised(usage: _Usage, *, web_searches: int) -> TokenUsage:
    """Input without what was cached, output with the thoughts that Gemini counts beside it."""
    cache_read_tokens = usage.cachedContentTokenCount or 0
    reasoning_tokens = usage.thoughtsTokenCount or 0
    return TokenUsage(
        input_tokens=max(0, (usage.promptTokenCount or 0) - cache_read_tokens),
        output_tokens=(usage.candidatesTokenCount or 0) + reasoning_tokens,
        cache_read_tokens=cache_read_tokens,
        reasoning_tokens=reasoning_tokens,
        web_searches=web_searches,
    )
