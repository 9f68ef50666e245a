"""The plan: one pure function decides what is sent, and says of every turn why.

The screen, the counter, the lens, the command line and the adapters read the same value. The
steps stand below in the order in which they act; each has a file of its own.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, structs

from windowpane.context.boundary import boundary, step_tokens_of
from windowpane.context.budget import Budget
from windowpane.context.checkpoint import summary_in_view
from windowpane.context.current import CurrentTurn, current_turn
from windowpane.context.fixed import FixedTokens, fixed_tokens, history_room_tokens
from windowpane.context.given import ActiveSummary, PlanInput, PlanSettings
from windowpane.context.naming import named_turns
from windowpane.context.ranges import Tally
from windowpane.context.request import ToolDefinition
from windowpane.context.retention import Retention
from windowpane.context.spelling import spelled
from windowpane.context.standing import Rules, candidates, past_turns, rules_of
from windowpane.context.states import IN_REQUEST, PREDICTED, PlannedTurn, TurnRange
from windowpane.context.toolset import ToolWeight, tool_weights
from windowpane.context.trim import Unsendable, trimmed, unsendable
from windowpane.topics import ViewScope

NextStep = Literal["send", "compress", "ask", "hold"]


class ContextPlan(Struct, frozen=True, kw_only=True):
    """What the next request contains, and for every turn why it is in or out.

    ``turns`` names the shown turns from the boundary on and the pinned ones; ``ranges`` counts
    the others. ``start_index`` is where the context begins; the drawn boundary stands there, also
    when a large draft trims. ``floor_index`` is what the next plan is given if only replies come
    in between: behind everything when nothing is in. Predicted turns and tokens are those before
    trimming.
    ``fixed`` holds the pinned turns, ``history_tokens`` the other turns that are sent.
    ``demand_tokens`` is what the request would weigh if everything fitted.
    """

    model: str
    scope: ViewScope
    filter_text: str
    budget: Budget
    settings: PlanSettings
    system: str
    tools: tuple[ToolDefinition, ...]
    tool_weights: tuple[ToolWeight, ...]
    summary: ActiveSummary | None
    prefill: str
    current: CurrentTurn
    turns: tuple[PlannedTurn, ...]
    ranges: tuple[TurnRange, ...]
    retention: Retention
    fixed: FixedTokens
    predicted_turns: int
    predicted_tokens: int
    trimmed_turns: int
    history_tokens: int
    total_tokens: int
    demand_tokens: int
    scope_turns: int
    visible_turns: int
    start_index: int | None
    floor_index: int
    is_newest_hidden: bool
    is_full: bool
    next_step: NextStep
    unsendable: Unsendable | None

    @property
    def sent_turn_ids(self) -> list[str]:
        return [turn.turn_id for turn in self.turns if turn.standing in IN_REQUEST]


def plan(given: PlanInput) -> ContextPlan:
    given.check()
    if given.settings.spells_calls:
        given = structs.replace(given, current=spelled(given.current))
    rules = rules_of(given)
    summary = summary_in_view(given)
    pinned = {index: turn for index, turn in given.scope.pinned() if rules.is_visible(index)}
    fixed = fixed_tokens(given, summary=summary, pinned=pinned.values())
    start = _start(given, rules, fixed)
    predicted = named_turns(given, rules, start=start, pinned=pinned)
    current = current_turn(given, room_tokens=_left(given.limit_tokens, fixed))
    turns = trimmed(predicted, given, fixed=fixed, current=current)
    tally = Tally(given.scope, rules)
    demand_tokens = fixed.total_tokens + tally.candidate_tokens + current.raw_tokens
    history_tokens = sum(turn.sent_tokens for turn in turns if not turn.is_pinned)
    obstacle = unsendable(given, fixed=fixed, current=current)
    is_full = _is_full(given.budget, demand_tokens)
    return ContextPlan(
        model=given.model,
        scope=given.view.scope,
        filter_text=given.view.filter_text,
        budget=given.budget,
        settings=given.settings,
        system=given.system,
        tools=given.tools,
        tool_weights=tool_weights(given.tools, given.tool_prompts, counter=given.counter),
        summary=summary,
        prefill=given.prefill,
        current=current,
        turns=tuple(turns),
        ranges=tally.unnamed(turns, start=start),
        retention=rules.retention,
        fixed=fixed,
        predicted_turns=sum(turn.standing in PREDICTED for turn in predicted),
        predicted_tokens=sum(turn.sent_tokens for turn in predicted),
        trimmed_turns=sum(turn.standing == "trimmed" for turn in turns),
        history_tokens=history_tokens,
        total_tokens=fixed.total_tokens + history_tokens + current.sent_tokens,
        demand_tokens=demand_tokens,
        scope_turns=given.scope.turns,
        visible_turns=_visible_turns(given),
        start_index=start,
        floor_index=past_turns(given) if start is None else start,
        is_newest_hidden=_is_newest_hidden(given),
        is_full=is_full,
        next_step=_next_step(given, is_full=is_full, is_blocked=obstacle is not None),
        unsendable=obstacle,
    )


def _start(given: PlanInput, rules: Rules, fixed: FixedTokens) -> int | None:
    room_tokens = history_room_tokens(given, fixed)
    return boundary(
        candidates(given, rules),
        room_tokens=room_tokens,
        floor_index=given.floor_index,
        step_tokens=step_tokens_of(room_tokens, in_steps=given.moves_in_steps),
    )


def _left(limit_tokens: int | None, fixed: FixedTokens) -> int | None:
    return None if limit_tokens is None else limit_tokens - fixed.total_tokens


def _is_full(budget: Budget, demand_tokens: int) -> bool:
    return budget.threshold_tokens is not None and demand_tokens > budget.threshold_tokens


def _next_step(given: PlanInput, *, is_full: bool, is_blocked: bool) -> NextStep:
    """Compression and its question belong to a chat without a filter; else sliding applies."""
    if is_blocked:
        return "hold"
    is_plain_view = given.view.scope == "chat" and given.view.visible is None
    if is_full and is_plain_view and given.settings.when_full != "slide":
        return given.settings.when_full
    return "send"


def _visible_turns(given: PlanInput) -> int:
    visible = given.view.visible
    return given.scope.turns if visible is None else visible.count(1)


def _is_newest_hidden(given: PlanInput) -> bool:
    return given.view.visible is not None and given.view.visible[-1:] == b"\0"
