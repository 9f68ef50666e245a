"""Carrying deletions out for good when their time is up.

First a deletion is marked final, which only one process can do and after which nobody can undo
it; then its rows go, batch by batch; last its own row. Whoever finds one half done goes on with
it, so a crash in between leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

from msgspec import structs

from windowpane.agent.clock import Clock
from windowpane.deletions import DeletedChat, DeletedProject, DeletedTurns, Deletion
from windowpane.errors import StorageError, VersionConflict
from windowpane.storage.base import Change, Delete
from windowpane.storage.cascade import BATCH_TURNS, chat_batches, project_batches, without_words
from windowpane.storage.deletions import deletions_until, finish, put_deletion, put_tombstone
from windowpane.storage.history import contents_of
from windowpane.storage.shelves import CHATS, TURNS, deleted_of
from windowpane.storage.vault import Vault

logger = logging.getLogger(__name__)

# Another process may have deleted something and be gone before its time was up.
MOST_PAUSE_SECONDS = 60.0


class Purger:
    def __init__(self, vault: Vault, *, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        self._woken = asyncio.Event()
        self._purging = asyncio.Lock()

    def wake(self) -> None:
        """Something was deleted: its time comes sooner than the next look would."""
        self._woken.set()

    async def run_forever(self) -> None:
        while True:
            try:
                await self.purge()
                pause_seconds = await self._pause_seconds()
            except StorageError as error:
                logger.warning("Deletions could not be carried out yet: %s", error)
                pause_seconds = MOST_PAUSE_SECONDS
            with suppress(TimeoutError):
                # Not ``wait_for``, which forgets that it was cancelled if it is woken as well.
                async with asyncio.timeout(pause_seconds):
                    await self._woken.wait()
            self._woken.clear()

    async def purge(self) -> None:
        """Carry out all deletions whose time is up."""
        async with self._purging:
            for deletion in (await deletions_until(self._vault, self._clock())).values:
                if deletion.is_final or await self._is_made_final(deletion):
                    await self._carry_out(deletion)

    async def _carry_out(self, deletion: Deletion) -> None:
        try:
            async for batch in self._batches(deletion):
                await self._vault.commit(batch)
        except VersionConflict:  # another process is at it: the next look finds what it left
            return
        await self._vault.commit([finish(self._vault, deletion)])

    async def _pause_seconds(self) -> float:
        pending = (await deletions_until(self._vault, None)).values
        due = min((one.due_at for one in pending), default=None)
        if due is None:
            return MOST_PAUSE_SECONDS
        return min(MOST_PAUSE_SECONDS, max(0.0, (due - self._clock()).total_seconds()))

    async def _is_made_final(self, deletion: Deletion) -> bool:
        final = structs.replace(deletion, is_final=True)
        try:
            await self._vault.commit([put_deletion(self._vault, final)])
        except VersionConflict:  # undone, or another process was faster
            return False
        return True

    async def _batches(self, deletion: Deletion) -> AsyncGenerator[list[Change], None]:
        match deletion.deleted:
            case DeletedTurns(chat_id=chat_id, turn_ids=turn_ids):
                for start in range(0, len(turn_ids), BATCH_TURNS):
                    some = turn_ids[start : start + BATCH_TURNS]
                    yield await self._buried(some, chat_id, deletion)
            case DeletedChat(chat=chat):
                async for batch in chat_batches(self._vault, chat.id):
                    yield batch
            case DeletedProject(project=project, chats=chats):
                # Those that could not be opened when it was deleted are still below it.
                lost = await self._vault.child_ids(CHATS, project.id)
                chat_ids = [*(chat.id for chat in chats), *lost]
                async for batch in project_batches(self._vault, project.id, chat_ids):
                    yield batch

    async def _buried(
        self, turn_ids: Sequence[str], chat_id: str, deletion: Deletion
    ) -> list[Change]:
        """Their words go, their tombstones and receipts stay; of a chat that is gone, nothing."""
        found = await self._vault.get_many(TURNS, turn_ids)
        stored = {one.id: one for one in found.items if one.parent_id == deleted_of(chat_id)}
        turns = [one.value for one in stored.values()]
        changes: list[Change] = []
        for content in (await contents_of(self._vault, turns)).turns:
            id = content.turn.id
            changes += [
                Delete(table="turns", id=id, expected_version=stored[id].version),
                *without_words(id),
                put_tombstone(self._vault, content, deleted_at=deletion.deleted_at),
            ]
        return changes
