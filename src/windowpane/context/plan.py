"""The plan: one pure function decides what is sent, and says of every turn why.

The screen, the counter, the lens, the command line and the adapters read the same value. The
steps stand below in the order in which they act; each has a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.context.boundary import boundary
from windowpane.context.budget import Budget
from windowpane.context.fixed import FixedTokens, fixed_tokens, room_tokens
from windowpane.context.given import ActiveSummary, PlanInput, PlanSettings
from windowpane.context.naming import named_turns
from windowpane.context.ranges import unnamed_ranges
from windowpane.context.request import ToolDefinition
from windowpane.context.retention import Retention, retention_of
from windowpane.context.standing import candidates, is_visible, past_turns
from windowpane.context.states import IN_REQUEST, PlannedTurn, TurnRange, TurnStanding
from windowpane.context.trim import Unsendable, current_tokens_of, trimmed, unsendable
from windowpane.messages import Message

PREDICTED: frozenset[TurnStanding] = frozenset({"sent", "shortened", "trimmed"})
DEMANDED: frozenset[TurnStanding] = frozenset({"sent", "shortened", "trimmed", "over_budget"})


class ContextPlan(Struct, frozen=True, kw_only=True):
    """What the next request contains, and for every turn why it is in or out.

    ``turns`` names the turns from the boundary on and the pinned ones; ``ranges`` counts the
    others. ``start_index`` is where the context begins; the drawn boundary stands there, also
    when a large draft trims.
    """

    model: str
    budget: Budget
    settings: PlanSettings
    system: str
    tools: tuple[ToolDefinition, ...]
    summary: ActiveSummary | None
    current: tuple[Message, ...]
    turns: tuple[PlannedTurn, ...]
    ranges: tuple[TurnRange, ...]
    retention: Retention
    fixed: FixedTokens
    history_tokens: int
    current_tokens: int
    demand_tokens: int
    visible_turns: int
    predicted_turns: int
    trimmed_turns: int
    start_index: int | None
    is_newest_hidden: bool
    unsendable: Unsendable | None

    @property
    def total_tokens(self) -> int:
        """What the request weighs."""
        return self.fixed.total + self.history_tokens + self.current_tokens

    @property
    def is_full(self) -> bool:
        """Demand is above the threshold: compression is recommended."""
        threshold = self.budget.threshold_tokens
        return threshold is not None and self.demand_tokens > threshold

    @property
    def sent_turn_ids(self) -> list[str]:
        return [turn.turn_id for turn in self.turns if turn.standing in IN_REQUEST]


def plan(given: PlanInput) -> ContextPlan:
    retention = retention_of(
        past_turns(given),
        reasoning_turns=given.settings.reasoning_turns,
        tool_turns=given.settings.tool_turns,
        in_steps=given.settings.cache_mode == "cached",
    )
    pinned = [turn for turn in given.scope.pinned if is_visible(given, turn.index)]
    fixed = fixed_tokens(given, pinned)
    start = boundary(
        candidates(given, retention),
        room_tokens=room_tokens(given, fixed),
        floor_index=given.floor_index,
        in_steps=given.settings.cache_mode == "cached",
    )
    turns = named_turns(given, retention, start=start, pinned=pinned)
    current_tokens = current_tokens_of(given)
    turns = trimmed(turns, given, fixed=fixed, current_tokens=current_tokens)
    ranges = unnamed_ranges(given, start=start, named={turn.index for turn in turns})
    history = [turn for turn in turns if turn.standing in IN_REQUEST and not turn.is_pinned]
    return ContextPlan(
        model=given.model,
        budget=given.budget,
        settings=given.settings,
        system=given.system,
        tools=given.tools,
        summary=given.summary,
        current=given.current,
        turns=tuple(turns),
        ranges=tuple(ranges),
        retention=retention,
        fixed=fixed,
        history_tokens=sum(turn.sent_tokens for turn in history),
        current_tokens=current_tokens,
        demand_tokens=fixed.total + _candidate_tokens(turns, ranges) + current_tokens,
        visible_turns=_visible_turns(given),
        predicted_turns=sum(turn.standing in PREDICTED for turn in turns),
        trimmed_turns=sum(turn.standing == "trimmed" for turn in turns),
        start_index=start,
        is_newest_hidden=_is_newest_hidden(given),
        unsendable=unsendable(given, fixed=fixed, current_tokens=current_tokens),
    )


def _candidate_tokens(turns: Sequence[PlannedTurn], ranges: Sequence[TurnRange]) -> int:
    """All turns that would go if there were room, as they would go; pinned are in the fixed."""
    named = sum(
        turn.sent_tokens or turn.raw_tokens
        for turn in turns
        if turn.standing in DEMANDED and not turn.is_pinned
    )
    return named + sum(one.totals.raw_tokens for one in ranges if one.standing in DEMANDED)


def _visible_turns(given: PlanInput) -> int:
    return given.scope.turns if given.visible is None else sum(given.visible)


def _is_newest_hidden(given: PlanInput) -> bool:
    return bool(given.visible) and given.visible[-1:] == b"\x00"
