"""Turns on a screen: where each of some turns stands in a plan, also those it does not name."""

from __future__ import annotations

from windowpane.context.given import PlanInput
from windowpane.context.plan import ContextPlan
from windowpane.context.standing import rules_of
from windowpane.context.states import PlannedTurn


def shown_turns(
    given: PlanInput, ready: ContextPlan, *, first: int, end: int
) -> tuple[PlannedTurn, ...]:
    """The turns from an index up to another. Raises ``PageMissing`` as ``plan`` does."""
    named = {turn.index: turn for turn in ready.turns}
    rules = rules_of(given)
    shown: list[PlannedTurn] = []
    for index in range(max(0, first), min(end, given.scope.turns)):
        weight = given.scope.turn(index)
        shown.append(
            named.get(index)
            or PlannedTurn(
                index=index,
                turn_id=weight.turn_id,
                standing=rules.standing(index, weight) or "over_budget",
                raw_tokens=weight.raw_tokens,
            )
        )
    return tuple(shown)
