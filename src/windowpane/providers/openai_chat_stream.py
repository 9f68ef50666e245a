"""Chat Completions as it comes over the wire → our events.

A pure state machine: blocks of bytes in, events out, whatever the cuts between the blocks. It
reads every compatible server's dialect; how the bytes got here is not its business.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from windowpane.errors import Failure, ProviderFailed
from windowpane.events import Finished, StreamEvent, UsageReported
from windowpane.messages import Finish
from windowpane.providers.assembly import Assembly, Draft
from windowpane.providers.classify import CUT, complaint_from, failure_from, malformed
from windowpane.providers.sse import SseParser
from windowpane.usage import TokenUsage

DONE = b"[DONE]"
FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "sensitive": "filter",
    "refusal": "refusal",
}


# Only the fields that are read are named: decoding skips the others without building them.
class _Function(Struct, gc=False):
    name: str | None = None
    arguments: str | dict[str, object] | None = None


class _ToolCall(Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Thought(Struct, gc=False):
    text: str | None = None


class _ContentPart(Struct, gc=False):
    """Mistral: content as a list of parts, some of them reasoning."""

    type: str
    text: str | None = None
    thinking: list[_Thought] | None = None


class _Delta(Struct, gc=False):
    content: str | list[_ContentPart] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(Struct, gc=False):
    """``message`` takes the place of ``delta`` in an answer that is not streamed."""

    index: int = 0
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None
    error: object = None


class _PromptDetails(Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _CompletionDetails(Struct, gc=False):
    reasoning_tokens: int | None = None


class _ServerTools(Struct, gc=False):
    web_search_requests: int | None = None


class _Usage(Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_cache_hit_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None
    server_tool_use: _ServerTools | None = None


class _Groq(Struct, gc=False):
    usage: _Usage | None = None


class _Chunk(Struct, gc=False):
    id: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: object = None
    x_groq: _Groq | None = None


_decode = msgspec.json.Decoder(_Chunk).decode


class ChatStreamMapper:
    """``failure`` is set when the provider broke off; the events up to it stay valid."""

    def __init__(self, *, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._sse = SseParser()
        self._assembly = Assembly()
        self._calls: dict[int, Draft] = {}
        self._finish_reason: str | None = None
        self._has_refusal = False
        self._usage: _Usage | None = None
        self.failure: Failure | None = None
        self.is_done = False

    def feed(self, block: bytes) -> list[StreamEvent]:
        """The events of one block, its text joined into one delta."""
        try:
            for payload in self._sse.feed(block):
                self._read_payload(payload)
        except ProviderFailed as failed:
            self.failure = failed.failure
        return self._assembly.take()

    def read(self, payload: str) -> list[StreamEvent]:
        """The events of one chunk that came by itself, without the wrapping of a stream."""
        self._read_payload(payload)
        return self._assembly.take()

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece, from a server that does not stream or does not say so."""
        if body.lstrip().startswith((b"data:", b"event:", b":")):
            return [*self.feed(body), *self.end()]
        chunk = _decoded(body)
        if chunk is None or (chunk.choices is None and chunk.error is None):
            self.failure = malformed(body)
        else:
            self._read_chunk(chunk)
        self.is_done = True
        return self.end()

    def end(self) -> list[StreamEvent]:
        """The body is over: what is open closes, and the answer is complete or cut."""
        for payload in self._sse.end():
            if payload == DONE or _decoded(payload) is not None:
                self._read_payload(payload)
        events = self._assembly.close()
        if self._usage is not None:
            events.append(UsageReported(usage=_normalised(self._usage)))
        if self.failure is None and not self.is_done and self._finish_reason is None:
            self.failure = CUT
        if self.failure is None:
            events.append(Finished(finish=self._finish()))
        return events

    def _read_payload(self, payload: bytes | str) -> None:
        if self.is_done or self.failure is not None:
            return
        if payload == DONE:
            self.is_done = True
        elif (chunk := _decoded(payload)) is None:
            self.failure = malformed(payload)
        else:
            self._read_chunk(chunk)

    def _read_chunk(self, chunk: _Chunk) -> None:
        for choice in chunk.choices or ():
            if choice.index == 0:
                self._read_choice(choice, chunk_id=chunk.id)
        usage = chunk.usage or (chunk.x_groq and chunk.x_groq.usage)
        if usage is not None and usage.prompt_tokens is not None:
            self._usage = usage
        if chunk.error is not None:
            self._fail(chunk.error)

    def _read_choice(self, choice: _Choice, *, chunk_id: str | None) -> None:
        delta = choice.delta or choice.message
        if delta is not None:
            self._read_delta(delta, chunk_id=chunk_id)
        if choice.finish_reason:
            self._finish_reason = choice.finish_reason
        if choice.error is not None:
            self._fail(choice.error)

    def _read_delta(self, delta: _Delta, *, chunk_id: str | None) -> None:
        if reasoning := delta.reasoning_content or delta.reasoning:
            self._assembly.write("reasoning", reasoning)
        if isinstance(delta.content, str):
            if delta.content:
                self._assembly.write("text", delta.content)
        elif delta.content is not None:
            self._read_content(delta.content)
        if delta.refusal:
            self._has_refusal = True
            self._assembly.write("text", delta.refusal)
        for call in delta.tool_calls or ():
            self._read_call(call, chunk_id=chunk_id)

    def _read_content(self, content: list[_ContentPart]) -> None:
        for part in content:
            if part.type == "text" and part.text:
                self._assembly.write("text", part.text)
            elif part.type == "thinking":
                thought = "".join(thought.text or "" for thought in part.thinking or ())
                self._assembly.write("reasoning", thought)

    def _read_call(self, call: _ToolCall, *, chunk_id: str | None) -> None:
        function = call.function or _Function()
        draft = self._draft(call, begins=bool(function.name), chunk_id=chunk_id)
        if function.name and function.name != draft.name:
            draft.name += function.name
        if isinstance(function.arguments, str):
            draft.fresh.append(function.arguments)
        elif function.arguments is not None:
            draft.fresh.append(msgspec.json.encode(function.arguments).decode())

    def _draft(self, call: _ToolCall, *, begins: bool, chunk_id: str | None) -> Draft:
        """The call that a piece belongs to. Some servers leave out the index, some count wrong."""
        index = call.index
        if index is None:
            index = len(self._calls) if begins else len(self._calls) - 1
        draft = self._calls.get(index)
        if draft is None or (begins and call.id and call.id != draft.call_id):
            # Results refer to the id: where the server gives none, its answer's id makes one.
            call_id = call.id or f"{chunk_id}-{index}"
            draft = self._calls[index] = self._assembly.begin_call(call_id=call_id, name="")
        return draft

    def _fail(self, error: object) -> None:
        complaint = complaint_from(msgspec.json.encode({"error": error}), http_status=None)
        self.failure = failure_from(complaint, secrets=self._secrets, retry_after_seconds=None)

    def _finish(self) -> Finish:
        reason = self._finish_reason
        finish = "stop" if reason is None else FINISHES.get(reason.lower(), "error")
        if finish == "stop" and self._assembly.has_calls:
            return "tool_use"
        if finish == "stop" and self._has_refusal:
            return "refusal"
        return finish


