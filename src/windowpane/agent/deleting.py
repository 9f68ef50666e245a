"""Deleting turns, chats and projects: gone at once, for a while to be undone, then for good.

What is deleted disappears from every list and plan in one batch that can be reversed. When its
time is up it is carried out for good, by whichever process comes first; ``purging`` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from msgspec import structs

from windowpane.agent.clock import Clock
from windowpane.agent.recovery import ensure_idle
from windowpane.agent.totals import Leaving, account_of
from windowpane.deletions import Deleted, DeletedChat, DeletedProject, DeletedTurns, Deletion
from windowpane.errors import ChatBusy, InvalidInput, TooLateToUndo, VersionConflict
from windowpane.ids import new_id
from windowpane.projects import Chat
from windowpane.records import DELETED, Accounting, Place
from windowpane.storage.base import Change, Delete, Move
from windowpane.storage.branches import newest_id, with_path
from windowpane.storage.deletions import deletions_until, put_deletion, take_back
from windowpane.storage.history import put_chat, put_project
from windowpane.storage.lineage import still_on_path
from windowpane.storage.shelves import (
    CHATS,
    DELETIONS,
    PROJECTS,
    RUNS,
    SPECIALS,
    TURNS,
    deleted_of,
    left_of,
)
from windowpane.storage.specials import put_special
from windowpane.storage.turn_pages import drop_pages
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn


class Deletions:
    """``tell`` is called with a chat whose turns have changed."""

    def __init__(
        self,
        vault: Vault,
        *,
        undo_seconds: float,
        clock: Clock,
        tell: Callable[[Chat], None],
    ) -> None:
        self._vault = vault
        self._undo = timedelta(seconds=undo_seconds)
        self._clock = clock
        self._tell = tell

    async def pending(self) -> list[Deletion]:
        """What can still be undone, the oldest first."""
        now = self._clock()
        known = (await deletions_until(self._vault, None)).values
        return [one for one in known if one.due_at > now and not one.is_final]

    async def delete_turns(self, chat_id: str, turns: Sequence[Stored[Turn]]) -> Deletion:
        """Turns of one chat that are there, on its path or left of it."""
        now = self._clock()
        chat = await self._vault.get(CHATS, chat_id)
        await ensure_idle(self._vault, chat.value, at=now)
        ids = tuple(one.id for one in turns)
        after = await self._without(chat.value, turns)
        first = min((one.value for one in turns), key=lambda turn: turn.depth)
        leaving = Leaving(
            place=Place(depth=first.depth, after_id=first.parent_id),
            reason=DELETED,
            turns=len(ids),
            next_depth=chat.value.turn_count,
        )
        record = await account_of(self._vault, chat.value, leaving, at=now)
        deletion = self._deletion(
            DeletedTurns(chat_id=chat_id, turn_ids=ids, accounting_id=record.id)
        )
        after = structs.replace(after, accounting_id=record.id)
        await self._vault.commit(
            [
                Move(table="turns", ids=ids, to_parent_id=deleted_of(chat_id)),
                put_special(self._vault, record, chat_id=chat_id),
                put_chat(self._vault, after, expected_version=chat.version),
                *drop_pages(self._vault, chat_id, (one.value.depth for one in turns)),
                put_deletion(self._vault, deletion),
            ]
        )
        self._tell(after)
        return deletion

    async def delete_chat(self, chat_id: str) -> Deletion:
        """A chat that is not answering."""
        chat = await self._vault.get(CHATS, chat_id)
        await self._require_unanswered(chat_id)
        deletion = self._deletion(DeletedChat(chat=chat.value))
        await self._vault.commit([_taken(chat), put_deletion(self._vault, deletion)])
        return deletion

    async def delete_project(self, project_id: str) -> Deletion:
        """A project none of whose chats is answering."""
        project = await self._vault.get(PROJECTS, project_id)
        chats = await self._vault.all_children(CHATS, [project_id])
        for chat in chats.items:
            await self._require_unanswered(chat.id)
        deleted = DeletedProject(project=project.value, chats=tuple(chats.values))
        deletion = self._deletion(deleted)
        await self._vault.commit(
            [
                self._vault.delete(PROJECTS, project_id),
                *(_taken(chat) for chat in chats.items),
                put_deletion(self._vault, deletion),
            ]
        )
        return deletion

    async def undo(self, deletion_id: str) -> Deletion:
        """Bring back what was deleted, as it was."""
        stored = await self._vault.find(DELETIONS, deletion_id)
        if stored is None or stored.value.is_final or stored.value.due_at <= self._clock():
            raise TooLateToUndo
        deletion = stored.value
        try:
            await self._vault.commit([*await self._restored(deletion.deleted), take_back(deletion)])
        except VersionConflict as conflict:
            raise (TooLateToUndo() if conflict.id == deletion_id else conflict) from None
        if isinstance(deletion.deleted, DeletedTurns):
            self._tell((await self._vault.get(CHATS, deletion.deleted.chat_id)).value)
        return deletion

    def _deletion(self, deleted: Deleted) -> Deletion:
        now = self._clock()
        return Deletion(
            id=new_id("deletion"), deleted=deleted, deleted_at=now, due_at=now + self._undo
        )

    async def _restored(self, deleted: Deleted) -> list[Change]:
        match deleted:
            case DeletedTurns():
                return await self._restored_turns(deleted)
            case DeletedChat(chat=chat):
                await self._require_project(chat)
                return [put_chat(self._vault, chat, expected_version=0)]
            case DeletedProject(project=project, chats=chats):
                rows = (put_chat(self._vault, chat, expected_version=0) for chat in chats)
                return [put_project(self._vault, project, expected_version=0), *rows]

    async def _require_unanswered(self, chat_id: str) -> None:
        """Of a chat that was read: another process may have begun to answer it before that."""
        if await self._vault.find(RUNS, chat_id) is not None:
            raise ChatBusy

    async def _require_project(self, chat: Chat) -> None:
        if await self._vault.find(PROJECTS, chat.project_id) is None:
            raise InvalidInput("The chat's project was deleted as well. Bring that back first.")

    async def _without(self, chat: Chat, turns: Sequence[Stored[Turn]]) -> Chat:
        """The chat when turns are taken off its path; their places stay."""
        depths = {one.id: one.value.depth for one in turns if one.parent_id == chat.id}
        head_id = chat.head_id
        before_depth = chat.turn_count
        while head_id in depths:
            before_depth = depths[head_id]
            head_id = await newest_id(self._vault, chat.id, before_depth=before_depth)
        return with_path(
            chat,
            head_id=head_id,
            tip_id=chat.tip_id,
            turn_count=chat.turn_count,
            deleted_turns=chat.deleted_turns + len(depths),
        )

    async def _restored_turns(self, deleted: DeletedTurns) -> list[Change]:
        """Back to where they were: on the path if it still leads through them, else beside it."""
        chat_id = deleted.chat_id
        chat = await self._vault.get(CHATS, chat_id)
        await ensure_idle(self._vault, chat.value, at=self._clock())
        turns = (await self._vault.get_many(TURNS, deleted.turn_ids)).values
        on_path = await still_on_path(self._vault, chat.value, turns)
        left = [turn for turn in turns if turn not in on_path]
        after = await self._with(chat.value, on_path)
        return [
            *_moved(on_path, to_parent_id=chat_id),
            *_moved(left, to_parent_id=left_of(chat_id)),
            put_special(self._vault, await self._undone(deleted), chat_id=chat_id),
            put_chat(self._vault, after, expected_version=chat.version),
            *drop_pages(self._vault, chat_id, (turn.depth for turn in on_path)),
        ]

    async def _with(self, chat: Chat, turns: Sequence[Turn]) -> Chat:
        depths = {turn.id: turn.depth for turn in turns}
        if chat.head_id is not None:
            depths[chat.head_id] = (await self._vault.get(TURNS, chat.head_id)).value.depth
        return with_path(
            chat,
            head_id=max(depths, key=depths.__getitem__, default=None),
            tip_id=chat.tip_id,
            turn_count=chat.turn_count,
            deleted_turns=chat.deleted_turns - len(turns),
        )

    async def _undone(self, deleted: DeletedTurns) -> Accounting:
        """The line that said "Deleted" goes; what it counted stays true."""
        record = (await self._vault.get(SPECIALS, deleted.accounting_id)).value
        assert isinstance(record, Accounting), "a deletion names its accounting record"
        return structs.replace(record, is_undone=True)


def _taken(chat: Stored[Chat]) -> Change:
    """Fails if somebody has written it since: what is kept to be undone must be all of it."""
    return Delete(table="chats", id=chat.id, expected_version=chat.version)


def _moved(turns: Sequence[Turn], *, to_parent_id: str) -> list[Change]:
    ids = tuple(turn.id for turn in turns)
    return [Move(table="turns", ids=ids, to_parent_id=to_parent_id)] if ids else []
