"""The turns that a plan names: those from the boundary on, and the pinned ones before it."""

from __future__ import annotations

from collections.abc import Sequence

from windowpane.context.given import PlanInput
from windowpane.context.retention import Retention
from windowpane.context.scope import PinnedTurn
from windowpane.context.standing import standing_before_budget
from windowpane.context.states import PlannedTurn
from windowpane.context.weights import TurnWeight


def named_turns(
    given: PlanInput, retention: Retention, *, start: int | None, pinned: Sequence[PinnedTurn]
) -> list[PlannedTurn]:
    first = given.scope.turns if start is None else start
    turns = [_held(turn) for turn in pinned if turn.index < first]
    for index, weight in given.scope.between(first, given.scope.turns):
        turns.append(_planned(given, index, weight, retention))
    return turns


def _held(turn: PinnedTurn) -> PlannedTurn:
    return PlannedTurn(
        index=turn.index,
        turn_id=turn.weight.turn_id,
        standing="sent",
        raw_tokens=turn.weight.raw_tokens,
        sent_tokens=turn.weight.raw_tokens,
        is_pinned=True,
    )


def _planned(given: PlanInput, index: int, weight: TurnWeight, retention: Retention) -> PlannedTurn:
    standing = standing_before_budget(given, index, weight)
    if standing is None and weight.is_pinned:
        return _held(PinnedTurn(index=index, weight=weight))
    if standing is not None:
        return PlannedTurn(
            index=index,
            turn_id=weight.turn_id,
            standing=standing,
            raw_tokens=weight.raw_tokens,
        )
    removals = retention.removals(index)
    sent_tokens = weight.tokens(removals)
    is_shorter = sent_tokens < weight.raw_tokens
    return PlannedTurn(
        index=index,
        turn_id=weight.turn_id,
        standing="shortened" if is_shorter else "sent",
        raw_tokens=weight.raw_tokens,
        sent_tokens=sent_tokens,
        removed=tuple(sorted(removals)) if is_shorter else (),
    )
