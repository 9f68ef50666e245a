"""Histories written straight into a vault, and how they are searched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from msgspec import structs

from windowpane.agent.search import Search, SearchScope
from windowpane.ids import new_id
from windowpane.messages import Message, Role
from windowpane.parts import Text, ToolCall, ToolResult
from windowpane.projects import Chat, Project
from windowpane.search import Found
from windowpane.storage.base import Change, Delete, DeleteChildren
from windowpane.storage.branches import before_turn, leave, tail_ids
from windowpane.storage.cascade import chat_batches, project_batches
from windowpane.storage.history import (
    put_chat,
    put_message,
    put_new_turn,
    put_project,
    put_turn,
)
from windowpane.storage.shelves import CHATS, PROJECTS, TOP, TURNS
from windowpane.storage.turn_pages import drop_all_pages
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnState

BEGAN_AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)
NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
EVERYTHING = SearchScope()


class Histories:
    """Everything that can happen to projects, chats and turns, each act one batch."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._minutes = count()

    async def project(self) -> str:
        made = Project(id=new_id("project"), name="Ledger", created_at=BEGAN_AT)
        await self.vault.commit([put_project(self.vault, made, expected_version=0)])
        return made.id

    async def chat(self, project_id: str, *, title: str = "") -> str:
        at = self._now()
        chat = Chat(
            id=new_id("chat"), project_id=project_id, title=title, created_at=at, active_at=at
        )
        await self.vault.commit([put_chat(self.vault, chat, expected_version=0)])
        return chat.id

    async def turn(
        self,
        chat_id: str,
        asked: str,
        answered: str = "",
        *,
        tool: str = "",
        state: TurnState = "complete",
        depth: int | None = None,
    ) -> str:
        """A turn at the end of the path, or in the place of the one at a depth."""
        stored = await self.vault.get(CHATS, chat_id)
        chat, changes = stored.value, list[Change]()
        replaced = None if depth is None else await self._at(chat_id, depth)
        if replaced is not None:
            changes = [
                *leave(chat_id, await tail_ids(self.vault, chat_id, replaced.depth)),
                *drop_all_pages(self.vault, chat_id),
            ]
            chat = await before_turn(self.vault, chat, replaced)
        turn = self._turn(chat, state=state)
        grown = structs.replace(
            chat, head_id=turn.id, turn_count=chat.turn_count + 1, active_at=turn.created_at
        )
        changes += [
            put_chat(self.vault, grown, expected_version=stored.version),
            put_new_turn(self.vault, turn),
            *self._messages(turn, asked, answered, tool=tool),
        ]
        await self.vault.commit(changes)
        return turn.id

    async def end(self, turn_id: str, answered: str) -> None:
        """What the journal does: the turn's row is written, the chat's is not."""
        stored = await self.vault.get(TURNS, turn_id)
        ended = structs.replace(stored.value, state="complete")
        said = _message("assistant", answered, at=ended.created_at)
        await self.vault.commit(
            [
                put_turn(self.vault, stored, ended),
                put_message(self.vault, said, turn_id=turn_id, position=9),
            ]
        )

    async def rename(self, chat_id: str, title: str) -> None:
        stored = await self.vault.get(CHATS, chat_id)
        named = structs.replace(stored.value, title=title, revision=stored.value.revision + 1)
        await self.vault.commit([put_chat(self.vault, named, expected_version=stored.version)])

    async def delete_turn(self, turn_id: str) -> None:
        found = await self.vault.get(TURNS, turn_id)
        turn = found.value
        stored = await self.vault.get(CHATS, turn.chat_id)
        is_on_path = found.parent_id == turn.chat_id
        revised = structs.replace(
            stored.value,
            revision=stored.value.revision + 1,
            deleted_turns=stored.value.deleted_turns + is_on_path,
        )
        await self.vault.commit(
            [
                Delete(table="turns", id=turn_id, expected_version=None),
                DeleteChildren(table="records", parent_id=turn_id),
                put_chat(self.vault, revised, expected_version=stored.version),
                *drop_all_pages(self.vault, turn.chat_id),
            ]
        )

    async def delete_chat(self, chat_id: str) -> None:
        await self.vault.commit([self.vault.delete(CHATS, chat_id)])
        async for batch in chat_batches(self.vault, chat_id):
            await self.vault.commit(batch)

    async def delete_project(self, project_id: str) -> None:
        chat_ids = await self.vault.child_ids(CHATS, project_id)
        await self.vault.commit([self.vault.delete(PROJECTS, project_id)])
        async for batch in project_batches(self.vault, project_id, chat_ids):
            await self.vault.commit(batch)

    async def delete_caches(self) -> None:
        for project_id in await self.vault.child_ids(PROJECTS, TOP):
            await self.vault.commit([DeleteChildren(table="segments", parent_id=project_id)])

    async def _at(self, chat_id: str, depth: int) -> Turn | None:
        rows = await self.vault.children(
            TURNS,
            [chat_id],
            from_position=depth,
            to_position=depth,
            newest_first=False,
            limit=None,
        )
        return rows.values[0] if rows.values else None

    def _turn(self, chat: Chat, *, state: TurnState) -> Turn:
        return Turn(
            id=new_id("turn"),
            chat_id=chat.id,
            parent_id=chat.tip_id,
            depth=chat.turn_count,
            model="script/scripted",
            state=state,
            created_at=self._now(),
        )

    def _messages(self, turn: Turn, asked: str, answered: str, *, tool: str) -> list[Change]:
        said = [_message("user", asked, at=turn.created_at)]
        if tool:
            called = ToolCall(call_id="c1", name="look", arguments='{"q": 1}')
            result = ToolResult(call_id="c1", name="look", text=tool)
            said.append(
                structs.replace(_message("assistant", "", at=turn.created_at), parts=(called,))
            )
            said.append(structs.replace(_message("tool", "", at=turn.created_at), parts=(result,)))
        if answered:
            said.append(_message("assistant", answered, at=turn.created_at))
        return [
            put_message(self.vault, message, turn_id=turn.id, position=position)
            for position, message in enumerate(said)
        ]

    def _now(self) -> datetime:
        return BEGAN_AT + timedelta(minutes=next(self._minutes))


def _message(role: Role, text: str, *, at: datetime) -> Message:
    return Message(id=new_id("record"), role=role, parts=(Text(text=text),), created_at=at)


async def find(search: Search, text: str, scope: SearchScope = EVERYTHING) -> Found:
    """All that is found, however long catching up takes."""
    while (await search.catch_up(scope)).waiting_turns:
        pass
    return await search.find(text, scope=scope, limit=1000, at=NOW)


def outcome(found: Found) -> list[tuple[str, float]]:
    """Scores to a few digits: sums in another order differ in the last ones."""
    return [(hit.turn_id, float(f"{hit.score:.4g}")) for hit in found.turns]
