"""The Responses API as it comes over the wire → our events.

A pure state machine: blocks of bytes in, events out, whatever the cuts between the blocks. Output
items may be written at the same time; they are told one after the other, in the order they began.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Raw, Struct

from windowpane.events import OpenKind, StreamEvent
from windowpane.messages import Finish
from windowpane.providers.assembly import Draft
from windowpane.providers.classify import malformed, unreadable
from windowpane.providers.decoding import reader_of
from windowpane.providers.mapper import AnswerMapper
from windowpane.providers.openai_responses_items import (
    OPEN_KINDS,
    Annotation,
    Item,
    Response,
    item_from,
)
from windowpane.providers.sse import SseParser, is_sse
from windowpane.usage import TokenUsage

# Compatible servers close with the mark of the other family; here it says nothing.
DONE = b"[DONE]"
REFUSAL = "response.refusal.delta"
ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
ANNOTATION = "response.output_text.annotation.added"
DELTAS: dict[str, OpenKind] = {
    "response.output_text.delta": "text",
    REFUSAL: "text",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
    "response.function_call_arguments.delta": "tool_call",
}
OF_ITEMS = frozenset({*DELTAS, ADDED, ITEM_DONE, ANNOTATION})
LAST_WORDS = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
NO_REASON = {
    "code": "server_error",
    "message": "The provider gave up on the answer and gave no reason.",
}


class _Event(Struct, gc=False):
    """Only what is read; a delta that is no text belongs to an event nobody knows."""

    type: str = ""
    output_index: int | None = None
    delta: object = None
    item: Raw = Raw()
    annotation: Raw = Raw()
    response: Raw = Raw()
    error: object = None


_event_from = reader_of(_Event)
_response_from = reader_of(Response)
_annotation_from = reader_of(Annotation)


class OpenAIResponsesMapper(AnswerMapper[bytes]):
    def __init__(self, *, secrets: Sequence[str]) -> None:
        self._sse = SseParser()
        super().__init__(self._sse.feed, secrets=secrets)
        # The item that is being told, and what came meanwhile of those behind it.
        self._open: int | None = None
        self._draft: Draft | None = None
        self._waiting: dict[int, list[_Event]] = {}
        self._has_items = False
        self._has_refusal = False
        self._web_searches = 0
        self._response = Response()

    def whole(self, body: bytes) -> list[StreamEvent]:
        """An answer in one piece, from a server that does not stream or does not say so."""
        if is_sse(body):
            return [*self.feed(body), *self.end()]
        response = _response_from(body)
        if response is None or (response.output is None and response.error is None):
            self.failure = unreadable(body)
        else:
            self._read_response(response)
        return self.end()

    def _last_payloads(self) -> Iterable[bytes]:
        return (one for one in self._sse.end() if _event_from(one) is not None)

    def _last_parts(self) -> list[StreamEvent]:
        """A text that broke off is told as it is. Half a thought or call is not: it stays open."""
        while self._waiting:
            self._leave_item()
            self._go_on()
        draft = self._draft
        if self.failure is None or draft is None or (draft.kind == "text" and draft.content):
            return super()._last_parts()
        return self._assembly.take()

    def _read(self, payload: bytes) -> None:
        if payload == DONE:
            return
        event = _event_from(payload)
        if event is None:
            self.failure = malformed(payload)
        elif event.type in OF_ITEMS:
            self._read_item_event(event)
        elif event.type in LAST_WORDS:
            self._read_last_word(event, payload)
        elif event.type == "error" or event.error is not None:
            self._fail(payload)

    def _read_last_word(self, event: _Event, payload: bytes) -> None:
        response = _response_from(event.response)
        if response is None:
            self.failure = malformed(payload)
            return
        response.status = response.status or LAST_WORDS[event.type]
        self._read_response(response)

    def _read_response(self, response: Response) -> None:
        self._response = response
        self.is_done = True
        if not self._has_items:
            for index, raw in enumerate(response.output or ()):
                self._read_done(index, raw)
        if response.error is not None or response.status == "failed":
            error = NO_REASON if response.error is None else response.error
            self._fail(msgspec.json.encode({"error": error}))

    def _read_item_event(self, event: _Event) -> None:
        index = event.output_index
        if index is None:
            index = self._open or 0
        if self._open is None or self._open == index:
            self._read_at(index, event)
            self._go_on()
        else:
            self._waiting.setdefault(index, []).append(event)

    def _go_on(self) -> None:
        """Whenever an item is done, the next one that waits gets its turn."""
        while self._open is None and self._waiting:
            index = next(iter(self._waiting))
            for event in self._waiting.pop(index):
                self._read_at(index, event)

    def _read_at(self, index: int, event: _Event) -> None:
        kind = DELTAS.get(event.type)
        if kind is not None:
            if isinstance(event.delta, str) and event.delta:
                self._read_delta(index, kind, event.delta)
            if event.type == REFUSAL:
                self._has_refusal = True
        elif event.type == ADDED:
            self._read_added(index, event.item)
        elif event.type == ITEM_DONE:
            self._read_done(index, event.item)
        else:
            self._read_annotation(event.annotation)

    def _read_delta(self, index: int, kind: OpenKind, delta: str) -> None:
        draft = self._draft
        if draft is None or draft.kind != kind:
            # A call without a name is none: its arguments come once more when the item is done.
            if kind == "tool_call":
                return
            self._leave_item()
            self._open = index
            draft = self._draft = self._assembly.begin(kind)
        self._has_items = True
        draft.fresh.append(delta)

    def _read_added(self, index: int, raw: Raw) -> None:
        item = item_from(raw)
        if item is None:
            return
        self._leave_item()
        self._open = index
        if item.type in OPEN_KINDS:
            self._draft = self._begun(item)

    def _read_done(self, index: int, raw: Raw) -> None:
        item = item_from(raw)
        if item is None:
            self.failure = malformed(bytes(raw))
            return
        draft = self._draft
        if draft is not None and draft.kind != OPEN_KINDS.get(item.type):
            self._leave_item()
            draft = None
        self._has_items = True
        if item.type in OPEN_KINDS or item.type == "custom_tool_call":
            self._complete(draft or self._begun(item), item)
        else:
            for part in item.whole_parts():
                self._assembly.add(part)
        self._web_searches += item.is_search
        self._open = self._draft = None

    def _begun(self, item: Item) -> Draft:
        if item.type == "message":
            return self._assembly.begin("text")
        if item.type == "reasoning":
            return self._assembly.begin("reasoning")
        return self._assembly.begin_call(call_id=item.call_id or "", name=item.name or "")

    def _complete(self, draft: Draft, item: Item) -> None:
        """What was not told piece by piece is told now."""
        content = draft.content
        if item.text.startswith(content):
            draft.fresh.append(item.text[len(content) :])
        if not draft.is_started:
            draft.name = item.name or draft.name
        draft.call_id = item.call_id or draft.call_id
        for citation in item.citations():
            draft.cite(citation)
        self._has_refusal = self._has_refusal or item.has_refusal
        draft.native = item.native
        draft.is_closed = True

    def _leave_item(self) -> None:
        """The item that is being told ends without a word."""
        if self._draft is not None:
            self._draft.is_closed = True
        self._open = self._draft = None

    def _read_annotation(self, raw: Raw) -> None:
        if self._draft is None or not bytes(raw):
            return
        annotation = _annotation_from(raw)
        citation = annotation.citation() if annotation else None
        if citation is not None:
            self._draft.cite(citation)

    def _told_usage(self) -> TokenUsage | None:
        usage = self._response.usage
        return usage.normalised(web_searches=self._web_searches) if usage else None

    def _finish(self) -> Finish:
        finish = self._response.finish
        if finish == "stop" and self._assembly.has_calls:
            return "tool_use"
        if finish == "stop" and self._has_refusal:
            return "refusal"
        return finish
