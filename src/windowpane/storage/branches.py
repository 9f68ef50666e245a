"""Branches: a turn that is replaced stays readable, and a chat can go back to it.

Turns on the chat's path have the chat as their row's parent, turns that were left another one, so
the path stays one indexed read. Only rows move; nothing is opened or written anew.
"""

from __future__ import annotations

from windowpane.storage.base import Change, Move
from windowpane.storage.history import contents_of
from windowpane.storage.shelves import TURNS, left_of
from windowpane.storage.turn_pages import drop_all_pages
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnContent


async def leave_from(vault: Vault, chat_id: str, depth: int) -> list[Change]:
    """Take the path's turns from a depth on off the path."""
    tail = await vault.children(
        TURNS, [chat_id], from_position=depth, to_position=None, newest_first=False, limit=None
    )
    ids = tuple(item.id for item in tail.items)
    moves: list[Change] = [Move(table="turns", ids=ids, to_parent_id=left_of(chat_id))]
    return [*(moves if ids else []), *drop_all_pages(vault, chat_id)]


async def siblings(vault: Vault, turn: Turn) -> list[TurnContent]:
    """Every turn that stands or stood in this place, oldest first, itself among them."""
    here = await vault.children(
        TURNS,
        [turn.chat_id, left_of(turn.chat_id)],
        from_position=turn.depth,
        to_position=turn.depth,
        newest_first=False,
        limit=None,
    )
    same = [one for one in here.values if one.parent_id == turn.parent_id]
    same.sort(key=lambda one: one.created_at)
    return list((await contents_of(vault, same)).turns)


async def branch_of(vault: Vault, turn: Turn) -> list[Turn]:
    """The left turns that lead from the path to a turn, and on to where its branch ended."""
    left = (await vault.all_children(TURNS, [left_of(turn.chat_id)])).values
    by_id = {one.id: one for one in left}
    branch = [turn]
    while (parent := by_id.get(branch[0].parent_id or "")) is not None:
        branch.insert(0, parent)
    while children := [one for one in left if one.parent_id == branch[-1].id]:
        branch.append(max(children, key=lambda one: one.created_at))
    return branch


def go_to(branch: list[Turn]) -> Change:
    """Put a branch on its chat's path; what stood there must have been left."""
    return Move(
        table="turns", ids=tuple(turn.id for turn in branch), to_parent_id=branch[0].chat_id
    )
