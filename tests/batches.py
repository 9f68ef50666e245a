"""What is written at one stroke: a vault that knows how large its batches were, and long chats."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from tests.workspaces import KEY
from windowpane.errors import DiskFull
from windowpane.ids import new_id
from windowpane.messages import Message, Role
from windowpane.parts import Text
from windowpane.storage.base import Change, Store
from windowpane.storage.history import put_chat, put_message, put_new_turn
from windowpane.storage.shelves import CHATS
from windowpane.storage.vault import Vault
from windowpane.turns import Turn


class WatchedVault(Vault):
    """``room_batches`` is how many more batches fit on the disk; None: as many as one likes."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, key=KEY)
        self.sizes: list[int] = []
        self.room_batches: int | None = None

    async def commit(self, changes: Sequence[Change]) -> None:
        if self.room_batches is not None:
            if not self.room_batches:
                raise DiskFull(path="here", free_bytes=0)
            self.room_batches -= 1
        self.sizes.append(len(changes))
        await super().commit(changes)


async def lengthen(vault: Vault, chat_id: str, *, turns: int) -> list[str]:
    """Turns at the end of a chat, as an import would leave them; their ids."""
    stored = await vault.get(CHATS, chat_id)
    chat = stored.value
    changes: list[Change] = []
    parent_id, ids = chat.tip_id, [new_id("turn") for _ in range(turns)]
    for number, id in enumerate(ids):
        turn = Turn(
            id=id,
            chat_id=chat_id,
            parent_id=parent_id,
            depth=chat.turn_count + number,
            model="script/scripted",
            state="complete",
            created_at=chat.created_at,
        )
        changes += [
            put_new_turn(vault, turn),
            _line(vault, turn, f"line {number}", role="user"),
            _line(vault, turn, ".", role="assistant"),
        ]
        parent_id = id
    grown = structs.replace(chat, head_id=parent_id, turn_count=chat.turn_count + turns)
    await vault.commit([*changes, put_chat(vault, grown, expected_version=stored.version)])
    return ids


def _line(vault: Vault, turn: Turn, text: str, *, role: Role) -> Change:
    message = Message(
        id=new_id("record"), role=role, parts=(Text(text=text),), created_at=turn.created_at
    )
    return put_message(vault, message, turn_id=turn.id, position=0 if role == "user" else 1)
