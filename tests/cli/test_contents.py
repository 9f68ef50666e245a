"""The walk through a vault passes every table that holds facts."""

from collections.abc import Sequence
from pathlib import Path

from tests.workspaces import KEY, ask, new_chat, says, workspace_over
from windowpane.cli.contents import Walk
from windowpane.storage.base import TABLES, Row, Table
from windowpane.storage.memory import MemoryStore
from windowpane.storage.vault import Vault

# The first proves the key, which opening does; pages and segments hold caches, ledgers what is set
# aside while a call is being made.
NOT_WALKED = {"vault", "pages", "segments", "ledgers"}


class WatchedStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.walked: set[Table] = set()

    async def children(
        self,
        table: Table,
        parent_ids: Sequence[str],
        *,
        from_position: int | None,
        to_position: int | None,
        newest_first: bool,
        limit: int | None,
    ) -> list[Row]:
        self.walked.add(table)
        return await super().children(
            table,
            parent_ids,
            from_position=from_position,
            to_position=to_position,
            newest_first=newest_first,
            limit=limit,
        )


async def test_no_table_with_facts_is_left_out(data_dir: Path) -> None:
    store = WatchedStore()
    async with workspace_over(store, folder=data_dir, replies=[says("Five.")]) as workspace:
        await ask(workspace, await new_chat(workspace), "two")
        store.walked.clear()
        contents = await Walk(Vault(store, key=KEY)).contents()
    assert store.walked == set(TABLES) - NOT_WALKED
    assert (contents.projects, contents.chats, contents.turns) == (1, 1, 1)
    assert contents.damaged == []
