"""Turn metadata in pages: a thousand turns of a path are one sealed row, packed when complete.

Beside each packed page lie its totals, so that a plan counts what it does not walk. Both are a
cache: whoever changes a turn drops its page with the same batch, and the next reader packs it
again; deleting all of them changes no answer. A reader who was overtaken by a change packs nothing.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.context.scope import PAGE_TURNS, PageTotals
from windowpane.errors import VersionConflict
from windowpane.storage.base import Change, DeleteChildren
from windowpane.storage.shelves import (
    PAGE_TOTALS,
    PAGES,
    PAGES_DROPPED,
    TURNS,
    PackedTurns,
    PagesDropped,
)
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnDigest

SETTLED = frozenset({"complete", "error", "aborted", "interrupted"})


class TurnPage(Struct, frozen=True, kw_only=True):
    number: int
    turns: tuple[Turn, ...]
    is_packed: bool

    @property
    def can_be_packed(self) -> bool:
        is_full = len(self.turns) == PAGE_TURNS
        return is_full and all(turn.state in SETTLED for turn in self.turns)


def page_of(depth: int) -> int:
    return depth // PAGE_TURNS


def drop_page(vault: Vault, *, chat_id: str, depth: int) -> list[Change]:
    number = page_of(depth)
    return [
        vault.delete(PAGES, _page_id(chat_id, number)),
        vault.delete(PAGE_TOTALS, _totals_id(chat_id, number)),
        _dropped(vault, chat_id, expected_version=None),
    ]


def drop_all_pages(vault: Vault, chat_id: str) -> list[Change]:
    return [*_delete_packed(chat_id), _dropped(vault, chat_id, expected_version=None)]


def delete_pages(chat_id: str) -> list[Change]:
    """For a chat that is deleted itself."""
    return [
        *_delete_packed(chat_id),
        DeleteChildren(table="pages", parent_id=_dropped_id(chat_id)),
    ]


async def read_page(vault: Vault, chat_id: str, number: int) -> TurnPage:
    packed = await vault.find(PAGES, _page_id(chat_id, number))
    if packed is not None:
        return TurnPage(number=number, turns=packed.value.turns, is_packed=True)
    turns = await read_turns(vault, chat_id, number * PAGE_TURNS, (number + 1) * PAGE_TURNS)
    return TurnPage(number=number, turns=turns, is_packed=False)


async def read_turns(vault: Vault, chat_id: str, first: int, end: int) -> tuple[Turn, ...]:
    """Turns of the path from a depth up to another."""
    listing = await vault.children(
        TURNS,
        [chat_id],
        from_position=first,
        to_position=end - 1,
        newest_first=False,
        limit=None,
    )
    if listing.damaged:
        return _with_stand_ins(listing.values, chat_id=chat_id, first=first)
    return tuple(listing.values)


def _with_stand_ins(turns: list[Turn], *, chat_id: str, first: int) -> tuple[Turn, ...]:
    """A turn that cannot be opened keeps its place, as one without an answer."""
    by_depth = {turn.depth: turn for turn in turns}
    end = max(by_depth, default=first - 1) + 1
    return tuple(
        by_depth.get(depth) or _stand_in(chat_id, depth, at=turns[0].created_at)
        for depth in range(first, end)
    )


def _stand_in(chat_id: str, depth: int, *, at: datetime) -> Turn:
    nothing = TurnDigest(
        counted_for="",
        raw_tokens=0,
        without_reasoning_tokens=0,
        without_tools_tokens=0,
        bare_tokens=0,
        is_unanswered=True,
    )
    return Turn(
        id=f"{chat_id}:damaged:{depth}",
        chat_id=chat_id,
        parent_id=None,
        depth=depth,
        model="",
        state="error",
        created_at=at,
        digest=nothing,
    )


async def read_totals(vault: Vault, chat_id: str) -> dict[int, PageTotals]:
    """The totals of packed pages by number; those of other pages must be counted."""
    listing = await vault.all_children(PAGE_TOTALS, [_totals_parent(chat_id)])
    return {item.position: item.value for item in listing.items}


async def times_dropped(vault: Vault, chat_id: str) -> int:
    """To be read before the turns that are to be packed."""
    return await vault.version(PAGES_DROPPED, _dropped_id(chat_id))


async def pack(
    vault: Vault, chat_id: str, page: TurnPage, totals: PageTotals, *, times_dropped: int
) -> bool:
    """False if something was changed since the turns were read; then nothing is packed."""
    packed = vault.put(
        PAGES,
        PackedTurns(turns=page.turns),
        id=_page_id(chat_id, page.number),
        parent_id=chat_id,
        position=page.number,
        expected_version=None,
    )
    counted = vault.put(
        PAGE_TOTALS,
        totals,
        id=_totals_id(chat_id, page.number),
        parent_id=_totals_parent(chat_id),
        position=page.number,
        expected_version=None,
    )
    unchanged = _dropped(vault, chat_id, expected_version=times_dropped)
    try:
        await vault.commit([unchanged, packed, counted])
    except VersionConflict:
        return False
    return True


def _dropped(vault: Vault, chat_id: str, *, expected_version: int | None) -> Change:
    id = _dropped_id(chat_id)
    return vault.put(
        PAGES_DROPPED,
        PagesDropped(),
        id=id,
        parent_id=id,
        position=0,
        expected_version=expected_version,
    )


def _delete_packed(chat_id: str) -> list[Change]:
    return [
        DeleteChildren(table="pages", parent_id=chat_id),
        DeleteChildren(table="pages", parent_id=_totals_parent(chat_id)),
    ]


def _page_id(chat_id: str, number: int) -> str:
    return f"{chat_id}:{number}"


def _totals_id(chat_id: str, number: int) -> str:
    return f"{chat_id}:{number}:totals"


def _dropped_id(chat_id: str) -> str:
    return f"{chat_id}:dropped"


def _totals_parent(chat_id: str) -> str:
    return f"{chat_id}:totals"
