"""Turn metadata in pages: a thousand turns of a path are one sealed row, packed when complete.

Beside each packed page lie its totals, so that a plan counts what it does not walk. Both are a
cache: whoever changes a turn drops its page with the same batch, and the next reader packs it
again; deleting all of them changes no answer. A reader who was overtaken by a change packs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

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
# Part of the id of a turn that stands in for one that cannot be opened.
DAMAGED = ":damaged:"
# When a turn was asked that nobody can read any more.
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class TurnPage(Struct, frozen=True, kw_only=True):
    """The turns at the depths of one page. Deleted ones are missing, so it may hold fewer.

    ``is_whole``: the chat goes on behind it, so no turn will come to it any more.
    """

    number: int
    turns: tuple[Turn, ...]
    is_packed: bool
    is_whole: bool

    @property
    def is_final(self) -> bool:
        """Nothing about it changes unless somebody changes a turn."""
        if self.is_packed:
            return True
        return self.is_whole and all(turn.state in SETTLED for turn in self.turns)


def is_whole(number: int, *, turn_count: int) -> bool:
    return (number + 1) * PAGE_TURNS <= turn_count


def page_of(depth: int) -> int:
    return depth // PAGE_TURNS


def drop_pages(vault: Vault, chat_id: str, depths: Iterable[int]) -> list[Change]:
    """Forget the pages that hold some depths."""
    numbers = sorted({page_of(depth) for depth in depths})
    return [
        *(
            change
            for number in numbers
            for change in (
                vault.delete(PAGES, _page_id(chat_id, number)),
                vault.delete(PAGE_TOTALS, _totals_id(chat_id, number)),
            )
        ),
        _dropped(vault, chat_id, expected_version=None),
    ]


def drop_pages_from(vault: Vault, chat_id: str, depth: int, *, turn_count: int) -> list[Change]:
    """Forget the pages of a chat with so many places, from a depth on."""
    return drop_pages(vault, chat_id, [depth, *range(depth, turn_count, PAGE_TURNS), turn_count])


def drop_all_pages(vault: Vault, chat_id: str) -> list[Change]:
    return [*_delete_packed(chat_id), _dropped(vault, chat_id, expected_version=None)]


def delete_pages(chat_id: str) -> list[Change]:
    """For a chat that is deleted itself."""
    return [
        *_delete_packed(chat_id),
        DeleteChildren(table="pages", parent_id=_dropped_id(chat_id)),
    ]


async def read_page(vault: Vault, chat_id: str, number: int, *, turn_count: int) -> TurnPage:
    """A page, no further than ``turn_count``: a send that replaces a turn plans a shorter chat."""
    whole = is_whole(number, turn_count=turn_count)
    packed = await vault.find(PAGES, _page_id(chat_id, number)) if whole else None
    if packed is not None:
        return TurnPage(number=number, turns=packed.value.turns, is_packed=True, is_whole=True)
    first = number * PAGE_TURNS
    turns = await read_turns(vault, chat_id, first, min(turn_count, first + PAGE_TURNS))
    return TurnPage(number=number, turns=turns, is_packed=False, is_whole=whole)


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
    # A turn that cannot be opened keeps its place, as one without an answer.
    damaged = [_stand_in(chat_id, depth) for depth in listing.damaged_positions]
    return tuple(sorted((*listing.values, *damaged), key=lambda turn: turn.depth))


def _stand_in(chat_id: str, depth: int) -> Turn:
    nothing = TurnDigest(
        counted_for="",
        raw_tokens=0,
        without_reasoning_tokens=0,
        without_tools_tokens=0,
        bare_tokens=0,
        is_unanswered=True,
    )
    return Turn(
        id=f"{chat_id}{DAMAGED}{depth}",
        chat_id=chat_id,
        parent_id=None,
        depth=depth,
        model="",
        state="error",
        created_at=NEVER,
        digest=nothing,
    )


def is_stand_in(turn_id: str) -> bool:
    return DAMAGED in turn_id


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
