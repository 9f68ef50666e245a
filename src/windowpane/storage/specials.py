"""Special records as rows: below their chat, at the depth before which they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windowpane.projects import Chat
from windowpane.records import Accounting, SpecialRecord
from windowpane.storage.base import Put
from windowpane.storage.lineage import gone, line_from, place_before_next
from windowpane.storage.shelves import SPECIALS
from windowpane.storage.vault import Vault
from windowpane.turns import Turn


def put_special(vault: Vault, record: SpecialRecord, *, chat_id: str) -> Put:
    return vault.put(
        SPECIALS,
        record,
        id=record.id,
        parent_id=chat_id,
        position=record.place.depth,
        expected_version=None,
    )


async def specials_of(vault: Vault, chat_id: str) -> list[SpecialRecord]:
    """Every special record of a chat, on whichever branch, by depth."""
    return _in_order((await vault.all_children(SPECIALS, [chat_id])).values)


async def last_accounting(vault: Vault, chat: Chat) -> Accounting | None:
    if chat.accounting_id is None:
        return None
    record = (await vault.get(SPECIALS, chat.accounting_id)).value
    assert isinstance(record, Accounting), "a chat names its accounting record"
    return record


async def specials_on(
    vault: Vault, chat: Chat, turns: Sequence[Turn], *, before_depth: int | None, has_older: bool
) -> list[SpecialRecord]:
    """The records that stand between the turns of a page of the path, and at its ends.

    A page reaches from its first turn up to the depth where the next page begins.
    """
    found = await vault.children(
        SPECIALS,
        [chat.id],
        from_position=turns[0].depth if turns and has_older else None,
        to_position=None if before_depth is None else before_depth - 1,
        newest_first=False,
        limit=None,
    )
    if not found.items:
        return []
    line = await _line_through(vault, chat, turns, before_depth=before_depth)
    return _in_order(one for one in found.values if one.place.after_id in line)


async def _line_through(
    vault: Vault, chat: Chat, turns: Sequence[Turn], *, before_depth: int | None
) -> set[str | None]:
    """The places of the path that a page's turns stand on, and the one before them."""
    parents = {turn.id: turn.parent_id for turn in turns}
    if chat.deleted_turns:
        parents |= {one.id: one.parent_id for one in await gone(vault, chat.id)}
    line = line_from(await _end_of(vault, chat, turns, before_depth=before_depth), parents)
    return {None, *line, *(parents[id] for id in line)}


async def _end_of(
    vault: Vault, chat: Chat, turns: Sequence[Turn], *, before_depth: int | None
) -> str | None:
    """The last place of a page, which may be one whose turn was deleted."""
    if before_depth is None or before_depth >= chat.turn_count:
        return chat.tip_id
    if not chat.deleted_turns:
        return turns[-1].id if turns else None
    return await place_before_next(vault, chat, before_depth)


def _in_order(records: Iterable[SpecialRecord]) -> list[SpecialRecord]:
    return sorted(records, key=lambda one: (one.place.depth, one.created_at))
