"""A chat's events in this process: what happened, the part that is open, and who reads along.

Readers pull from their own place, so a slow tab joins deltas instead of filling a queue. The
store holds the same events for other processes and for after a crash (``agent.journal``), and
what another process answers is written here as it appears there (``agent.mirror``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from io import StringIO

from windowpane.events import (
    Event,
    EventId,
    LoggedEvent,
    OpenKind,
    OpenPart,
    PartDelta,
    PartDone,
    PartStarted,
    Reload,
    TurnEnded,
    TurnPaused,
    TurnResumed,
    TurnsChanged,
    TurnStarted,
)


class OpenBuffer:
    """The open part while it grows. Appending is constant work; reading copies what is asked."""

    def __init__(self, kind: OpenKind, *, name: str) -> None:
        self.kind: OpenKind = kind
        self.name = name
        self._text = StringIO()

    def write(self, text: str) -> None:
        self._text.seek(0, 2)
        self._text.write(text)

    def since(self, offset: int) -> str:
        self._text.seek(offset)
        return self._text.read()

    def value(self) -> OpenPart:
        return OpenPart(kind=self.kind, name=self.name, text=self.since(0))


class ChatLog:
    """``next_seq`` is the process's counter: a log that was dropped can never be mistaken.

    ``head_id`` is the newest turn that its readers know, once that was looked up, and ``revision``
    that of the turns before it. ``answered_by``
    is the process whose turn is written here, empty if it is this one, and ``stored_seq`` how far
    its stored events were written.
    """

    def __init__(self, *, epoch: int, next_seq: Callable[[], int]) -> None:
        self._epoch = epoch
        self._next_seq = next_seq
        self._seq = next_seq()
        self._floor = self._seq
        self._entries: list[LoggedEvent] = []
        self._readers: set[LogReader] = set()
        self.turn_id = ""
        self.open: OpenBuffer | None = None
        self.head_id: str | None = None
        self.revision = 0
        self.is_placed = False
        self.answered_by = ""
        self.stored_seq = 0

    @property
    def is_at_rest(self) -> bool:
        """Whether no turn is known to be running or waiting."""
        return self._newest is None or isinstance(self._newest, TurnEnded)

    @property
    def is_running(self) -> bool:
        return not self.is_at_rest and not isinstance(self._newest, TurnPaused)

    @property
    def _newest(self) -> Event | None:
        """How the newest turn stands: what was done to others says nothing of it."""
        newest_first = (entry.event for entry in reversed(self._entries))
        return next((one for one in newest_first if not isinstance(one, TurnsChanged)), None)

    @property
    def position(self) -> EventId:
        return EventId(epoch=self._epoch, seq=self._seq)

    @property
    def has_readers(self) -> bool:
        return bool(self._readers)

    @property
    def events(self) -> tuple[LoggedEvent, ...]:
        """The finished events of the newest turn."""
        return tuple(self._entries)

    def append(self, event: Event) -> LoggedEvent | None:
        """Note an event; a finished one is returned with its id, to be stored."""
        if isinstance(event, TurnStarted | TurnResumed):
            self._begin(event.turn.id)
        self._seq = self._next_seq()
        match event:
            case PartDelta():
                assert self.open is not None, "a delta needs an open part"
                self.open.write(event.text)
                logged = None
            case PartStarted():
                self.open = OpenBuffer(event.kind, name=event.name)
                logged = None
            case _:
                logged = self._append_finished(event)
        for reader in self._readers:
            reader.wake()
        return logged

    def place(self, head_id: str | None, *, revision: int) -> None:
        """Say which turns readers know from elsewhere."""
        self.head_id = head_id
        self.revision = revision
        self.is_placed = True

    def restart(self, head_id: str | None, *, revision: int) -> None:
        """What readers saw is not continued here: all of them are told to load the chat anew."""
        self._seq = self._next_seq()
        self._clear(turn_id="")
        self.place(head_id, revision=revision)
        for reader in self._readers:
            reader.lose()

    def _append_finished(self, event: Event) -> LoggedEvent:
        if isinstance(event, PartDone):
            self.open = None
        logged = LoggedEvent(id=self.position, turn_id=self.turn_id, event=event)
        self._entries.append(logged)
        return logged

    def _begin(self, turn_id: str) -> None:
        for reader in self._readers:
            reader.next_turn(has_all=reader.seen_count == len(self._entries))
        self._clear(turn_id=turn_id)
        self.place(turn_id, revision=self.revision)

    def _clear(self, *, turn_id: str) -> None:
        """Whoever has seen all up to here goes on from here."""
        self.turn_id = turn_id
        self.open = None
        self.answered_by, self.stored_seq = "", 0
        # The numbers are the process's: those between this one and the next went to other chats.
        self._floor = self._seq
        self._entries = []

    def reader(self, *, after: EventId) -> LogReader:
        known = after.epoch == self._epoch and self._floor <= after.seq <= self._seq
        seen_count = sum(1 for entry in self._entries if entry.id <= after)
        reader = LogReader(self, seen_count=seen_count, is_lost=not known)
        self._readers.add(reader)
        return reader

    def reader_of_turn(self) -> LogReader:
        """Reads the newest turn from its beginning, then whatever follows."""
        return self.reader(after=EventId(epoch=self._epoch, seq=self._floor))

    def leave(self, reader: LogReader) -> None:
        self._readers.discard(reader)

    def entries_from(self, index: int) -> list[LoggedEvent]:
        return self._entries[index:]

    def unlogged(self, event: Event) -> LoggedEvent:
        return LoggedEvent(id=self.position, turn_id=self.turn_id, event=event)


class LogReader:
    """One reader's place in a log. Use it as a context manager and ``await read()`` in a loop.

    Deltas that were not read when their part was done never come: ``PartDone`` holds it whole.
    """

    def __init__(self, log: ChatLog, *, seen_count: int, is_lost: bool) -> None:
        self._log = log
        self._is_lost = is_lost
        self._open: OpenBuffer | None = None
        self._open_seen_chars = 0
        self._woken = asyncio.Event()
        self._woken.set()
        self.seen_count = seen_count

    def __enter__(self) -> LogReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.leave(self)

    def wake(self) -> None:
        self._woken.set()

    def lose(self) -> None:
        self._is_lost = True
        self.wake()

    def next_turn(self, *, has_all: bool) -> None:
        self._is_lost = self._is_lost or not has_all
        self.seen_count = 0

    async def read(self) -> list[LoggedEvent]:
        """Wait for news and take all of it; deltas that piled up come as one."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            if news := self.take():
                return news

    def take(self) -> list[LoggedEvent]:
        if self._is_lost:
            return [self._log.unlogged(Reload())]
        news = self._log.entries_from(self.seen_count)
        self.seen_count += len(news)
        return news + self._take_open()

    def _take_open(self) -> list[LoggedEvent]:
        part = self._log.open
        if part is None:
            self._open = None
            return []
        news: list[LoggedEvent] = []
        if part is not self._open:
            self._open = part
            self._open_seen_chars = 0
            news.append(self._log.unlogged(PartStarted(kind=part.kind, name=part.name)))
        if text := part.since(self._open_seen_chars):
            self._open_seen_chars += len(text)
            news.append(self._log.unlogged(PartDelta(text=text)))
        return news
