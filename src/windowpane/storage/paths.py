"""The path that led to a turn: the turns it was asked after, wherever they lie by now.

A turn that was left still has its path: its own branch, and before that the chat's.
"""

from __future__ import annotations

from windowpane.storage.shelves import TURNS, left_of
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn


async def path_before(vault: Vault, turn: Stored[Turn], *, from_depth: int) -> dict[int, Turn]:
    """The turns before one, by depth; those that were deleted are missing."""
    chat_id = turn.value.chat_id
    branch: dict[int, Turn] = {}
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
    return {one.depth: one for one in (*on_path.values, *branch.values())}


async def _branch_before(vault: Vault, turn: Turn) -> dict[int, Turn]:
    """The left turns that a left turn follows, without itself, down to where it left the path."""
    left = (await vault.all_children(TURNS, [left_of(turn.chat_id)])).values
    by_id = {one.id: one for one in left}
    branch: dict[int, Turn] = {}
    parent = by_id.get(turn.parent_id or "")
    while parent is not None:
        branch[parent.depth] = parent
        parent = by_id.get(parent.parent_id or "")
    return branch
