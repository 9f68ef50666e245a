"""Chats with many turns, written straight into the vault."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec import structs

from tests.browser.scene import Prepare
from tests.workspaces import MODEL
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.projects import Chat
from windowpane.storage.base import Put
from windowpane.storage.history import put_chat, put_message, put_new_turn
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

BEGAN_AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)


def filled(*, turns: int, damaged_turn: int | None = None) -> Prepare:
    """Question 0 and Answer 0, and so on; of one turn the question may be unreadable."""

    async def prepare(vault: Vault, chat: Chat) -> None:
        changes: list[Put] = []
        parent_id: str | None = None
        for depth in range(turns):
            turn = _turn(chat, depth=depth, parent_id=parent_id)
            parent_id = turn.id
            changes += _rows(vault, turn, is_damaged=depth == damaged_turn)
        grown = structs.replace(chat, head_id=parent_id, turn_count=turns, title="Question 0")
        await vault.commit([*changes, put_chat(vault, grown, expected_version=None)])

    return prepare


def _turn(chat: Chat, *, depth: int, parent_id: str | None) -> Turn:
    at = BEGAN_AT + timedelta(minutes=depth)
    return Turn(
        id=new_id("turn"),
        chat_id=chat.id,
        parent_id=parent_id,
        depth=depth,
        model=MODEL,
        state="complete",
        created_at=at,
        ended_at=at,
        finish="stop",
    )


def _rows(vault: Vault, turn: Turn, *, is_damaged: bool) -> list[Put]:
    texts = (f"Question {turn.depth}", f"Answer {turn.depth}, with a little more text.")
    asked, answered = (
        put_message(
            vault,
            Message(
                id=new_id("record"), role=role, parts=(Text(text=text),), created_at=turn.created_at
            ),
            turn_id=turn.id,
            position=position,
        )
        for position, (role, text) in enumerate(zip(("user", "assistant"), texts, strict=True))
    )
    if is_damaged:
        asked = structs.replace(asked, sealed=asked.sealed[:-1] + bytes([asked.sealed[-1] ^ 1]))
    return [put_new_turn(vault, turn), asked, answered]
