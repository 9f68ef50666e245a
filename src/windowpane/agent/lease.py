"""Who answers a chat: a turn is run by one process, stopped from any, taken over when it dies.

The lease itself is the run's row together with the claim of its process to be alive. This watches
both: for the turns that are answered here, whether somebody wants them stopped or has taken them
away; for all others, whether there still is somebody who answers them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from windowpane.agent.answer import Stop
from windowpane.agent.clock import Clock
from windowpane.agent.recovery import interrupt
from windowpane.errors import NothingRunning, StorageError, VersionConflict
from windowpane.storage.base import Notice
from windowpane.storage.history import put_stop
from windowpane.storage.shelves import RUNS, STOPS, TOP, Run, StopRequest, stop_id
from windowpane.storage.vault import Stored, Vault

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
# A turn of this process is stored a moment before its answer begins.
BEGINNING_SECONDS = 2.0
# A process that answers writes about twice a second, and one write is all that can come between.
TAKE_ATTEMPTS = 5


class Lease:
    """``stops`` are the answers of this process by chat; ``tell`` gets the chats closed here."""

    def __init__(
        self,
        vault: Vault,
        *,
        process_id: str,
        stops: Mapping[str, Stop],
        tell: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._vault = vault
        self._process_id = process_id
        self._stops = stops
        self._tell = tell
        self._clock = clock
        self._doubtful: set[str] = set()
        self._doubts = asyncio.Event()
        self._suspicion = asyncio.Event()
        self._abandoned_since: dict[str, float] = {}

    def hear(self, notice: Notice | None) -> None:
        if notice is not None and notice.table != "runs":
            return
        heard = self._stops.keys() if notice is None else {notice.parent_id or notice.id}
        self._doubtful |= heard & self._stops.keys()
        self._doubts.set()
        self.suspect()

    def suspect(self) -> None:
        """There may be turns of others now, or one of ours that nobody answers."""
        self._suspicion.set()

    async def stop_elsewhere(self, chat_id: str, *, is_soft: bool) -> None:
        """Stored, not only told: it must also reach a process that is not listening just now."""
        stored = await self._vault.find(RUNS, chat_id)
        if stored is None:
            raise NothingRunning
        if await self._is_abandoned(stored):
            await self._close(stored)
            return
        request = StopRequest(asked_at=self._clock(), is_soft=is_soft)
        put = put_stop(self._vault, request, turn_id=stored.value.turn_id, chat_id=chat_id)
        with suppress(VersionConflict):  # it is to stop already
            await self._vault.commit([put])

    async def take_away(self, chat_id: str) -> None:
        """End an answer of another process at once, as a dead one's is ended: its use is noted."""
        for _ in range(TAKE_ATTEMPTS):
            stored = await self._vault.find(RUNS, chat_id)
            if stored is None or await interrupt(self._vault, stored, at=self._clock()):
                return

    # Turns that are answered here

    async def heed_forever(self) -> None:
        """Stop what others want stopped or have taken away."""
        while True:
            await self._doubts.wait()
            self._doubts.clear()
            try:
                while self._doubtful:
                    await self._heed(next(iter(self._doubtful)))
            except StorageError as error:
                logger.info("Requests to stop cannot be read now: %s", error)
                await asyncio.sleep(LOOK_SECONDS)
                self._doubts.set()

    async def _heed(self, chat_id: str) -> None:
        stored = await self._vault.find(RUNS, chat_id)
        is_ours = stored is not None and stored.value.process_id == self._process_id
        asked = stored and await self._vault.find(STOPS, stop_id(stored.value.turn_id))
        self._doubtful.discard(chat_id)
        stop = self._stops.get(chat_id)
        if stop is None:
            return
        if not is_ours:
            stop.request(is_by_user=False)
        elif asked is not None and asked.value.is_soft:
            stop.soften()
        elif asked is not None:
            stop.request(is_by_user=True)

    # Turns of others

    async def watch_forever(self) -> None:
        """Close what nobody answers any more. Costs nothing while nobody else answers anything."""
        while True:
            await self._suspicion.wait()
            self._suspicion.clear()
            try:
                if await self._look():
                    self._suspicion.set()
            except StorageError as error:
                logger.info("Turns of other processes cannot be watched now: %s", error)
                self._suspicion.set()
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self) -> bool:
        """Whether there is something to look at again."""
        runs = (await self._vault.all_children(RUNS, [TOP])).items
        abandoned = [stored for stored in runs if await self._is_abandoned(stored)]
        now = time.monotonic()
        self._abandoned_since = {
            stored.value.turn_id: self._abandoned_since.get(stored.value.turn_id, now)
            for stored in abandoned
        }
        for stored in abandoned:
            is_ours = stored.value.process_id == self._process_id
            since = self._abandoned_since[stored.value.turn_id]
            if not is_ours or now - since >= BEGINNING_SECONDS:
                await self._close(stored)
        is_watching = any(stored.value.process_id != self._process_id for stored in runs)
        return is_watching or bool(abandoned)

    async def _is_abandoned(self, stored: Stored[Run]) -> bool:
        if stored.value.process_id == self._process_id:
            return stored.id not in self._stops
        return not await self._vault.store.is_alive(stored.value.process_id)

    async def _close(self, stored: Stored[Run]) -> None:
        if await interrupt(self._vault, stored, at=self._clock()):
            logger.warning("Turn %s was left unfinished; it is closed.", stored.value.turn_id)
        self._tell(stored.id)
