"""Conservation: the turns that a plan does not name, counted by standing, so that none is lost."""

from __future__ import annotations

from windowpane.context.given import PlanInput
from windowpane.context.scope import PAGE_TURNS
from windowpane.context.standing import is_summarised, standing_before_budget
from windowpane.context.states import TurnRange, TurnStanding
from windowpane.context.weights import NOTHING, Totals


def unnamed_ranges(given: PlanInput, *, start: int | None, named: set[int]) -> list[TurnRange]:
    end = given.scope.turns if start is None else start
    tally = Tally()
    for number, totals in enumerate(given.scope.totals):
        first, last = number * PAGE_TURNS, number * PAGE_TURNS + totals.all.turns - 1
        if first >= end:
            break
        is_whole = last < end and given.visible is None and not _cuts(given, first, last)
        if is_whole and is_summarised(given, last):
            tally.add("summarised", first, last, totals.plain + totals.skipped + totals.unanswered)
        elif is_whole:
            tally.add("over_budget", first, last, totals.plain)
            tally.add("skipped", first, last, totals.skipped)
            tally.add("failed", first, last, totals.unanswered)
        else:
            _tally_each(tally, given, first=first, end=min(end, last + 1), named=named)
    return tally.ranges()


def _cuts(given: PlanInput, first: int, last: int) -> bool:
    """Whether the summary ends inside a page, or its turns differ in another way."""
    return given.summary is not None and first <= given.summary.last_index < last


def _tally_each(tally: Tally, given: PlanInput, *, first: int, end: int, named: set[int]) -> None:
    for index, weight in given.scope.between(first, end):
        if index not in named:
            standing = standing_before_budget(given, index, weight) or "over_budget"
            tally.add(standing, index, index, Totals(turns=1, raw_tokens=weight.raw_tokens))


class Tally:
    """Adds up turns by standing, over the span in which they occur."""

    def __init__(self) -> None:
        self._ranges: dict[TurnStanding, TurnRange] = {}

    def add(self, standing: TurnStanding, first: int, last: int, totals: Totals) -> None:
        if not totals.turns:
            return
        known = self._ranges.get(standing)
        self._ranges[standing] = TurnRange(
            first_index=min(first, known.first_index) if known else first,
            last_index=max(last, known.last_index) if known else last,
            standing=standing,
            totals=(known.totals if known else NOTHING) + totals,
        )

    def ranges(self) -> list[TurnRange]:
        return sorted(self._ranges.values(), key=lambda one: one.first_index)
