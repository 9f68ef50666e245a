"""Two plans, and what became of each turn between them: which left, which came, by which rule.

Also where the shared prefix of two requests ends, since that is what a provider's cache lives on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from windowpane.context.given import PlanInput
from windowpane.context.marks import shared_messages
from windowpane.context.outline import Outline
from windowpane.context.request import ModelRequest
from windowpane.context.standing import rules_of
from windowpane.context.states import IN_REQUEST, STANDINGS, PlannedTurn, TurnStanding

Cause = Literal["model", "limits", "system", "tools", "summary", "settings", "filter", "scope"]
Rule = Literal[
    "filter",
    "summary",
    "skip",
    "failure",
    "reply",
    "budget",
    "draft",
    "retention",
    "deletion",
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

# Where a turn stands that a plan does not name; None: it is not there.
Whereabouts = Callable[[str], TurnStanding | None]


class TurnChange(Struct, frozen=True, kw_only=True):
    """A turn whose part in the request changed; ``index`` as in the plan that names it last.

    ``before`` None: it was not there yet. ``after`` None: it was deleted.
    """

    turn_id: str
    index: int
    before: TurnStanding | None
    after: TurnStanding | None
    rule: Rule
    tokens: int


class PlanDiff(Struct, frozen=True, kw_only=True):
    """``causes`` are the inputs that changed; the rest is what that did to single turns."""

    causes: tuple[Cause, ...]
    model: str
    left: tuple[TurnChange, ...]
    came: tuple[TurnChange, ...]
    reshaped: tuple[TurnChange, ...]

    @property
    def rules(self) -> frozenset[Rule | Cause]:
        changes = (*self.left, *self.came, *self.reshaped)
        return frozenset((*self.causes, *(change.rule for change in changes)))


def plan_diff(
    before: Outline,
    after: Outline,
    *,
    whereabouts_before: Whereabouts,
    whereabouts_after: Whereabouts,
) -> PlanDiff:
    old, new = _by_id(before.turns), _by_id(after.turns)
    return PlanDiff(
        causes=_causes(before, after),
        model=after.model,
        left=tuple(
            _left(turn, new.get(id), whereabouts_after)
            for id, turn in old.items()
            if _is_sent(turn) and not _is_sent(new.get(id))
        ),
        came=tuple(
            _came(old.get(id), turn, whereabouts_before)
            for id, turn in new.items()
            if _is_sent(turn) and not _is_sent(old.get(id))
        ),
        reshaped=tuple(
            _reshaped(old[id], turn)
            for id, turn in new.items()
            if _is_sent(turn) and _is_sent(old.get(id)) and old[id].removed != turn.removed
        ),
    )


def whereabouts(given: PlanInput, *, index_of: Callable[[str], int | None]) -> Whereabouts:
    """Exact, from what a plan was given; ``index_of`` finds a turn's place in its scope."""
    rules = rules_of(given)

    def standing(turn_id: str) -> TurnStanding | None:
        index = index_of(turn_id)
        if index is None:
            return None
        return rules.standing(index, given.scope.turn(index)) or "over_budget"

    return standing


def remembered(plan: Outline, *, index_of: Callable[[str], int | None]) -> Whereabouts:
    """From a plan or a receipt alone: where ranges overlap, the first by precedence is taken."""
    ranges = {one.standing: range(one.first_index, one.last_index + 1) for one in plan.ranges}

    def standing(turn_id: str) -> TurnStanding | None:
        index = index_of(turn_id)
        if index is None or index >= plan.scope_turns:
            return None
        return next((kind for kind in STANDINGS if index in ranges.get(kind, ())), None)

    return standing


def _by_id(turns: Iterable[PlannedTurn]) -> dict[str, PlannedTurn]:
    return {turn.turn_id: turn for turn in turns}


def _is_sent(turn: PlannedTurn | None) -> bool:
    """The turn in flight is in the request too, though not as history."""
    return turn is not None and (turn.standing in IN_REQUEST or turn.standing == "current")


def _left(before: PlannedTurn, after: PlannedTurn | None, where: Whereabouts) -> TurnChange:
    standing = after.standing if after else where(before.turn_id)
    return TurnChange(
        turn_id=before.turn_id,
        index=after.index if after else before.index,
        before=before.standing,
        after=standing,
        rule="deletion" if standing is None else RULE_OF[standing],
        tokens=before.sent_tokens,
    )


def _came(before: PlannedTurn | None, after: PlannedTurn, where: Whereabouts) -> TurnChange:
    standing = before.standing if before else where(after.turn_id)
    return TurnChange(
        turn_id=after.turn_id,
        index=after.index,
        before=standing,
        after=after.standing,
        rule="reply" if standing is None else RULE_OF[standing],
        tokens=after.sent_tokens,
    )


def _reshaped(before: PlannedTurn, after: PlannedTurn) -> TurnChange:
    return TurnChange(
        turn_id=after.turn_id,
        index=after.index,
        before=before.standing,
        after=after.standing,
        rule="retention",
        tokens=after.sent_tokens,
    )


def _causes(before: Outline, after: Outline) -> tuple[Cause, ...]:
    compared: tuple[tuple[Cause, object, object], ...] = (
        ("model", before.model, after.model),
        ("limits", before.budget, after.budget),
        ("system", before.system, after.system),
        ("tools", before.tools, after.tools),
        ("summary", before.summary, after.summary),
        ("settings", before.settings, after.settings),
        ("filter", before.filter_text, after.filter_text),
        ("scope", before.scope, after.scope),
    )
    return tuple(cause for cause, old, new in compared if old != new)


class PrefixDiff(Struct, frozen=True, kw_only=True):
    """How much of an earlier request the later one repeats from its beginning.

    ``broke_at`` names the first thing that differs: ``model``, ``tools``, ``system`` or the id of
    a message; None: the whole earlier request is repeated.
    """

    shared_messages: int
    broke_at: str | None


def prefix_diff(before: ModelRequest, after: ModelRequest) -> PrefixDiff:
    for name, old, new in (
        ("model", before.model, after.model),
        ("tools", before.tools, after.tools),
        ("system", before.system, after.system),
    ):
        if old != new:
            return PrefixDiff(shared_messages=0, broke_at=name)
    shared = shared_messages(before.messages, after.messages)
    is_whole = shared == len(before.messages)
    return PrefixDiff(
        shared_messages=shared, broke_at=None if is_whole else before.messages[shared].id
    )
