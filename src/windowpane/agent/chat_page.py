"""A page of a chat as it is read: its turns, and what stands or stood between them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.errors import RecordDamaged
from windowpane.projects import Chat
from windowpane.records import Accounting, SpecialRecord
from windowpane.storage.branches import TurnPlace, left_between, newest_id, places
from windowpane.storage.history import path_page
from windowpane.storage.specials import specials_on
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnContent


class ReadPage(Struct, frozen=True, kw_only=True):
    """``places`` are of those turns that have siblings. ``others`` are turns that were left where
    a deleted one was, by the record that marks its place."""

    turns: tuple[TurnContent, ...]
    records: tuple[SpecialRecord, ...]
    places: dict[str, TurnPlace]
    others: dict[str, tuple[str, ...]]
    has_older: bool
    damaged: tuple[RecordDamaged, ...]


async def read_page(vault: Vault, chat: Chat, *, before_depth: int | None, limit: int) -> ReadPage:
    page = await path_page(vault, chat.id, before_depth=before_depth, limit=limit)
    turns = [content.turn for content in page.turns]
    first = turns[0].depth if turns else 0
    # By row, not by turn: those that cannot be opened must not hide those before them.
    has_older = await newest_id(vault, chat.id, before_depth=first) is not None
    records = await specials_on(vault, chat, turns, before_depth=before_depth, has_older=has_older)
    last = chat.turn_count if before_depth is None else before_depth - 1
    left = await left_between(vault, chat.id, first if has_older else 0, last)
    return ReadPage(
        turns=page.turns,
        records=tuple(records),
        places=places(turns, left),
        others=_others(records, turns, left),
        has_older=has_older,
        damaged=page.damaged,
    )


def _others(
    records: Sequence[SpecialRecord], turns: Sequence[Turn], left: Sequence[Turn]
) -> dict[str, tuple[str, ...]]:
    """What can be gone back to where nothing stands any more: else nobody would find it."""
    taken = {turn.depth for turn in turns}
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        place = record.place
        if isinstance(record, Accounting) and place.depth not in taken:
            spot = (place.depth, place.after_id)
            ids = tuple(turn.id for turn in left if (turn.depth, turn.parent_id) == spot)
            if ids:
                found[record.id] = ids
                taken.add(place.depth)
    return found
