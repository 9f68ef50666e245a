"""The tree of a chat's turns: which was asked after which, also where a turn is gone.

A turn's parent stays what it was when the turn was asked. A deleted one leaves its place behind,
in the row that can still come back or in its tombstone, so the way from a turn to the beginning
is never cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from windowpane.projects import Chat
from windowpane.storage.shelves import TOMBSTONES, TURNS, deleted_of, left_of
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn


class Kin(Struct, frozen=True, kw_only=True):
    """A place in the tree; ``turn`` is None where the turn was deleted."""

    id: str
    parent_id: str | None
    depth: int
    created_at: datetime
    turn: Turn | None


async def gone(vault: Vault, chat_id: str) -> list[Kin]:
    """The places of a chat's deleted turns, on the path or left of it."""
    pending = (await vault.all_children(TURNS, [deleted_of(chat_id)])).values
    buried = (await vault.all_children(TOMBSTONES, [chat_id])).values
    return [
        Kin(
            id=one.id,
            parent_id=one.parent_id,
            depth=one.depth,
            created_at=one.created_at,
            turn=None,
        )
        for one in (*pending, *buried)
    ]


async def off_path(vault: Vault, chat_id: str) -> dict[str, Kin]:
    """All that is not on the path: what was left, and the places of what was deleted."""
    left = (await vault.all_children(TURNS, [left_of(chat_id)])).values
    return {kin.id: kin for kin in (*map(_kin, left), *await gone(vault, chat_id))}


async def branch_of(vault: Vault, turn: Turn) -> list[Kin]:
    """The places that lead from the path to a left turn, and on to where its branch ended."""
    kin = await off_path(vault, turn.chat_id)
    branch = [*_up_to(kin[turn.id], kin), kin[turn.id]]
    below: dict[str | None, list[Kin]] = {}
    for one in kin.values():
        below.setdefault(one.parent_id, []).append(one)
    fruitful = _fruitful(kin)
    while children := below.get(branch[-1].id):
        branch.append(max(children, key=lambda one: (one.id in fruitful, one.created_at)))
    return branch


async def line_to(vault: Vault, stored: Stored[Turn]) -> list[Turn]:
    """A turn and all that it was asked after, oldest first, without those that were deleted."""
    turn = stored.value
    branch: list[Kin] = []
    if stored.parent_id != turn.chat_id:
        kin = await off_path(vault, turn.chat_id)
        branch = [*_up_to(kin[turn.id], kin), kin[turn.id]]
    end = branch[0].depth if branch else turn.depth + 1
    path = await vault.children(
        TURNS,
        [turn.chat_id],
        from_position=None,
        to_position=end - 1,
        newest_first=False,
        limit=None,
    )
    return [*path.values, *(one.turn for one in branch if one.turn is not None)]


async def still_on_path(vault: Vault, chat: Chat, deleted: Sequence[Turn]) -> list[Turn]:
    """Those deleted turns of a chat through which its path still leads."""
    parents = {one.id: one.parent_id for one in await gone(vault, chat.id)}
    found: list[Turn] = []
    for turn in deleted:
        end_id = await place_before_next(vault, chat, turn.depth + 1)
        if turn.id in line_from(end_id, parents):
            found.append(turn)
    return found


async def place_before_next(vault: Vault, chat: Chat, depth: int) -> str | None:
    """The last place before the first turn of the path at a depth or behind it."""
    behind = await vault.children(
        TURNS,
        [chat.id],
        from_position=depth,
        to_position=None,
        newest_first=False,
        limit=1,
    )
    return behind.values[0].parent_id if behind.values else chat.tip_id


def line_from(id: str | None, parents: Mapping[str, str | None]) -> set[str]:
    """A place and those before it, as far as parents are known."""
    line: set[str] = set()
    while id is not None and id in parents:
        line.add(id)
        id = parents[id]
    return line


def _up_to(one: Kin, kin: Mapping[str, Kin]) -> list[Kin]:
    above: list[Kin] = []
    while (parent := kin.get(one.parent_id or "")) is not None:
        above.insert(0, parent)
        one = parent
    return above


def _fruitful(kin: Mapping[str, Kin]) -> set[str]:
    """The places at or below which there is still a turn."""
    return _with_parents((one for one in kin.values() if one.turn is not None), kin)


def _with_parents(some: Iterable[Kin], kin: Mapping[str, Kin]) -> set[str]:
    found: set[str] = set()
    for one in some:
        here: Kin | None = one
        while here is not None and here.id not in found:
            found.add(here.id)
            here = kin.get(here.parent_id or "")
    return found


def _kin(turn: Turn) -> Kin:
    return Kin(
        id=turn.id,
        parent_id=turn.parent_id,
        depth=turn.depth,
        created_at=turn.created_at,
        turn=turn,
    )
