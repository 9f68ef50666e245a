"""A typed message as the record that is stored: with the text for the model, where that differs."""

from __future__ import annotations

from datetime import datetime, tzinfo

from windowpane.accounting import NOTHING, Cost
from windowpane.agent.usage import UsageBook
from windowpane.context.applied import Applied
from windowpane.context.phrasing import Moment, Phrasing, sent_text
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.projects import Chat
from windowpane.storage.history import path_page
from windowpane.storage.shelves import TURNS
from windowpane.storage.vault import Vault


def phrasing_of(settings: Applied) -> Phrasing:
    return Phrasing(
        format=settings.message_format,
        metadata=settings.message_metadata,
        template=settings.message_template,
    )


class Wording:
    def __init__(self, vault: Vault, *, usage: UsageBook) -> None:
        self._vault = vault
        self._usage = usage

    async def message(
        self, typed: str, *, chat: Chat, settings: Applied, at: datetime, zone: tzinfo
    ) -> Message:
        """``chat`` as it is before the message comes to it."""
        phrasing = phrasing_of(settings)
        sent = typed
        if phrasing.format != "plain":
            moment = Moment(
                at=at,
                zone=zone,
                chat_began_at=await self._began_at(chat) or at,
                model=settings.model.partition("/")[2],
                context_tokens=await self._context_tokens(chat),
                cost=await self._cost(chat, phrasing),
            )
            sent = sent_text(typed, phrasing, moment)
        return Message(
            id=new_id("record"),
            role="user",
            parts=(Text(text=typed),),
            created_at=at,
            sent_text=None if sent == typed else sent,
        )

    async def _began_at(self, chat: Chat) -> datetime | None:
        first = await self._vault.children(
            TURNS,
            [chat.id],
            from_position=None,
            to_position=chat.turn_count - 1,
            newest_first=False,
            limit=1,
        )
        return first.values[0].created_at if first.values else None

    async def _context_tokens(self, chat: Chat) -> int:
        """What the newest reply measured: all that was sent for it, and itself."""
        page = await path_page(self._vault, chat.id, before_depth=chat.turn_count, limit=1)
        reported = [
            message.usage
            for content in page.turns
            for message in content.messages
            if message.usage is not None
        ]
        return reported[-1].context_tokens if reported else 0

    async def _cost(self, chat: Chat, phrasing: Phrasing) -> Cost:
        totals = await self._usage.chat(chat.id) if phrasing.tells_cost else NOTHING
        return totals.cost
