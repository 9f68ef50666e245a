"""The turns of a chat at hand: their metadata in pages, few of them in memory, none read twice.

What is remembered holds as long as the chat's ``revision`` does. A chat that only grew costs the
turns that are new.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile

from msgspec import Struct, structs

from windowpane.agent.digest import facts_of
from windowpane.agent.weighing import Weigher
from windowpane.context.scope import PAGE_TURNS, PageTotals, page_totals
from windowpane.context.weights import TurnWeight
from windowpane.filters import History
from windowpane.projects import Chat
from windowpane.storage.shelves import CHATS
from windowpane.storage.turn_pages import (
    SETTLED,
    TurnPage,
    drop_pages,
    is_whole,
    pack,
    page_of,
    read_page,
    read_totals,
    read_turns,
    times_dropped,
)
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

# About 700 bytes a turn with its weight: a dozen megabytes at the most.
KEPT_PAGES = 20
KEPT_TOTALS = 100
# About 150 bytes a turn: for two chats of 100,000 turns.
KEPT_HISTORIES = 200


class WeighedPage(Struct, frozen=True, kw_only=True):
    """Turns with their weights as those were noted, for whichever model, and what they add up to.

    Every turn has its digest.
    """

    turns: tuple[Turn, ...]
    weights: list[TurnWeight]
    totals: PageTotals


NOTHING_WEIGHED = WeighedPage(turns=(), weights=[], totals=page_totals([]))


class TurnIndex:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._pages: OrderedDict[tuple[str, int, int], TurnPage] = OrderedDict()
        self._weighed: OrderedDict[tuple[str, int, int], WeighedPage] = OrderedDict()
        self._histories: OrderedDict[tuple[str, int, int], History] = OrderedDict()
        self._totals: OrderedDict[tuple[str, int], dict[int, PageTotals]] = OrderedDict()

    async def page(self, chat: Chat, number: int) -> TurnPage:
        key = (chat.id, chat.revision, number)
        known = self._pages.pop(key, None)
        page = (
            await self._grown(chat, known)
            if known
            else await read_page(self._vault, chat.id, number, turn_count=chat.turn_count)
        )
        self._pages[key] = page
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        return page

    async def forget(self, chat: Chat, depths: Sequence[int]) -> None:
        """Let the pages that hold some depths be made anew from the turns that are there."""
        await self._vault.commit(drop_pages(self._vault, chat.id, depths))
        for number in {page_of(depth) for depth in depths}:
            self._pages.pop((chat.id, chat.revision, number), None)
            self._histories.pop((chat.id, chat.revision, number), None)
            self._weighed.pop((chat.id, chat.revision, number), None)
            self._totals.get((chat.id, chat.revision), {}).pop(number, None)

    async def weighed(self, chat: Chat, number: int, weigher: Weigher) -> WeighedPage:
        """A page with its weights; of one that has grown only what is new is weighed."""
        key = (chat.id, chat.revision, number)
        page = await self.page(chat, number)
        known = self._weighed.pop(key, NOTHING_WEIGHED)
        if known.turns is not page.turns:
            known = await _weighed(page.turns, known, weigher)
            self._pages[key] = structs.replace(page, turns=known.turns)
        self._weighed[key] = known
        while len(self._weighed) > KEPT_PAGES:
            self._weighed.popitem(last=False)
        return known

    async def history(self, chat: Chat) -> History:
        """The facts of every turn of the path, by columns. A full page is turned once."""
        return History.joined([await self._facts(chat, n) for n in range(page_count(chat))])

    async def _facts(self, chat: Chat, number: int) -> History:
        key = (chat.id, chat.revision, number)
        if key in self._histories:
            self._histories.move_to_end(key)
            return self._histories[key]
        page = await self.page(chat, number)
        facts = History.of([facts_of(turn) for turn in page.turns])
        if page.is_final:
            self._histories[key] = facts
            while len(self._histories) > KEPT_HISTORIES:
                self._histories.popitem(last=False)
        return facts

    async def totals(self, chat: Chat, weigher: Weigher) -> list[PageTotals]:
        """Totals of every page. Those that are packed are read, the others counted."""
        packed = await self._packed_totals(chat)
        totals: list[PageTotals] = []
        for number in range(page_count(chat)):
            whole = is_whole(number, turn_count=chat.turn_count)
            known = packed.get(number) if whole else None
            totals.append(known or await self._counted(chat, number, weigher))
        return totals

    async def _packed_totals(self, chat: Chat) -> dict[int, PageTotals]:
        if chat.turn_count < PAGE_TURNS:
            return {}
        key = (chat.id, chat.revision)
        if key not in self._totals:
            if len(self._totals) >= KEPT_TOTALS:
                self._totals.popitem(last=False)
            self._totals[key] = await read_totals(self._vault, chat.id)
        return self._totals[key]

    async def _grown(self, chat: Chat, known: TurnPage) -> TurnPage:
        """A page that was full and settled is final; another may have gone on since."""
        if known.is_final:
            return known
        first = known.number * PAGE_TURNS
        settled = tuple(takewhile(lambda turn: turn.state in SETTLED, known.turns))
        begin = settled[-1].depth + 1 if settled else first
        end = min(chat.turn_count, first + PAGE_TURNS)
        # A plan looks at its newest page twice; what has not grown in between is not read again.
        fresh = await read_turns(self._vault, chat.id, begin, end) if begin < end else ()
        has_same = not fresh and len(settled) == len(known.turns)
        return TurnPage(
            number=known.number,
            turns=known.turns if has_same else (*settled, *fresh),
            is_packed=False,
            is_whole=is_whole(known.number, turn_count=chat.turn_count),
        )

    async def _counted(self, chat: Chat, number: int, weigher: Weigher) -> PageTotals:
        key = (chat.id, chat.revision, number)
        page = await self.page(chat, number)
        if page.is_final and not page.is_packed:
            page = self._pages[key] = await self._packed(chat, number, weigher)
        totals = (await self.weighed(chat, number, weigher)).totals
        if page.is_packed:
            self._totals.setdefault((chat.id, chat.revision), {})[number] = totals
        return totals

    async def _packed(self, chat: Chat, number: int, weigher: Weigher) -> TurnPage:
        """The page as it is now; packed, unless somebody changes it at this moment.

        With their digests: what was counted once is not counted again.
        """
        dropped = await times_dropped(self._vault, chat.id)
        now = await self._vault.find(CHATS, chat.id)
        page = await read_page(self._vault, chat.id, number, turn_count=chat.turn_count)
        # By now the chat may be shorter than the one that is planned for, and grow again.
        is_kept = now is not None and is_whole(number, turn_count=now.value.turn_count)
        if page.is_packed or not page.is_final or not is_kept:
            return page
        page = structs.replace(page, turns=await weigher.digested(page.turns))
        totals = page_totals(await weigher.known(page.turns))
        is_packed = await pack(self._vault, chat.id, page, totals, times_dropped=dropped)
        return structs.replace(page, is_packed=is_packed)

    async def index_at(self, chat: Chat, depth: int, *, totals: Sequence[PageTotals]) -> int:
        """How many turns lie before a depth: fewer than its number where some were deleted."""
        if not chat.deleted_turns:
            return depth
        number = min(page_of(depth), len(totals))
        before = sum(page.turns for page in totals[:number])
        if number == len(totals):
            return before
        page = await self.page(chat, number)
        return before + bisect_left([turn.depth for turn in page.turns], depth)

    async def depths(
        self, chat: Chat, indexes: Iterable[int], *, totals: Sequence[PageTotals]
    ) -> dict[str, int]:
        """The depths of the turns of those pages that hold the indexes."""
        starts = list(accumulate((page.turns for page in totals), initial=0))
        numbers = {bisect_right(starts, index) - 1 for index in indexes}
        pages = [await self.page(chat, number) for number in sorted(numbers)]
        return {turn.id: turn.depth for page in pages for turn in page.turns}


async def _weighed(turns: Sequence[Turn], known: WeighedPage, weigher: Weigher) -> WeighedPage:
    """From what is known of the same turns; those that have changed are other objects."""
    same = zip(turns, known.turns, strict=False)
    count = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], same))
    fresh = await weigher.digested(turns[count:])
    fresh_weights = await weigher.known(fresh)
    weights = [*known.weights[:count], *fresh_weights]
    has_only_grown = count == len(known.turns)
    return WeighedPage(
        turns=(*known.turns[:count], *fresh),
        weights=weights,
        totals=known.totals.grown_by(page_totals(fresh_weights))
        if has_only_grown
        else page_totals(weights),
    )


def page_count(chat: Chat) -> int:
    return -(-chat.turn_count // PAGE_TURNS)
