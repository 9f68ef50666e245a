"""The path that led to a turn: the turns it was asked after, wherever they lie by now.

A turn that was left still has its path: its own branch, and before that the chat's.
"""

from __future__ import annotations

from windowpane.storage.lineage import off_path
from windowpane.storage.shelves import TURNS
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn


async def path_before(vault: Vault, turn: Stored[Turn], *, from_depth: int) -> dict[int, Turn]:
    """The turns before one, by depth; those that were deleted are missing."""
    chat_id = turn.value.chat_id
    branch: dict[int, Turn | None] = {}
    if turn.parent_id != chat_id:
        branch = await _branch_before(vault, turn.value)
    end = min(branch, default=turn.value.depth)
    on_path = await vault.children(
        TURNS,
        [chat_id],
        from_position=from_depth,
        to_position=end - 1,
        newest_first=False,
        limit=None,
    )
    turns = (*on_path.values, *branch.values())
    return {one.depth: one for one in turns if one is not None}


async def _branch_before(vault: Vault, turn: Turn) -> dict[int, Turn | None]:
    """The places that a left turn follows, without its own, down to where it left the path.

    None where the turn was deleted.
    """
    kin = await off_path(vault, turn.chat_id)
    branch: dict[int, Turn | None] = {}
    parent = kin.get(turn.parent_id or "")
    while parent is not None:
        branch[parent.depth] = parent.turn
        parent = kin.get(parent.parent_id or "")
    return branch
