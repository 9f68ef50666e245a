"""Parts being written: from pieces in any order to events with one part open at a time.

Adapters write what arrives; whoever reads sees ``PartStarted``, joined ``PartDelta``s and
``PartDone`` with the full content. Parts that come whole are told by ``PartDone`` alone. It knows
no provider and no wire format.
"""

from __future__ import annotations

from typing import Literal, assert_never

from windowpane.events import OpenKind, PartDelta, PartDone, PartStarted, StreamEvent
from windowpane.parts import (
    Citation,
    Image,
    Native,
    Opaque,
    Part,
    Reasoning,
    ServerTool,
    Text,
    ToolCall,
)

ProseKind = Literal["text", "reasoning"]
WholePart = Image | ServerTool | Opaque


class Draft:
    """One part that is not done; ``fresh`` is what no event has told yet.

    The adapter may add to it until it sets ``is_closed``, or until something follows it.
    """

    __slots__ = (
        "call_id",
        "citations",
        "fresh",
        "is_closed",
        "is_started",
        "kind",
        "name",
        "native",
        "told",
    )

    def __init__(self, *, kind: OpenKind, call_id: str, name: str) -> None:
        self.kind: OpenKind = kind
        self.call_id = call_id
        self.name = name
        self.is_started = False
        self.is_closed = False
        self.native: Native | None = None
        self.citations: list[Citation] = []
        self.told: list[str] = []
        self.fresh: list[str] = []

    @property
    def content(self) -> str:
        """All that was written so far, told or not."""
        return "".join((*self.told, *self.fresh))

    def cite(self, citation: Citation) -> None:
        if citation not in self.citations:
            self.citations.append(citation)

    def to_part(self) -> Part:
        content = "".join(self.told)
        match self.kind:
            case "text":
                return Text(text=content, citations=tuple(self.citations), native=self.native)
            case "reasoning":
                return Reasoning(text=content, native=self.native)
            case "tool_call":
                return ToolCall(
                    call_id=self.call_id, name=self.name, arguments=content, native=self.native
                )
            case _ as never:
                assert_never(never)


class Assembly:
    """The drafts of one answer in the order they began; only the first is open.

    Prose is done as soon as something else begins. A tool call stays open until it is closed or
    the answer ends, because the pieces of parallel calls may interleave; those behind it wait.
    """

    def __init__(self) -> None:
        self._drafts: list[Draft | WholePart] = []
        self._events: list[StreamEvent] = []
        self.has_calls = False

    def write(self, kind: ProseKind, text: str) -> Draft:
        """Add to the prose of this kind that is being written, or begin one."""
        last = self._drafts[-1] if self._drafts else None
        if not isinstance(last, Draft) or last.kind != kind or last.is_closed:
            last = self.begin(kind)
        last.fresh.append(text)
        return last

    def begin(self, kind: ProseKind) -> Draft:
        """A block of its own, apart from prose of the same kind before it."""
        draft = Draft(kind=kind, call_id="", name="")
        self._drafts.append(draft)
        return draft

    def begin_call(self, *, call_id: str, name: str) -> Draft:
        """A tool call to whose ``name`` and ``fresh`` the adapter may add until the end."""
        draft = Draft(kind="tool_call", call_id=call_id, name=name)
        self._drafts.append(draft)
        self.has_calls = True
        return draft

    def add(self, part: WholePart) -> None:
        """A part that came whole; it takes its place behind what has begun."""
        self._drafts.append(part)

    def take(self) -> list[StreamEvent]:
        """What is new since the last time, with the pieces in between joined."""
        drafts = self._drafts
        while drafts and self._is_over(drafts[0]):
            self._finish(drafts.pop(0))
        if drafts and isinstance(first := drafts[0], Draft):
            self._tell(first)
        return self._taken()

    def close(self) -> list[StreamEvent]:
        """Finish every draft, whole or not: the answer has ended."""
        for draft in self._drafts:
            self._finish(draft)
        self._drafts.clear()
        return self._taken()

    def _is_over(self, draft: Draft | WholePart) -> bool:
        if not isinstance(draft, Draft) or draft.is_closed:
            return True
        return len(self._drafts) > 1 and draft.kind != "tool_call"

    def _tell(self, draft: Draft) -> None:
        text = "".join(draft.fresh)
        draft.fresh.clear()
        # Nothing is told of an empty draft: a tool call's name is whole once arguments come.
        if text:
            self._start(draft)
            draft.told.append(text)
            self._events.append(PartDelta(text=text))

    def _finish(self, draft: Draft | WholePart) -> None:
        if not isinstance(draft, Draft):
            self._events.append(PartDone(part=draft))
            return
        self._tell(draft)
        self._start(draft)
        self._events.append(PartDone(part=draft.to_part()))

    def _start(self, draft: Draft) -> None:
        if not draft.is_started:
            draft.is_started = True
            self._events.append(PartStarted(kind=draft.kind, name=draft.name))

    def _taken(self) -> list[StreamEvent]:
        events, self._events = self._events, []
        return events
