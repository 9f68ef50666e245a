"""Where a chat opens: at its newest turns, or at a turn in the middle of it, with words shown."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from windowpane.agent.chat_page import ChatPage
from windowpane.errors import NotFound
from windowpane.search import ROLES, HitWords, merged, texts_of, wish_of
from windowpane.turns import TurnContent
from windowpane.workspace import Workspace

PAGE_TURNS = 40


class OpenedChat(Struct, frozen=True, kw_only=True):
    """``left`` is the turn that was asked for, if it is not on the path any more.

    ``hits`` are the words that were looked for, as they stand in the turn.
    """

    page: ChatPage
    has_newer: bool
    left: TurnContent | None
    hits: list[str]


async def opened_chat(
    workspace: Workspace, chat_id: str, *, turn_id: str, query: str
) -> OpenedChat:
    """Without a turn, at the end. As many turns stand before the one asked for as after it."""
    if not turn_id:
        page = await workspace.page(chat_id, before_depth=None, limit=PAGE_TURNS)
        return OpenedChat(page=page, has_newer=False, left=None, hits=[])
    found = await workspace.turns.find(turn_id)
    turn = found.content.turn
    if turn.chat_id != chat_id:
        raise NotFound("turn", id=turn_id)
    before = turn.depth + 1 + PAGE_TURNS // 2
    page = await workspace.page(chat_id, before_depth=before, limit=PAGE_TURNS)
    return OpenedChat(
        page=page,
        has_newer=before < page.chat.turn_count,
        left=found.content if found.is_left else None,
        hits=hit_words(found.content, query=query),
    )


def hit_words(content: TurnContent, *, query: str) -> list[str]:
    texts = texts_of(content)
    words = HitWords(wish_of(query, at=datetime.now(UTC)))
    found: dict[str, None] = {}
    for role in ROLES:
        text = texts.of(role)
        for mark in merged(mark for mark, _ in words.marks(text)):
            found[text[mark.start : mark.end]] = None
    return list(found)
