"""Two plans, and what became of each turn between them: which left, which came, by which rule.

Also where the shared prefix ends, since that is what a provider's cache lives on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from windowpane.context.plan import ContextPlan
from windowpane.context.request import ModelRequest
from windowpane.context.states import IN_REQUEST, PlannedTurn, TurnStanding

Rule = Literal[
    "model",
    "limits",
    "system",
    "tools",
    "summary",
    "settings",
    "retention",
    "filter",
    "pin",
    "skip",
    "budget",
    "draft",
    "deletion",
    "failure",
    "reply",
]

RULE_OF: dict[TurnStanding, Rule] = {
    "filtered": "filter",
    "summarised": "summary",
    "skipped": "skip",
    "failed": "failure",
    "current": "reply",
    "over_budget": "budget",
    "trimmed": "draft",
    "shortened": "retention",
    "sent": "budget",
}


class TurnChange(Struct, frozen=True, kw_only=True):
    """A turn whose place in the request changed. None: it was not there at all."""

    turn_id: str
    before: TurnStanding | None
    after: TurnStanding | None
    rule: Rule
    tokens: int


class PlanDiff(Struct, frozen=True, kw_only=True):
    """``causes`` are the inputs that changed; ``changes`` what that did to single turns."""

    causes: tuple[Rule, ...]
    left: tuple[TurnChange, ...]
    came: tuple[TurnChange, ...]
    shortened: tuple[TurnChange, ...]

    @property
    def rules(self) -> frozenset[Rule]:
        changes = (*self.left, *self.came, *self.shortened)
        return frozenset((*self.causes, *(change.rule for change in changes)))


def plan_diff(before: ContextPlan, after: ContextPlan) -> PlanDiff:
    old, new = _by_id(before), _by_id(after)
    left = [_change(old[id], new.get(id), after) for id in old if _left(old[id], new.get(id))]
    came = [_change(old.get(id), new[id], after) for id in new if _left(new[id], old.get(id))]
    shorter = [
        _change(old[id], new[id], after)
        for id in old
        if id in new and new[id].standing == "shortened" and old[id].removed != new[id].removed
    ]
    return PlanDiff(
        causes=_causes(before, after),
        left=tuple(left),
        came=tuple(came),
        shortened=tuple(change for change in shorter if change not in came),
    )


def _by_id(plan: ContextPlan) -> dict[str, PlannedTurn]:
    return {turn.turn_id: turn for turn in plan.turns}


def _left(turn: PlannedTurn, other: PlannedTurn | None) -> bool:
    return turn.standing in IN_REQUEST and (other is None or other.standing not in IN_REQUEST)


def _change(before: PlannedTurn | None, after: PlannedTurn | None, plan: ContextPlan) -> TurnChange:
    shown = after or before
    assert shown is not None, "a change is of some turn"
    standing = after.standing if after else _standing_of(plan, shown)
    return TurnChange(
        turn_id=shown.turn_id,
        before=before.standing if before else None,
        after=standing,
        rule=_rule(before, standing),
        tokens=shown.raw_tokens,
    )


def _rule(before: PlannedTurn | None, after: TurnStanding | None) -> Rule:
    """What decided: where the turn is out now, that rule; where it came in, what had held it."""
    if after is None:
        return "deletion"
    if after not in IN_REQUEST or after == "shortened":
        return RULE_OF[after]
    if before is None:
        return "reply"
    return RULE_OF[before.standing]


def _standing_of(plan: ContextPlan, turn: PlannedTurn) -> TurnStanding | None:
    """A turn that is not named any more stands in one of the ranges, or was deleted.

    Ranges may overlap; the one whose rule is most likely to move a turn is named.
    """
    spans = [one for one in plan.ranges if one.first_index <= turn.index <= one.last_index]
    order: Sequence[TurnStanding] = ("summarised", "filtered", "over_budget", "skipped", "failed")
    return next((kind for kind in order for span in spans if span.standing == kind), None)


def _causes(before: ContextPlan, after: ContextPlan) -> tuple[Rule, ...]:
    compared: tuple[tuple[Rule, object, object], ...] = (
        ("model", before.model, after.model),
        ("limits", before.budget, after.budget),
        ("system", before.system, after.system),
        ("tools", before.tools, after.tools),
        ("summary", before.summary, after.summary),
        ("settings", before.settings, after.settings),
    )
    return tuple(rule for rule, old, new in compared if old != new)


class PrefixDiff(Struct, frozen=True, kw_only=True):
    """How much of an earlier request the later one repeats from its beginning.

    ``broke_at`` names the first thing that differs; None: the whole earlier request is repeated.
    """

    shared_messages: int
    broke_at: str | None


def prefix_diff(before: ModelRequest, after: ModelRequest) -> PrefixDiff:
    if before.model != after.model:
        return PrefixDiff(shared_messages=0, broke_at="the model")
    if before.tools != after.tools:
        return PrefixDiff(shared_messages=0, broke_at="the tool definitions")
    if before.system != after.system:
        return PrefixDiff(shared_messages=0, broke_at="the system prompt")
    for place, (old, new) in enumerate(zip(before.messages, after.messages, strict=False)):
        if old != new:
            return PrefixDiff(shared_messages=place, broke_at=old.id)
    shared = min(len(before.messages), len(after.messages))
    is_whole = shared == len(before.messages)
    return PrefixDiff(
        shared_messages=shared, broke_at=None if is_whole else before.messages[shared].id
    )
