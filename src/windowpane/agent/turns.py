"""What a person does to turns that are there: mark them, go back to those that were left."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, structs

from windowpane.accounting import Totals, totals_of
from windowpane.agent.topics import Topics
from windowpane.agent.waiting import waiting_head
from windowpane.errors import ChatBusy, ToolsWaiting
from windowpane.ids import new_revision
from windowpane.projects import Chat
from windowpane.storage.accounts import receipts_of
from windowpane.storage.branches import branch_of, go_to, leave_from, siblings
from windowpane.storage.history import contents_of, put_chat, put_turn
from windowpane.storage.shelves import CHATS, RUNS, TURNS
from windowpane.storage.turn_pages import drop_page
from windowpane.storage.vault import Vault
from windowpane.turns import Flag, Turn, TurnContent


class TurnMarks(Struct, frozen=True, kw_only=True):
    star: Annotated[int, Meta(ge=0, le=3)] | None = None
    flag: Flag | None = None
    is_pinned: bool | None = None
    is_skipped: bool | None = None
    topic_id: str | None = None


class TurnPlace(Struct, frozen=True, kw_only=True):
    """A turn, and whether it is not on its chat's path any more."""

    content: TurnContent
    is_left: bool


class Turns:
    def __init__(self, vault: Vault, *, topics: Topics) -> None:
        self._vault = vault
        self._topics = topics

    async def mark(self, turn_id: str, marks: TurnMarks) -> Turn:
        """Star, flag, pin, skip a turn or give it a topic; None leaves a mark as it is."""
        stored = await self._vault.get(TURNS, turn_id)
        chat = await self._vault.get(CHATS, stored.value.chat_id)
        if marks.topic_id is not None:
            await self._topics.get(marks.topic_id)
        changes = {key: value for key, value in structs.asdict(marks).items() if value is not None}
        turn = structs.replace(stored.value, **changes)
        revised = structs.replace(chat.value, revision=new_revision())
        await self._vault.commit(
            [
                put_turn(self._vault, stored, turn),
                put_chat(self._vault, revised, expected_version=chat.version),
                *drop_page(self._vault, chat_id=turn.chat_id, depth=turn.depth),
            ]
        )
        return turn

    async def totals(self, turn_id: str) -> Totals:
        """What all requests of a turn used and cost, those that failed included."""
        await self._vault.get(TURNS, turn_id)
        receipts = await receipts_of(self._vault, turn_id)
        return totals_of(receipt.entry for receipt in receipts if receipt.entry is not None)

    async def place(self, turn_id: str) -> TurnPlace:
        stored = await self._vault.get(TURNS, turn_id)
        [content] = (await contents_of(self._vault, [stored.value])).turns
        return TurnPlace(content=content, is_left=stored.parent_id != stored.value.chat_id)

    async def siblings(self, turn_id: str) -> list[TurnContent]:
        """A turn and those that it replaced or that replaced it, oldest first."""
        return await siblings(self._vault, (await self._vault.get(TURNS, turn_id)).value)

    async def go_to(self, turn_id: str) -> Chat:
        """Make a turn that was left part of its chat again, with what once followed it."""
        turn = await self._vault.get(TURNS, turn_id)
        chat = await self._vault.get(CHATS, turn.value.chat_id)
        if turn.parent_id == chat.id:
            return chat.value
        if await self._vault.find(RUNS, chat.id) is not None:
            raise ChatBusy
        if await waiting_head(self._vault, chat.value) is not None:
            raise ToolsWaiting
        branch = await branch_of(self._vault, turn.value)
        gone_to = structs.replace(
            chat.value,
            head_id=branch[-1].id,
            turn_count=branch[-1].depth + 1,
            revision=new_revision(),
        )
        await self._vault.commit(
            [
                *await leave_from(self._vault, chat.id, branch[0].depth),
                go_to(branch),
                put_chat(self._vault, gone_to, expected_version=chat.version),
            ]
        )
        return gone_to
