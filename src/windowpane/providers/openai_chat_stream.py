"""Chat Completions as it comes over the wire → our events.

A pure state machine: blocks of bytes in, events out, whatever the cuts between the blocks. It
reads every compatible server's dialect; how the bytes got here is not its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from windowpane.events import StreamEvent
from windowpane.messages import Finish
from windowpane.parts import Citation, Image, Opaque, ServerTool
from windowpane.providers.assembly import Draft
from windowpane.providers.classify import malformed, unreadable
from windowpane.providers.mapper import AnswerMapper
from windowpane.providers.openai_chat_native import Fields, Thought, native_of
from windowpane.providers.openai_chat_wire import (
    WireCall,
    WireChoice,
    WireChunk,
    WireDelta,
    WireExecuted,
    WireFunction,
    WireLink,
    WirePart,
    WireUsage,
    decoded,
    normalised,
)
from windowpane.providers.sse import SseParser, is_sse
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


class ChatStreamMapper(AnswerMapper[bytes | str]):
    def __init__(self, *, secrets: Sequence[str]) -> None:
        self._sse = SseParser()
        super().__init__(self._sse.feed, secrets=secrets)
        self._calls: dict[int, Draft] = {}
        # What is being written now, if it is prose.
        self._text: Draft | None = None
        self._thought: Thought | None = None
        # Sources told when no text was being written: they are the next one's.
        self._sources: list[Citation] = []
        self._searches = 0
        self._is_whole = False
        self._finish_reason: str | None = None
        self._has_refusal = False
        self._usage: WireUsage | None = None

    def read(self, payload: str) -> list[StreamEvent]:
        """The events of one chunk that came by itself, without the wrapping of a stream."""
        self._read_all((payload,))
        return self._assembly.take()

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece, from a server that does not stream or does not say so."""
        if is_sse(body):
            return [*self.feed(body), *self.end()]
        self._is_whole = True
        chunk = decoded(body)
        if chunk is None or (chunk.choices is None and chunk.error is None):
            self.failure = unreadable(body)
        else:
            self._read_chunk(chunk, body)
        self.is_done = True
        return self.end()

    def _last_payloads(self) -> Iterable[bytes]:
        return (one for one in self._sse.end() if one == DONE or decoded(one) is not None)

    def _is_complete(self) -> bool:
        return self.is_done or self._finish_reason is not None

    def _last_parts(self) -> list[StreamEvent]:
        self._turn_to(None)
        if self._sources:
            self._write("")
        return super()._last_parts()

    def _read(self, payload: bytes | str) -> None:
        if payload == DONE:
            self.is_done = True
        elif (chunk := decoded(payload)) is None:
            self.failure = malformed(payload)
        else:
            self._read_chunk(chunk, payload)

    def _read_chunk(self, chunk: WireChunk, payload: bytes | str) -> None:
        try:
            for choice in chunk.choices or ():
                if choice.index == 0:
                    self._read_choice(choice, chunk_id=chunk.id)
        except msgspec.ValidationError:
            self.failure = malformed(payload)
        if chunk.search_results or chunk.citations:
            self._read_sources(chunk)
        usage = chunk.usage or (chunk.x_groq and chunk.x_groq.usage)
        if usage is not None and usage.prompt_tokens is not None:
            self._usage = usage
        if chunk.error is not None:
            self._read_error(chunk.error)

    def _read_choice(self, choice: WireChoice, *, chunk_id: str | None) -> None:
        delta = choice.delta or choice.message
        if delta is not None:
            self._read_delta(delta, chunk_id=chunk_id)
        if choice.finish_reason:
            self._finish_reason = choice.finish_reason
        if choice.error is not None:
            self._read_error(choice.error)

    def _read_delta(self, delta: WireDelta, *, chunk_id: str | None) -> None:
        if delta.reasoning_content or delta.reasoning or delta.reasoning_details:
            self._read_reasoning(delta)
        if delta.extra_content:
            self._read_extra(delta.extra_content)
        for tool in delta.executed_tools or ():
            self._read_executed(tool)
        if delta.content:
            self._read_content(delta.content)
        if delta.refusal:
            self._has_refusal = True
            self._write(delta.refusal)
        if delta.annotations or delta.images:
            self._read_attached(delta)
        for call in delta.tool_calls or ():
            self._read_call(call, chunk_id=chunk_id)

    def _write(self, text: str) -> None:
        draft = self._assembly.write("text", text)
        if draft is not self._text:
            self._turn_to(draft)

    def _turn_to(self, text: Draft | None) -> None:
        """Something new begins: a text, or what is no prose. A thought before it is over."""
        if self._thought is not None:
            self._thought.seal()
            self._thought = None
        self._text = text
        if text is not None:
            for source in self._sources:
                text.cite(source)
            self._sources.clear()

    def _thinking(self) -> Thought:
        if self._thought is None or self._thought.is_closed:
            self._turn_to(None)
            self._thought = Thought(self._assembly.begin("reasoning"))
        return self._thought

    def _read_reasoning(self, delta: WireDelta) -> None:
        thought = self._thinking()
        if delta.reasoning_content:
            thought.write("reasoning_content", delta.reasoning_content)
        elif delta.reasoning:
            thought.write("reasoning", delta.reasoning)
        thought.add_details(delta.reasoning_details or ())

    def _read_extra(self, extra: Fields) -> None:
        """Google's signature of the whole message; what else may be there needs no way back."""
        if "thought_signature" in str(extra):
            self._thinking().add_extra(extra)

    def _read_content(self, content: str | list[Fields]) -> None:
        if isinstance(content, str):
            self._write(content)
            return
        for fields in content:
            self._read_part(fields)

    def _read_part(self, fields: Fields) -> None:
        part = msgspec.convert(fields, WirePart)
        if part.type == "thinking":
            words = "".join(words.text or "" for words in part.thinking or ())
            self._thinking().add_content_part(fields, text=words)
        elif part.type != "text":
            self._assembly.add(Opaque(kind=part.type, native=native_of(fields)))
            self._turn_to(None)
        elif part.text:
            self._write(part.text)

    def _read_executed(self, fields: Fields) -> None:
        tool = msgspec.convert(fields, WireExecuted)
        if tool.output is None and not self._is_whole:
            return
        self._searches += tool.type == "search"
        self._assembly.add(
            ServerTool(
                name=tool.name or tool.type,
                arguments=_json_text(tool.arguments),
                native=native_of(fields),
            )
        )
        self._turn_to(None)

    def _read_attached(self, delta: WireDelta) -> None:
        for annotation in delta.annotations or ():
            if annotation.type == "url_citation":
                self._cite(annotation.url_citation or annotation)
        for picture in delta.images or ():
            if picture.image_url is not None and picture.image_url.url:
                self._assembly.add(_image(picture.image_url.url))
                self._turn_to(None)

    def _read_sources(self, chunk: WireChunk) -> None:
        """They come with every chunk, and are the same each time."""
        for link in chunk.search_results or map(WireLink, chunk.citations or ()):
            self._cite(link)

    def _cite(self, link: WireLink) -> None:
        if not link.url:
            return
        source = Citation(url=link.url, title=link.title or "", cited_text=link.content or "")
        if self._text is not None:
            self._text.cite(source)
        elif source not in self._sources:
            self._sources.append(source)

    def _read_call(self, call: WireCall, *, chunk_id: str | None) -> None:
        function = call.function or call.custom or WireFunction()
        draft = self._draft(call, begins=bool(function.name), chunk_id=chunk_id)
        if function.name and function.name != draft.name:
            draft.name += function.name
        if text := _json_text(function.arguments) or function.input:
            draft.fresh.append(text)
        if call.extra_content is not None:
            draft.native = native_of({"extra_content": call.extra_content})
        elif call.custom is not None:
            draft.native = native_of({"type": "custom"})

    def _draft(self, call: WireCall, *, begins: bool, chunk_id: str | None) -> Draft:
        """The call that a piece belongs to. Some servers leave out the index, some count wrong."""
        index = call.index
        if index is None:
            index = len(self._calls) if begins else len(self._calls) - 1
        draft = self._calls.get(index)
        if draft is None or (begins and call.id and call.id != draft.call_id):
            # Results refer to the id: where the server gives none, its answer's id makes one.
            call_id = call.id or f"{chunk_id}-{index}"
            draft = self._calls[index] = self._assembly.begin_call(call_id=call_id, name="")
            self._turn_to(None)
        return draft

    def _read_error(self, error: object) -> None:
        self._fail(msgspec.json.encode({"error": error}))

    def _told_usage(self) -> TokenUsage | None:
        if self._usage is None:
            return None
        return normalised(self._usage, executed_searches=self._searches)

    def _finish(self) -> Finish:
        reason = self._finish_reason
        finish = "stop" if reason is None else FINISHES.get(reason.lower(), "error")
        if finish == "stop" and self._assembly.has_calls:
            return "tool_use"
        if finish == "stop" and self._has_refusal:
            return "refusal"
        return finish


def _json_text(arguments: str | Fields | None) -> str:
    if isinstance(arguments, dict):
        return msgspec.json.encode(arguments).decode()
    return arguments or ""


def _image(url: str) -> Image:
    head, comma, data = url.partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        return Image(media_type="image/*", url=url)
    return Image(media_type=head.removeprefix("data:").partition(";")[0], data=data)
