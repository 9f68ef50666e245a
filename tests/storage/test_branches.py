"""The end of a chat's path, found without opening what lies in it."""

from datetime import UTC, datetime

from tests.reading import CountedStore
from tests.workspaces import KEY
from windowpane.storage.base import Put
from windowpane.storage.branches import tail_ids
from windowpane.storage.history import put_new_turn
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

AT = datetime(2026, 3, 1, tzinfo=UTC)


async def test_the_ids_of_a_tail_cost_no_row_and_damaged_turns_are_among_them() -> None:
    store = CountedStore()
    vault = Vault(store, key=KEY)
    await vault.open()
    turns = [
        Turn(
            id=f"turn{depth}",
            chat_id="chat",
            parent_id=None,
            depth=depth,
            model="m",
            state="complete",
            created_at=AT,
        )
        for depth in (4, 3, 2, 1, 0)
    ]
    await vault.commit([put_new_turn(vault, turn) for turn in turns])
    damaged = Put(
        table="turns",
        id="turn3",
        parent_id="chat",
        position=3,
        sealed=b"?",
        expected_version=None,
    )
    await vault.commit([damaged])
    assert await tail_ids(vault, "chat", 2) == ("turn2", "turn3", "turn4")
    assert store.rows_read["turns"] == 0
