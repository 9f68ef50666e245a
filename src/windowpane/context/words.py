"""A plan in plain sentences.

The page and the command line both say these; they decide nothing and draw nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from windowpane.context.counting import standing_counts, turn_counter
from windowpane.context.emission import Removal
from windowpane.context.plan import ContextPlan
from windowpane.context.states import IN_REQUEST, PlannedTurn, TurnStanding

REASONS: dict[TurnStanding, str] = {
    "filtered": "the filter hides it",
    "summarised": "the summary stands for it",
    "skipped": "you skipped it",
    "failed": "it has no answer",
    "current": "it is being answered",
    "over_budget": "it does not fit the budget",
    "trimmed": "it made room for this message",
    "shortened": "it fits, shortened",
    "sent": "it fits",
}
TOOLS_PART = "tool definitions"
WILL_BE_SUMMARISED = "it will be summarised on send"
PINNED = "you pinned it"

_LEFT_OUT: dict[TurnStanding, str] = {
    "over_budget": "over budget",
    "trimmed": "trimmed for this message",
    "summarised": "summarised",
    "skipped": "skipped",
    "failed": "without an answer",
    "filtered": "hidden by the filter",
}
_REMOVED: dict[Removal, str] = {
    "reasoning": "reasoning",
    "tools": "tool calls and their results",
}


def reason(plan: ContextPlan, turn: PlannedTurn) -> str:
    """Why a named turn is in or out, in a few words."""
    if turn.is_pinned and turn.standing in IN_REQUEST:
        return PINNED
    if turn.standing == "shortened":
        return f"{_without(turn.removed)} left out: {turn.removed_tokens:,} tokens"
    return standing_reason(plan, turn.standing)


def standing_reason(plan: ContextPlan, standing: TurnStanding) -> str:
    if standing == "over_budget" and plan.next_step == "compress":
        return WILL_BE_SUMMARISED
    return REASONS[standing]


def turn_sentence(plan: ContextPlan, turn: PlannedTurn) -> str:
    is_in = "is sent" if turn.standing in IN_REQUEST else "is not sent"
    return f"Turn {turn.index + 1} {is_in}: {reason(plan, turn)}."


def left_out_sentence(plan: ContextPlan) -> str:
    """What of the scope is not in the request."""
    counts = standing_counts(plan)
    pieces = [
        f"{_counted(counts[standing].turns)} {words} ({counts[standing].raw_tokens:,} tokens)"
        for standing, words in _LEFT_OUT.items()
        if standing in counts
    ]
    if plan.current.removed_rounds:
        rounds = plan.current.removed_rounds
        pieces.append(f"{rounds} older tool round{_s(rounds)} of this turn")
    return f"Left out: {', '.join(pieces)}." if pieces else "Nothing is left out."


def weight_sentence(plan: ContextPlan) -> str:
    usable = plan.budget.usable_tokens
    if usable is None:
        return f"{plan.total_tokens:,} tokens; nobody said how many {plan.model} takes."
    percent = 100 * plan.total_tokens // usable if usable else 100
    return f"{plan.total_tokens:,} of {usable:,} usable tokens ({percent} %)."


def counter_details(plan: ContextPlan) -> dict[str, str]:
    """What the counter's tooltip tells, name by name."""
    limit = plan.budget.usable_tokens
    return {
        "Predicted": f"{_counted(plan.predicted_turns)}, {plan.predicted_tokens:,} tokens",
        "Trimmed": _counted(plan.trimmed_turns),
        "Sent": _counted(plan.predicted_turns - plan.trimmed_turns),
        "Visible": _counted(plan.visible_turns),
        "Allowance": f"{plan.budget.allowance_tokens:,} tokens",
        "Draft": f"{plan.current.sent_tokens:,} tokens",
        "Limit": "unknown" if limit is None else f"{limit:,} tokens",
    }


def explanation(plan: ContextPlan) -> str:
    """The whole plan, readable in a terminal: the weight, the parts, every named turn."""
    lines = [f"{plan.model}: {turn_counter(plan).text} turns, {weight_sentence(plan)}"]
    if plan.unsendable is not None:
        lines.append(plan.unsendable.message)
    for name, tokens in _parts(plan):
        lines += [f"  {tokens:>9,}  {name}"] if tokens else []
        lines += _tool_lines(plan) if name == TOOLS_PART else []
    lines.append(left_out_sentence(plan))
    lines += [f"  turn {turn.index + 1:<5} {_row(plan, turn)}" for turn in plan.turns]
    return "\n".join(lines)


def _parts(plan: ContextPlan) -> tuple[tuple[str, int], ...]:
    return (
        ("system prompt", plan.fixed.system_tokens),
        (TOOLS_PART, plan.fixed.tools_tokens),
        ("summary", plan.fixed.summary_tokens),
        ("pinned turns", plan.fixed.pinned_tokens),
        ("history", plan.history_tokens),
        ("this message", plan.current.sent_tokens),
        ("beginning of the answer", plan.fixed.prefill_tokens),
    )


def _tool_lines(plan: ContextPlan) -> list[str]:
    """Each tool under the line of them all; its prompt is counted with the system prompt."""
    return [
        f"  {weight.definition_tokens:>9,}    {weight.name}"
        + (f", and {weight.prompt_tokens:,} in the system prompt" if weight.prompt_tokens else "")
        for weight in plan.tool_weights
    ]


def _row(plan: ContextPlan, turn: PlannedTurn) -> str:
    tokens = turn.sent_tokens if turn.standing in IN_REQUEST else turn.raw_tokens
    return f"{turn.standing:<12} {tokens:>9,}  {reason(plan, turn)}"


def _without(removed: Sequence[Removal]) -> str:
    return " and ".join(_REMOVED[removal] for removal in removed)


def _counted(turns: int) -> str:
    return f"{turns:,} turn{_s(turns)}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
