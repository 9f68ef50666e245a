"""The path that led to a turn: the turns it was asked after, wherever they lie by now.

A turn that was left still has its path: its own branch, and before that the chat's. So has one of
which only its tombstone remains.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

from msgspec import Struct

from windowpane.deletions import Tombstone
from windowpane.errors import NotFound
from windowpane.storage.lineage import off_path
from windowpane.storage.shelves import TOMBSTONES, TURNS
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

# Whoever goes back finds what he wants after a turn or two, or very late.
MOST_STEP_TURNS = 256


class _Way(Struct, frozen=True, kw_only=True):
    """``branch`` holds the turns of its own branch, by depth; before ``end_depth`` it is the path.

    Turns that were deleted are in neither.
    """

    chat_id: str
    branch: dict[int, Turn]
    end_depth: int


async def path_before(vault: Vault, turn_id: str, *, from_depth: int) -> dict[int, Turn]:
    """The turns before one, by depth; those that were deleted are missing."""
    way = await _way_to(vault, turn_id)
    on_path = await vault.children(
        TURNS,
        [way.chat_id],
        from_position=from_depth,
        to_position=way.end_depth - 1,
        newest_first=False,
        limit=None,
    )
    return {one.depth: one for one in on_path.values} | way.branch


async def steps_back(vault: Vault, turn_id: str) -> AsyncGenerator[list[Turn], None]:
    """The turns before one, the newest first: one of them, and then ever more at a time."""
    way = await _way_to(vault, turn_id)
    for depth in sorted(way.branch, reverse=True):
        yield [way.branch[depth]]
    step, end = 1, way.end_depth
    while end > 0:
        found = await vault.children(
            TURNS,
            [way.chat_id],
            from_position=None,
            to_position=end - 1,
            newest_first=True,
            limit=step,
        )
        yield found.values
        depths = [*(one.position for one in found.items), *found.damaged_positions]
        end = min(depths) if len(depths) == step else 0
        step = min(2 * step, MOST_STEP_TURNS)


async def _way_to(vault: Vault, turn_id: str) -> _Way:
    stored = await vault.find(TURNS, turn_id)
    if stored is not None and stored.parent_id == stored.value.chat_id:
        turn = stored.value
        return _Way(chat_id=turn.chat_id, branch={}, end_depth=turn.depth)
    return await _way_through(vault, stored.value if stored else await _stone(vault, turn_id))


async def _way_through(vault: Vault, turn: Turn | Tombstone) -> _Way:
    """Of a turn that is not on the path, down to where it left the path."""
    kin = await off_path(vault, turn.chat_id)
    branch: dict[int, Turn | None] = {}
    parent = kin.get(turn.parent_id or "")
    while parent is not None:
        branch[parent.depth] = parent.turn
        parent = kin.get(parent.parent_id or "")
    return _Way(
        chat_id=turn.chat_id,
        branch={depth: one for depth, one in branch.items() if one is not None},
        end_depth=min(branch, default=turn.depth),
    )


async def _stone(vault: Vault, turn_id: str) -> Tombstone:
    stone = await vault.find(TOMBSTONES, turn_id)
    if stone is None:
        raise NotFound("turn", id=turn_id)
    return stone.value
