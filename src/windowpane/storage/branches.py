"""Branches: a turn that is replaced stays readable, and a chat can go back to it.

Turns on the chat's path have the chat as their row's parent, turns that were left another one, so
the path stays one indexed read. Only rows move; nothing is opened or written anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from windowpane.ids import new_revision
from windowpane.projects import Chat
from windowpane.storage.base import Change, Move
from windowpane.storage.history import contents_of
from windowpane.storage.lineage import Kin
from windowpane.storage.shelves import TURNS, left_of
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnContent


class TurnPlace(Struct, frozen=True, kw_only=True):
    """One of several turns that stand or stood in the same place: the second of three."""

    number: int
    count: int
    previous_id: str
    next_id: str


async def tail_ids(vault: Vault, chat_id: str, depth: int) -> tuple[str, ...]:
    """The path's turns from a depth on, unopened: damaged ones are among them."""
    return tuple(await vault.store.child_ids("turns", chat_id, from_position=depth))


async def newest_id(vault: Vault, chat_id: str, *, before_depth: int) -> str | None:
    """The path's newest turn before a depth."""
    rows = await vault.store.children(
        "turns",
        [chat_id],
        from_position=None,
        to_position=before_depth - 1,
        newest_first=True,
        limit=1,
    )
    return rows[0].id if rows else None


def leave(chat_id: str, ids: Sequence[str]) -> list[Change]:
    """Take turns off the path; whoever does has to drop their pages."""
    return [Move(table="turns", ids=tuple(ids), to_parent_id=left_of(chat_id))] if ids else []


def go_to(chat_id: str, branch: Sequence[Kin]) -> Change:
    """Put a branch on its chat's path; what stood there must have been left."""
    ids = tuple(one.id for one in branch if one.turn is not None)
    return Move(table="turns", ids=ids, to_parent_id=chat_id)


async def before_turn(vault: Vault, chat: Chat, turn: Turn) -> Chat:
    """The chat as it is without a turn of its path and what follows it."""
    tail = await tail_ids(vault, chat.id, turn.depth)
    return with_path(
        chat,
        head_id=await newest_id(vault, chat.id, before_depth=turn.depth),
        tip_id=turn.parent_id,
        turn_count=turn.depth,
        deleted_turns=chat.deleted_turns - deleted_in(chat, depth=turn.depth, kept=len(tail)),
    )


def deleted_in(chat: Chat, *, depth: int, kept: int) -> int:
    """How many turns of the path were deleted from a depth on, where so many are left."""
    return chat.turn_count - depth - kept


def with_path(
    chat: Chat, *, head_id: str | None, tip_id: str | None, turn_count: int, deleted_turns: int
) -> Chat:
    return structs.replace(
        chat,
        head_id=head_id,
        deleted_tip_id=None if tip_id == head_id else tip_id,
        turn_count=turn_count,
        deleted_turns=deleted_turns,
        revision=new_revision(),
    )


async def siblings(vault: Vault, turn: Turn) -> list[TurnContent]:
    """Every turn that stands or stood in this place, oldest first, itself among them."""
    return list((await contents_of(vault, await _siblings(vault, turn))).turns)


async def place_of(vault: Vault, turn: Turn) -> TurnPlace:
    """A turn's place among its siblings."""
    return _place([one.id for one in await _siblings(vault, turn)], turn.id)


async def _siblings(vault: Vault, turn: Turn) -> list[Turn]:
    parents = (turn.chat_id, left_of(turn.chat_id))
    here = await _between(vault, parents, turn.depth, turn.depth)
    return _by_place(here)[_spot(turn)]


def places(turns: Sequence[Turn], left: Sequence[Turn]) -> dict[str, TurnPlace]:
    """Of some turns of a path, those that have siblings among the left, each with its place."""
    by_place = _by_place([*turns, *left])
    found = {turn.id: [one.id for one in by_place[_spot(turn)]] for turn in turns}
    return {id: _place(ids, id) for id, ids in found.items() if len(ids) > 1}


async def left_between(vault: Vault, chat_id: str, first: int, last: int) -> list[Turn]:
    """The turns that were left between two depths, both included."""
    return await _between(vault, (left_of(chat_id),), first, last)


async def _between(vault: Vault, parents: Sequence[str], first: int, last: int) -> list[Turn]:
    found = await vault.children(
        TURNS, parents, from_position=first, to_position=last, newest_first=False, limit=None
    )
    return found.values


def _spot(turn: Turn) -> tuple[int, str | None]:
    return turn.depth, turn.parent_id


def _by_place(turns: Sequence[Turn]) -> dict[tuple[int, str | None], list[Turn]]:
    """Turns by their place in the tree, oldest first."""
    by_place: dict[tuple[int, str | None], list[Turn]] = {}
    for turn in sorted(turns, key=lambda one: one.created_at):
        by_place.setdefault(_spot(turn), []).append(turn)
    return by_place


def _place(ids: Sequence[str], id: str) -> TurnPlace:
    at = ids.index(id)
    return TurnPlace(
        number=at + 1,
        count=len(ids),
        previous_id=ids[at - 1],
        next_id=ids[(at + 1) % len(ids)],
    )
