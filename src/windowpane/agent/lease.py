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
from datetime import datetime

from windowpane.agent.answer import Stop
from windowpane.agent.recovery import interrupt
from windowpane.errors import NothingRunning, StorageError
from windowpane.storage.base import Notice
from windowpane.storage.history import put_stop
from windowpane.storage.shelves import RUNS, STOPS, TOP, Run, StopRequest, stop_id
from windowpane.storage.vault import Stored, Vault

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
# After a restart of PostgreSQL every process has to say anew that it lives, and the quickest must
# not take the turns of the others for abandoned.
ABANDONED_SECONDS = 2.0


class Lease:
    """``stops`` are the answers of this process by chat; ``tell`` gets the chats closed here."""

    def __init__(
        self,
        vault: Vault,
        *,
        process_id: str,
        stops: Mapping[str, Stop],
        tell: Callable[[str], None],
        clock: Callable[[], datetime],
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

    async def stop_elsewhere(self, chat_id: str) -> None:
        """Stored, not only told: it must also reach a process that is not listening just now."""
        stored = await self._vault.find(RUNS, chat_id)
        if stored is None:
            raise NothingRunning
        if self._is_abandoned(stored, await self._living({stored.value.process_id})):
            await self._close(stored)
            return
        request = StopRequest(asked_at=self._clock())
        turn_id = stored.value.turn_id
        await self._vault.commit([put_stop(self._vault, request, turn_id=turn_id, chat_id=chat_id)])

    # Turns that are answered here

    async def heed_forever(self) -> None:
        """Stop what others want stopped or have taken away."""
        while True:
            await self._doubts.wait()
            self._doubts.clear()
            doubtful, self._doubtful = self._doubtful, set()
            for chat_id in doubtful:
                try:
                    await self._heed(chat_id)
                except StorageError as error:
                    logger.info("A request to stop cannot be read now: %s", error)
                    self._doubtful.add(chat_id)
            if self._doubtful:
                await asyncio.sleep(LOOK_SECONDS)
                self._doubts.set()

    async def _heed(self, chat_id: str) -> None:
        stored = await self._vault.find(RUNS, chat_id)
        is_ours = stored is not None and stored.value.process_id == self._process_id
        is_stopped = stored is not None and await self._vault.version(
            STOPS, stop_id(stored.value.turn_id)
        )
        if chat_id in self._stops and (is_stopped or not is_ours):
            self._stops[chat_id].request(is_by_user=is_ours)

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
        living = await self._living({stored.value.process_id for stored in runs})
        abandoned = [stored for stored in runs if self._is_abandoned(stored, living)]
        now = time.monotonic()
        self._abandoned_since = {
            stored.value.turn_id: self._abandoned_since.get(stored.value.turn_id, now)
            for stored in abandoned
        }
        for stored in abandoned:
            if now - self._abandoned_since[stored.value.turn_id] >= ABANDONED_SECONDS:
                await self._close(stored)
        is_watching = any(stored.value.process_id != self._process_id for stored in runs)
        return is_watching or bool(abandoned)

    async def _living(self, process_ids: set[str]) -> set[str]:
        return {id for id in process_ids if await self._vault.store.is_alive(id)}

    def _is_abandoned(self, stored: Stored[Run], living: set[str]) -> bool:
        if stored.value.process_id == self._process_id:
            return stored.id not in self._stops
        return stored.value.process_id not in living

    async def _close(self, stored: Stored[Run]) -> None:
        if await interrupt(self._vault, stored, at=self._clock()):
            logger.warning("Turn %s was left unfinished; it is closed.", stored.value.turn_id)
        self._tell(stored.id)
