"""The turns a plan chooses from, oldest first, in pages of which only the needed ones are open.

A page that is not open is known by its totals. Asking for its turns raises ``PageMissing``, and
the caller opens it and plans again: so planning stays pure and walks only what fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from windowpane.context.weights import NOTHING, Totals, TurnWeight, total

PAGE_TURNS = 1000


class PageMissing(LookupError):
    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"page {number} of the history is not open")


class PinnedTurn(Struct, frozen=True, kw_only=True):
    index: int
    weight: TurnWeight


class PageTotals(Struct, frozen=True, kw_only=True):
    """What is known of a page without opening it. The four totals leave no turn out."""

    plain: Totals
    skipped: Totals
    unanswered: Totals
    pinned: tuple[PinnedTurn, ...]

    @property
    def all(self) -> Totals:
        pinned = total(turn.weight for turn in self.pinned)
        return self.plain + self.skipped + self.unanswered + pinned


def page_totals(weights: Sequence[TurnWeight], *, first_index: int) -> PageTotals:
    skipped = total(weight for weight in weights if weight.is_skipped)
    unanswered = total(
        weight for weight in weights if weight.is_unanswered and not weight.is_skipped
    )
    pinned = tuple(
        PinnedTurn(index=first_index + offset, weight=weight)
        for offset, weight in enumerate(weights)
        if is_pinned_in(weight)
    )
    rest = total(weights) - skipped - unanswered - total(turn.weight for turn in pinned)
    return PageTotals(plain=rest, skipped=skipped, unanswered=unanswered, pinned=pinned)


def is_pinned_in(weight: TurnWeight) -> bool:
    """Skipped beats pinned, and what has no answer cannot be held in."""
    return weight.is_pinned and not weight.is_skipped and not weight.is_unanswered


class Scope:
    """``pages`` maps the number of an open page to its turns; every page has its totals."""

    def __init__(
        self, totals: Sequence[PageTotals], pages: Mapping[int, Sequence[TurnWeight]]
    ) -> None:
        self.totals = totals
        self._pages = pages
        self.all = sum((page.all for page in totals), start=NOTHING)
        self.turns = self.all.turns

    @staticmethod
    def of(weights: Sequence[TurnWeight]) -> Scope:
        """A scope that is wholly open, for histories at hand."""
        starts = range(0, len(weights), PAGE_TURNS)
        pages = {start // PAGE_TURNS: weights[start : start + PAGE_TURNS] for start in starts}
        totals = [
            page_totals(page, first_index=number * PAGE_TURNS) for number, page in pages.items()
        ]
        return Scope(totals, pages)

    @property
    def pinned(self) -> list[PinnedTurn]:
        return [turn for page in self.totals for turn in page.pinned]

    def page(self, number: int) -> Sequence[TurnWeight]:
        if number not in self._pages:
            raise PageMissing(number)
        return self._pages[number]

    def newest_first(self) -> Iterator[tuple[int, TurnWeight]]:
        for number in reversed(range(len(self.totals))):
            page = self.page(number)
            for offset in reversed(range(len(page))):
                yield number * PAGE_TURNS + offset, page[offset]

    def between(self, first: int, end: int) -> Iterator[tuple[int, TurnWeight]]:
        """Turns from an index up to another, oldest first."""
        for number in range(first // PAGE_TURNS, -(-end // PAGE_TURNS)):
            for offset, weight in enumerate(self.page(number)):
                if first <= number * PAGE_TURNS + offset < end:
                    yield number * PAGE_TURNS + offset, weight
