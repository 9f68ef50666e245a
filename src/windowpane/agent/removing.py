"""Deletions as a person means them: whatever is being answered there is stopped first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from windowpane.agent.answering import Answering
from windowpane.agent.deciding import Deciding
from windowpane.agent.deleting import Deletions
from windowpane.agent.purging import Purger
from windowpane.agent.turns import Turns
from windowpane.deletions import Deletion
from windowpane.errors import ChatBusy, VersionConflict
from windowpane.storage.shelves import CHATS, PROJECTS, RUNS
from windowpane.storage.vault import Vault

# A chat that another process is answering may go on while it is being deleted.
DELETE_ATTEMPTS = 5


class Removing:
    def __init__(
        self,
        vault: Vault,
        *,
        turns: Turns,
        deletions: Deletions,
        answering: Answering,
        deciding: Deciding,
        purger: Purger,
    ) -> None:
        self._vault = vault
        self._turns = turns
        self._deletions = deletions
        self._answering = answering
        self._deciding = deciding
        self._purger = purger

    async def project(self, project_id: str) -> Deletion:
        """With all its chats."""
        await self._vault.get(PROJECTS, project_id)
        chats = await self._vault.child_ids(CHATS, project_id)
        return await self._removed(chats, lambda: self._deletions.delete_project(project_id))

    async def chat(self, chat_id: str) -> Deletion:
        await self._vault.get(CHATS, chat_id)
        return await self._removed([chat_id], lambda: self._deletions.delete_chat(chat_id))

    async def turn(self, turn_id: str) -> Deletion:
        chat_id = (await self._turns.get(turn_id)).value.chat_id
        run = await self._vault.find(RUNS, chat_id)
        if run is not None and run.value.turn_id == turn_id:
            await self._answering.end(chat_id)
        chat = (await self._vault.get(CHATS, chat_id)).value
        if chat.head_id == turn_id:
            await self._deciding.stop(chat)
        stopped = await self._turns.get(turn_id)
        deletion = await self._deletions.delete_turns(chat_id, [stopped])
        self._purger.wake()
        return deletion

    async def _removed(
        self, chat_ids: Sequence[str], delete: Callable[[], Awaitable[Deletion]]
    ) -> Deletion:
        deletion = await self._again_and_again(chat_ids, delete)
        for chat_id in chat_ids:
            self._answering.following.forget(chat_id)
        self._purger.wake()
        return deletion

    async def _again_and_again(
        self, chat_ids: Sequence[str], delete: Callable[[], Awaitable[Deletion]]
    ) -> Deletion:
        """If one of the chats went on meanwhile, what was added has to go with the rest."""
        for _ in range(DELETE_ATTEMPTS):
            with suppress(VersionConflict, ChatBusy):
                return await self._stopped_and(chat_ids, delete)
        return await self._stopped_and(chat_ids, delete)

    async def _stopped_and(
        self, chat_ids: Sequence[str], delete: Callable[[], Awaitable[Deletion]]
    ) -> Deletion:
        for chat_id in chat_ids:
            await self._answering.end(chat_id)
        return await delete()
