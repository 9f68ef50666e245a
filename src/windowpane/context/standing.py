"""Candidates, checkpoint and the user's choice: the rules that act before the budget does."""

from __future__ import annotations

from collections.abc import Iterator

from windowpane.context.boundary import Candidate
from windowpane.context.given import PlanInput
from windowpane.context.retention import Retention
from windowpane.context.scope import PAGE_TURNS, is_pinned_in
from windowpane.context.states import TurnStanding
from windowpane.context.weights import TurnWeight


def is_visible(given: PlanInput, index: int) -> bool:
    return given.visible is None or given.visible[index] == 1


def is_summarised(given: PlanInput, index: int) -> bool:
    return given.summary is not None and index <= given.summary.last_index


def standing_before_budget(given: PlanInput, index: int, weight: TurnWeight) -> TurnStanding | None:
    """The first rule that keeps a turn out, in the order of precedence; None: a candidate."""
    if not is_visible(given, index):
        return "filtered"
    if is_summarised(given, index) and not is_pinned_in(weight):
        return "summarised"
    if weight.is_skipped:
        return "skipped"
    if weight.is_unanswered:
        return "failed"
    return "current" if weight.is_current else None


def candidates(given: PlanInput, retention: Retention) -> Iterator[Candidate]:
    """Newest first; the summary's end is where the walk ends."""
    for index, weight in given.scope.newest_first():
        if is_summarised(given, index):
            return
        if standing_before_budget(given, index, weight) is None and not weight.is_pinned:
            yield Candidate(index, weight.tokens(retention.removals(index)))


def past_turns(given: PlanInput) -> int:
    """How many turns lie behind; the one in flight is not among them."""
    turns = given.scope.turns
    if turns and given.scope.page((turns - 1) // PAGE_TURNS)[-1].is_current:
        return turns - 1
    return turns
