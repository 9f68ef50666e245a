"""The turns that a plan names: the shown ones from the boundary on, and the pinned before it."""

from __future__ import annotations

from collections.abc import Mapping

from windowpane.context.given import PlanInput
from windowpane.context.standing import Rules
from windowpane.context.states import PlannedTurn
from windowpane.context.weights import TurnWeight


def named_turns(
    given: PlanInput, rules: Rules, *, start: int | None, pinned: Mapping[int, TurnWeight]
) -> list[PlannedTurn]:
    first = given.scope.turns if start is None else start
    turns = [_held(index, weight) for index, weight in pinned.items() if index < first]
    for index, weight in given.scope.visible_from(first, visible=rules.visible):
        turns.append(_planned(index, weight, rules))
    return turns


def _held(index: int, weight: TurnWeight) -> PlannedTurn:
    return PlannedTurn(
        index=index,
        turn_id=weight.turn_id,
        standing="sent",
        raw_tokens=weight.raw_tokens,
        sent_tokens=weight.raw_tokens,
        is_pinned=True,
    )


def _planned(index: int, weight: TurnWeight, rules: Rules) -> PlannedTurn:
    standing = rules.standing(index, weight)
    if standing is not None:
        return PlannedTurn(
            index=index, turn_id=weight.turn_id, standing=standing, raw_tokens=weight.raw_tokens
        )
    if weight.is_pinned:
        return _held(index, weight)
    removals = rules.retention.removals(index)
    sent_tokens = weight.tokens(removals)
    # What would save nothing is not left out.
    is_shorter = sent_tokens < weight.raw_tokens
    return PlannedTurn(
        index=index,
        turn_id=weight.turn_id,
        standing="shortened" if is_shorter else "sent",
        raw_tokens=weight.raw_tokens,
        sent_tokens=sent_tokens,
        removed=tuple(sorted(removals)) if is_shorter else (),
    )
