"""Conservation: every turn is counted by standing, so that none is lost.

Pages are counted by their totals; only where a filter, the end of a summary or the age of
retention runs through a page, its turns are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from windowpane.context.scope import (
    PageTotals,
    Scope,
    is_all_hidden,
    is_all_visible,
    is_apart,
    is_within,
    page_totals,
)
from windowpane.context.standing import Rules
from windowpane.context.states import PREDICTED, STANDINGS, PlannedTurn, TurnRange, TurnStanding
from windowpane.context.weights import Totals

INVERTED = bytes.maketrans(b"\0\1", b"\1\0")


class Count:
    """``wanted_tokens`` is what the turns would weigh if they were sent, shortened as by rule."""

    __slots__ = ("raw_tokens", "turns", "wanted_tokens")

    def __init__(self) -> None:
        self.turns = self.raw_tokens = self.wanted_tokens = 0

    def add(self, *, turns: int, raw_tokens: int, wanted_tokens: int) -> None:
        self.turns += turns
        self.raw_tokens += raw_tokens
        self.wanted_tokens += wanted_tokens


class Tally:
    """All turns of a scope but the pinned, by standing before the budget.

    What would go if there were room stands under ``over_budget`` until the named are taken off.
    """

    def __init__(self, scope: Scope, rules: Rules) -> None:
        self._counts: dict[TurnStanding, Count] = {standing: Count() for standing in STANDINGS}
        self._scope = scope
        self._rules = rules
        for number, page in enumerate(scope.totals):
            span = scope.span(number)
            if is_all_hidden(rules.visible, span):
                self._add_hidden(page)
            elif not self._is_alike(span):
                self._add_each(number, span)
            elif is_all_visible(rules.visible, span):
                self._add_shown(page, span)
            else:
                self._add_mixed(number, span)

    @property
    def candidate_tokens(self) -> int:
        """What all turns that could go weigh, as they would go."""
        return self._count("over_budget").wanted_tokens

    def unnamed(self, named: Iterable[PlannedTurn], *, start: int | None) -> tuple[TurnRange, ...]:
        """What is left when the named turns are taken off."""
        for turn in named:
            if not turn.is_pinned:
                count = self._count("over_budget" if turn.standing in PREDICTED else turn.standing)
                count.turns -= 1
                count.raw_tokens -= turn.raw_tokens
        return tuple(
            TurnRange(
                first_index=span.start,
                last_index=span.stop - 1,
                standing=standing,
                turns=count.turns,
                raw_tokens=count.raw_tokens,
            )
            for standing in STANDINGS
            if (count := self._count(standing)).turns
            for span in (self._span(standing, start),)
        )

    def _span(self, standing: TurnStanding, start: int | None) -> range:
        """Where unnamed turns can lie: hidden ones anywhere, shown ones before the start."""
        if standing == "summarised":
            return self._rules.covered
        turns = self._scope.turns
        return range(turns if standing == "filtered" or start is None else start)

    def _is_alike(self, span: range) -> bool:
        """Whether no summary ends and no retention begins inside a page."""
        retention, covered = self._rules.retention, self._rules.covered
        return (
            (is_apart(span, covered) or is_within(span, covered))
            and not span.start < retention.reasoning_from < span.stop
            and not span.start < retention.tools_from < span.stop
        )

    def _add_hidden(self, hidden: PageTotals) -> None:
        self._count("filtered").add(
            turns=hidden.turns, raw_tokens=hidden.raw_tokens, wanted_tokens=0
        )

    def _add_shown(self, shown: PageTotals, span: range) -> None:
        is_covered = span.start in self._rules.covered
        removals = self._rules.retention.removals(span.start)
        kinds: tuple[tuple[TurnStanding, Totals], ...] = (
            ("over_budget", shown.plain),
            ("skipped", shown.skipped),
            ("failed", shown.failed),
            ("current", shown.current),
        )
        for standing, totals in kinds:
            # Most pages hold one kind, and a long chat has a hundred of them.
            if not totals.turns:
                continue
            self._count("summarised" if is_covered else standing).add(
                turns=totals.turns,
                raw_tokens=totals.raw_tokens,
                wanted_tokens=totals.tokens(removals),
            )

    def _add_mixed(self, number: int, span: range) -> None:
        """Of shown and hidden turns the fewer are counted; the others are the rest of the page."""
        assert self._rules.visible is not None, "a page is mixed under a filter only"
        mask = self._rules.visible[span.start : span.stop]
        page, totals = self._scope.page(number), self._scope.totals[number]
        if 2 * mask.count(1) <= len(mask):
            shown = page_totals(list(compress(page, mask)))
            hidden = totals.without(shown)
        else:
            hidden = page_totals(list(compress(page, mask.translate(INVERTED))))
            shown = totals.without(hidden)
        self._add_shown(shown, span)
        self._add_hidden(hidden)

    def _add_each(self, number: int, span: range) -> None:
        for index, weight in zip(span, self._scope.page(number), strict=True):
            standing = self._rules.standing(index, weight)
            if standing is None and weight.is_pinned:
                continue
            self._count(standing or "over_budget").add(
                turns=1,
                raw_tokens=weight.raw_tokens,
                wanted_tokens=weight.tokens(self._rules.retention.removals(index)),
            )

    def _count(self, standing: TurnStanding) -> Count:
        return self._counts[standing]
