"""Chats that are being watched: log events become frames once, however many tabs look on.

A ``LiveChat`` hands the frames of its newest turn to its watchers, joining what comes faster than
a reader can see. It keeps nothing that the log does not have: the last watcher takes it away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from windowpane.events import (
    Event,
    EventId,
    LoggedEvent,
    PartDelta,
    PartStarted,
    Reload,
    TurnEnded,
    TurnResumed,
    TurnsChanged,
    TurnStarted,
)
from windowpane.web.frames import Frame, ReloadFrame, encoded
from windowpane.web.live_turn import LiveTurn
from windowpane.workspace import Workspace

logger = logging.getLogger(__name__)

# A tab that is this far behind loads the chat anew instead of receiving all of it.
MOST_PENDING_FRAMES = 1_000


class Watcher:
    """One tab's place in a chat: the frames that it has not been sent yet."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._waiting: asyncio.Future[None] | None = None
        self._is_closed = False

    def offer(self, data: bytes) -> None:
        self._pending.append(data)
        self._wake()

    @property
    def is_behind(self) -> bool:
        return len(self._pending) > MOST_PENDING_FRAMES

    def close(self, *, last: bytes) -> None:
        """End the stream after one last frame, which replaces all that it is behind."""
        self._pending = [last]
        self._is_closed = True
        self._wake()

    def end(self) -> None:
        self._is_closed = True
        self._wake()

    async def take(self) -> bytes:
        """Wait for news and take all of it; nothing means that the stream has ended."""
        while not self._pending and not self._is_closed:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        data = self._pending[0] if len(self._pending) == 1 else b"".join(self._pending)
        self._pending.clear()
        return data

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class LiveChat:
    def __init__(self, workspace: Workspace, chat_id: str) -> None:
        self._workspace = workspace
        self._chat_id = chat_id
        self._reading = ExitStack()
        self._reader = self._reading.enter_context(workspace.follow_turn(chat_id))
        self._turn: LiveTurn | None = None
        self._undrawn: list[Event] = []
        self._held: list[LoggedEvent] = []
        self._watchers: set[Watcher] = set()
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._run())
        self._task.add_done_callback(self._ended)

    @property
    def is_watched(self) -> bool:
        return bool(self._watchers)

    def join(self, watcher: Watcher, *, after: EventId) -> None:
        self._held += self._reader.take()
        self._flush()
        with self._workspace.follow(self._chat_id, after=after) as reader:
            missed = [logged.event for logged in reader.take()]
        at = self._workspace.position(self._chat_id)
        if any(isinstance(event, Reload | TurnsChanged) for event in missed):
            watcher.close(last=encoded(ReloadFrame(), at=at))
            return
        self._watchers.add(watcher)
        for frame in self._catch_up(missed):
            watcher.offer(encoded(frame, at=at))

    def leave(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    def close(self) -> None:
        self._task.cancel()
        self._reading.close()

    def _catch_up(self, missed: Sequence[Event]) -> list[Frame]:
        if not missed and self._is_ended:
            return []
        self._draw()
        if self._turn is None:
            return []
        if all(isinstance(event, PartStarted | PartDelta) for event in missed):
            return self._turn.opened()
        return [self._turn.whole()]

    @property
    def _is_ended(self) -> bool:
        """Whether all that is not drawn yet leads to the end of a turn, where nothing is open."""
        return bool(self._undrawn) and isinstance(self._undrawn[-1], TurnEnded)

    async def _run(self) -> None:
        """The first news goes out at once, what follows closely is joined."""
        pace = self._workspace.models.pace
        sent_at = 0.0
        while True:
            reader = self._reader
            news = await reader.read()
            if reader is not self._reader:
                continue
            self._held += news
            pause_seconds = sent_at + pace.seconds - self._loop.time()
            if pause_seconds > 0 and all(_is_delta(logged) for logged in self._held):
                await asyncio.sleep(pause_seconds)
                self._held += self._reader.take()
            self._flush()
            sent_at = self._loop.time()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A turn that cannot be drawn must not leave its watchers waiting for ever."""
        if not task.cancelled() and (error := task.exception()):
            logger.error("The chat %s cannot be drawn", self._chat_id, exc_info=error)
        for watcher in self._watchers:
            watcher.end()

    def _flush(self) -> None:
        news, self._held = self._held, []
        for logged in news:
            self._take(logged)

    def _take(self, logged: LoggedEvent) -> None:
        """What nobody watches is not drawn until somebody has to see it."""
        if isinstance(logged.event, TurnStarted | TurnResumed | Reload):
            self._undrawn.clear()
        if not self._watchers and not isinstance(logged.event, Reload):
            self._undrawn.append(logged.event)
            return
        self._draw()
        for frame in self._frames(logged.event):
            self._publish(encoded(frame, at=logged.id))

    def _draw(self) -> None:
        undrawn, self._undrawn = self._undrawn, []
        for event in undrawn:
            self._frames(event)

    def _frames(self, event: Event) -> list[Frame]:
        match event:
            case Reload():
                self._begin_again()
                return [ReloadFrame()]
            case TurnsChanged():
                return [ReloadFrame()]
            case TurnStarted() | TurnResumed():
                self._turn = LiveTurn(event)
                return [self._turn.whole()]
            case _:
                assert self._turn is not None, "a turn's events begin with its start"
                return self._turn.take(event)

    def _begin_again(self) -> None:
        """This reader was overtaken by a new turn; the pages load what it missed."""
        self._reading.close()
        # Whoever waits for the old one shall see that there is a new one.
        self._reader.wake()
        self._reader = self._reading.enter_context(self._workspace.follow_turn(self._chat_id))
        self._turn = None

    def _publish(self, data: bytes) -> None:
        for watcher in list(self._watchers):
            watcher.offer(data)
            if watcher.is_behind:
                at = self._workspace.position(self._chat_id)
                watcher.close(last=encoded(ReloadFrame(), at=at))
                self._watchers.discard(watcher)


def _is_delta(logged: LoggedEvent) -> bool:
    return isinstance(logged.event, PartDelta)


class LiveChats:
    """The chats of this process that somebody watches."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._chats: dict[str, LiveChat] = {}

    @contextmanager
    def watching(self, chat_id: str, *, after: EventId) -> Generator[Watcher]:
        watcher = Watcher()
        chat = self._chats.get(chat_id)
        if chat is None:
            chat = self._chats[chat_id] = LiveChat(self._workspace, chat_id)
        try:
            chat.join(watcher, after=after)
            yield watcher
        finally:
            chat.leave(watcher)
            if not chat.is_watched and self._chats.get(chat_id) is chat:
                chat.close()
                del self._chats[chat_id]