def _decoded(payload: bytes | str) -> _Chunk | None:
    try:
        return _decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _normalised(usage: _Usage) -> TokenUsage:
    """Input without what was cached, output with reasoning, as ``TokenUsage`` wants it."""
    prompt_tokens = usage.prompt_tokens or 0
    output_tokens = usage.completion_tokens or 0
    prompt = usage.prompt_tokens_details or _PromptDetails()
    completion = usage.completion_tokens_details or _CompletionDetails()
    cache_read_tokens = prompt.cached_tokens or usage.prompt_cache_hit_tokens or 0
    cache_write_tokens = prompt.cache_write_tokens or 0
    reasoning_tokens = completion.reasoning_tokens or 0
    # xAI counts reasoning beside the completion; the total gives it away.
    if usage.total_tokens == prompt_tokens + output_tokens + reasoning_tokens:
        output_tokens += reasoning_tokens
    searches = usage.server_tool_use or _ServerTools()
    return TokenUsage(
        input_tokens=max(0, prompt_tokens - cache_read_tokens - cache_write_tokens),
        output_tokens=output_tokens,
        cache_read_tokens=cache_read_tokens,
        cache_write_tokens=cache_write_tokens,
        reasoning_tokens=reasoning_tokens,
        web_searches=searches.web_search_requests or 0,
    )
