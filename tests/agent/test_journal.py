"""What is flushed and what is kept at the same time do not get into each other's way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import structs

from tests.workspaces import KEY, ask, does, new_chat, says, script, settings_in
from windowpane.providers.scripted import Call, Think
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.workspace import Workspace

ROUNDS = 30
PATIENCE_SECONDS = 60


async def test_a_message_is_kept_while_a_flush_is_under_way(tmp_path: Path) -> None:
    settings = structs.replace(settings_in(tmp_path), open_part_flush_seconds=0.0)
    store = store_from(str(tmp_path / "rows.sqlite3"))
    thinks_and_calls = [
        does(Think(chunks=("Hm", ".") * 3), Call(call_id="c", name="x", arguments=""))
        for _ in range(ROUNDS)
    ]
    async with Workspace(Vault(store, key=KEY), settings=settings) as workspace:
        await script(workspace, folder=tmp_path, replies=[*thinks_and_calls, says("Done.")])
        # A turn that lost its run never ends, so the wait for it must.
        async with asyncio.timeout(PATIENCE_SECONDS):
            content = await ask(workspace, await new_chat(workspace), "go")
    assert content.turn.state == "complete"
    assert content.messages[-1].text == "Done."
    assert len(content.messages) == 2 + 2 * ROUNDS
