"""The answers that this process makes, and its place among the others that make some.

Begins them, stops them, and knows what becomes of those whose end could not be stored.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager

from windowpane.agent.accounts import Accounts
from windowpane.agent.answer import Stop, answer
from windowpane.agent.clock import Clock
from windowpane.agent.following import Following
from windowpane.agent.journal import Journal, Running
from windowpane.agent.lease import Lease
from windowpane.agent.loop import Assignment
from windowpane.agent.planner import Planner
from windowpane.agent.recovery import interrupt_all_dead, interrupt_if_dead
from windowpane.errors import ChatBusy, HeadMoved, StorageError, VersionConflict
from windowpane.events import TurnResumed, TurnStarted
from windowpane.ids import new_id
from windowpane.storage.base import Notice
from windowpane.storage.shelves import RUNS
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn

logger = logging.getLogger(__name__)

# Of each chat two or three are in use; one that is forgotten is written once more.
KEPT_TEXTS = 5_000


class Answering:
    """``ended`` is called with each turn whose answer has ended here and is stored."""

    def __init__(
        self,
        vault: Vault,
        *,
        planner: Planner,
        flush_seconds: float,
        clock: Clock,
        ended: Callable[[Turn], None],
    ) -> None:
        self._vault = vault
        self._ended = ended
        self._planner = planner
        self._clock = clock
        self._stops: dict[str, Stop] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._kept_texts: set[str] = set()
        self._journal = Journal(vault, flush_seconds=flush_seconds, lost=self._lost)
        self.process_id = new_id("process")
        self.following = Following(
            vault, process_id=self.process_id, answered_here=self._stops.keys()
        )
        self._lease = Lease(
            vault,
            process_id=self.process_id,
            stops=self._stops,
            tell=self.following.wake,
            clock=clock,
        )
        self.watches = (
            self._journal.flush_forever,
            self.following.run_forever,
            self._lease.heed_forever,
            self._lease.watch_forever,
        )

    async def open(self) -> None:
        """Join the processes on this database; what dead ones left unfinished is closed."""
        store = self._vault.store
        self.following.begin(epoch=await store.next_epoch())
        await store.join(self.process_id)
        await store.listen(self._heard)
        await interrupt_all_dead(self._vault, at=self._clock())
        self._lease.suspect()

    async def close(self) -> None:
        for stop in self._stops.values():
            stop.request(is_by_user=False)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def is_answering(self, chat_id: str) -> bool:
        return chat_id in self._stops

    def start(
        self,
        assignment: Assignment,
        *,
        stored: Stored[Turn],
        began: TurnStarted | TurnResumed,
        requests: int,
    ) -> None:
        """``requests`` of the turn went out before."""
        turn = assignment.turn
        log = self.following.log(turn.chat_id)
        log.append(began)
        running = Running(
            stored=stored,
            messages=assignment.messages,
            log=log,
            counter=self._planner.counter(turn.model),
            accounts=Accounts(self._vault, requests=requests, kept_texts=self._known_texts()),
        )
        stop = Stop()
        self._journal.begin(running)
        task = asyncio.create_task(
            answer(assignment, running=running, journal=self._journal, stop=stop)
        )
        stop.bind(task)
        self._stops[turn.chat_id] = stop
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finished(done, turn, stop))

    async def stop(self, chat_id: str) -> None:
        """At once, whichever process answers. Raises ``NothingRunning``."""
        stop = self._stops.get(chat_id)
        if stop is None:
            await self._lease.stop_elsewhere(chat_id, is_soft=False)
        else:
            stop.request(is_by_user=True)

    async def stop_softly(self, chat_id: str) -> None:
        """After the step that it is at."""
        stop = self._stops.get(chat_id)
        if stop is None:
            await self._lease.stop_elsewhere(chat_id, is_soft=True)
        else:
            stop.soften()

    async def end(self, chat_id: str) -> None:
        """Stop the answer and wait for it, or take it over from the process that makes it."""
        stop = self._stops.get(chat_id)
        if stop is not None:
            stop.request(is_by_user=True)
            await stop.ended()
        # Also one of this process whose end could not be stored.
        await self._lease.take_away(chat_id)

    @contextmanager
    def claiming(self) -> Generator[None]:
        """If it is not known whether a claim was stored, nobody would answer it."""
        try:
            yield
        except VersionConflict:
            raise
        except (StorageError, asyncio.CancelledError):
            self._lease.suspect()
            raise

    async def busy_or_moved(self, chat_id: str) -> ChatBusy | HeadMoved:
        """A run of a dead process is closed, and the sender is asked to look at what it left."""
        run = await self._vault.find(RUNS, chat_id)
        if run is not None and await interrupt_if_dead(self._vault, run, at=self._clock()):
            self.following.wake(chat_id)
            return HeadMoved()
        return ChatBusy()

    def _known_texts(self) -> set[str]:
        if len(self._kept_texts) > KEPT_TEXTS:
            self._kept_texts.clear()
        return self._kept_texts

    def _finished(self, task: asyncio.Task[None], turn: Turn, stop: Stop) -> None:
        chat_id = turn.chat_id
        self._tasks.discard(task)
        # The chat is free as soon as the end is stored: the next answer may have begun.
        if self._stops.get(chat_id) is stop:
            del self._stops[chat_id]
        if self.following.log(chat_id).is_running:
            # If it was taken over, the store knows how it ended; if nothing could be stored, the
            # turn is closed as soon as something can.
            self.following.wake(chat_id)
        if error := task.exception():
            logger.error("The end of an answer in %s could not be stored: %s", chat_id, error)
            self._lease.suspect()
        else:
            self._ended(turn)

    def _heard(self, notice: Notice | None) -> None:
        self.following.hear(notice)
        self._lease.hear(notice)

    def _lost(self, chat_id: str) -> None:
        if chat_id in self._stops:
            self._stops[chat_id].request(is_by_user=False)
