"""Parts being written: from pieces in any order to events with one part open at a time.

Adapters write what arrives; whoever reads sees ``PartStarted``, joined ``PartDelta``s and
``PartDone`` with the full content. It knows no provider and no wire format.
"""

from __future__ import annotations

from typing import Literal, assert_never

from windowpane.events import OpenKind, PartDelta, PartDone, PartStarted, StreamEvent
from windowpane.parts import Part, Reasoning, Text, ToolCall

ProseKind = Literal["text", "reasoning"]


class Draft:
    """One part that is not done; ``fresh`` is what no event has told yet."""

    __slots__ = ("call_id", "fresh", "is_started", "kind", "name", "told")

    def __init__(self, *, kind: OpenKind, call_id: str, name: str) -> None:
        self.kind: OpenKind = kind
        self.call_id = call_id
        self.name = name
        self.is_started = False
        self.told: list[str] = []
        self.fresh: list[str] = []

    def to_part(self) -> Part:
        content = "".join(self.told)
        match self.kind:
            case "text":
                return Text(text=content)
            case "reasoning":
                return Reasoning(text=content)
            case "tool_call":
                return ToolCall(call_id=self.call_id, name=self.name, arguments=content)
            case _ as never:
                assert_never(never)


class Assembly:
    """The drafts of one answer in the order they began; only the first is open.

    Prose is done as soon as something else begins. A tool call stays open until the answer ends,
    because the pieces of parallel calls may interleave; those behind it wait.
    """

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._events: list[StreamEvent] = []
        self.has_calls = False

    def write(self, kind: ProseKind, text: str) -> None:
        drafts = self._drafts
        if not drafts or drafts[-1].kind != kind:
            drafts.append(Draft(kind=kind, call_id="", name=""))
        drafts[-1].fresh.append(text)

    def begin_call(self, *, call_id: str, name: str) -> Draft:
        """A tool call to whose ``name`` and ``fresh`` the adapter may add until the end."""
        draft = Draft(kind="tool_call", call_id=call_id, name=name)
        self._drafts.append(draft)
        self.has_calls = True
        return draft

    def take(self) -> list[StreamEvent]:
        """What is new since the last time, with the pieces in between joined."""
        drafts = self._drafts
        while len(drafts) > 1 and drafts[0].kind != "tool_call":
            self._finish(drafts.pop(0))
        if drafts:
            self._tell(drafts[0])
        return self._taken()

    def close(self) -> list[StreamEvent]:
        """Finish every draft, whole or not: the answer has ended."""
        for draft in self._drafts:
            self._finish(draft)
        self._drafts.clear()
        return self._taken()

    def _tell(self, draft: Draft) -> None:
        text = "".join(draft.fresh)
        draft.fresh.clear()
        # Nothing is told of an empty draft: a tool call's name is whole once arguments come.
        if text:
            self._start(draft)
            draft.told.append(text)
            self._events.append(PartDelta(text=text))

    def _finish(self, draft: Draft) -> None:
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
