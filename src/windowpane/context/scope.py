"""The turns a plan chooses from, oldest first, in pages of which only the needed ones are open.

A page that is not open is known by its totals. Asking for its turns raises ``PageMissing``, and
the caller opens it and plans again: so planning stays pure and walks only what fits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

from windowpane.context.weights import Totals, TurnKind, TurnWeight, total

PAGE_TURNS = 1000
"""How many turns make a page; one that lost turns may have fewer."""


class PageMissing(LookupError):
    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"page {number} of the history is not open")


class PinnedTurn(Struct, frozen=True, kw_only=True):
    """``offset`` is its place in its page."""

    offset: int
    weight: TurnWeight


class PageTotals(Struct, frozen=True, kw_only=True):
    """What is known of a page without opening it: the sums by kind, and the pinned turns."""

    turns: int
    raw_tokens: int
    plain: Totals
    skipped: Totals
    failed: Totals
    current: Totals
    pinned: tuple[PinnedTurn, ...]

    def grown_by(self, later: PageTotals) -> PageTotals:
        """The page when more turns stand at its end."""
        moved = (
            PinnedTurn(offset=self.turns + turn.offset, weight=turn.weight) for turn in later.pinned
        )
        return PageTotals(
            turns=self.turns + later.turns,
            raw_tokens=self.raw_tokens + later.raw_tokens,
            plain=self.plain + later.plain,
            skipped=self.skipped + later.skipped,
            failed=self.failed + later.failed,
            current=self.current + later.current,
            pinned=(*self.pinned, *moved),
        )

    def without(self, others: PageTotals) -> PageTotals:
        """The rest of the page when some of its turns are taken off; its pins are not told."""
        return PageTotals(
            turns=self.turns - others.turns,
            raw_tokens=self.raw_tokens - others.raw_tokens,
            plain=self.plain - others.plain,
            skipped=self.skipped - others.skipped,
            failed=self.failed - others.failed,
            current=self.current - others.current,
            pinned=(),
        )


def page_totals(weights: Sequence[TurnWeight]) -> PageTotals:
    kinds: dict[TurnKind, list[TurnWeight]] = {
        "plain": [],
        "skipped": [],
        "failed": [],
        "current": [],
    }
    pinned: list[PinnedTurn] = []
    for offset, weight in enumerate(weights):
        kind = weight.kind
        if kind == "pinned":
            pinned.append(PinnedTurn(offset=offset, weight=weight))
        else:
            kinds[kind].append(weight)
    return PageTotals(
        turns=len(weights),
        raw_tokens=sum(weight.raw_tokens for weight in weights),
        plain=total(kinds["plain"]),
        skipped=total(kinds["skipped"]),
        failed=total(kinds["failed"]),
        current=total(kinds["current"]),
        pinned=tuple(pinned),
    )


class Scope:
    """``pages`` maps the number of an open page to its turns; every page has its totals."""

    def __init__(
        self, totals: Sequence[PageTotals], pages: Mapping[int, Sequence[TurnWeight]]
    ) -> None:
        self.totals = totals
        self._pages = pages
        self._starts = list(accumulate((page.turns for page in totals), initial=0))
        self._raw_before = list(accumulate((page.raw_tokens for page in totals), initial=0))
        self.turns = self._starts[-1]
        self.raw_tokens = self._raw_before[-1]

    @staticmethod
    def of(weights: Sequence[TurnWeight]) -> Scope:
        """A scope that is wholly open, for histories at hand."""
        starts = range(0, len(weights), PAGE_TURNS)
        pages = [weights[start : start + PAGE_TURNS] for start in starts]
        return Scope([page_totals(page) for page in pages], dict(enumerate(pages)))

    def span(self, number: int) -> range:
        """The indexes of a page's turns."""
        return range(self._starts[number], self._starts[number + 1])

    def page(self, number: int) -> Sequence[TurnWeight]:
        if number not in self._pages:
            raise PageMissing(number)
        page = self._pages[number]
        if len(page) != self.totals[number].turns:
            raise ValueError(f"page {number} and its totals differ in their number of turns")
        return page

    def turn(self, index: int) -> TurnWeight:
        number = bisect_right(self._starts, index) - 1
        return self.page(number)[index - self._starts[number]]

    def pinned(self) -> Iterator[tuple[int, TurnWeight]]:
        for start, page in zip(self._starts, self.totals, strict=False):
            for turn in page.pinned:
                yield start + turn.offset, turn.weight

    def newest_first(
        self, *, visible: bytes | None, covered: range
    ) -> Iterator[tuple[int, TurnWeight, int]]:
        """The visible turns that no summary covers, each with what weighs all before it.

        Pages without any are not opened.
        """
        for number in reversed(range(len(self.totals))):
            span = self.span(number)
            if is_all_hidden(visible, span) or is_within(span, covered):
                continue
            page = self.page(number)
            raw_before = self._raw_before[number + 1]
            for index in reversed(span):
                weight = page[index - span.start]
                raw_before -= weight.raw_tokens
                if index not in covered and (visible is None or visible[index]):
                    yield index, weight, raw_before

    def visible_from(
        self, first: int, *, visible: bytes | None
    ) -> Iterator[tuple[int, TurnWeight]]:
        """The visible turns from an index on, oldest first."""
        for number in range(max(0, bisect_right(self._starts, first) - 1), len(self.totals)):
            span = self.span(number)
            if is_all_hidden(visible, span):
                continue
            page = self.page(number)
            for index in range(max(first, span.start), span.stop):
                if visible is None or visible[index]:
                    yield index, page[index - span.start]


def is_all_hidden(visible: bytes | None, span: range) -> bool:
    return visible is not None and visible.find(1, span.start, span.stop) < 0


def is_all_visible(visible: bytes | None, span: range) -> bool:
    return visible is None or visible.find(0, span.start, span.stop) < 0


def is_within(span: range, outer: range) -> bool:
    return outer.start <= span.start and span.stop <= outer.stop


def is_apart(span: range, other: range) -> bool:
    return span.stop <= other.start or other.stop <= span.start
