"""A plan and the contents of its turns → the request, message by message.

Nothing is decided here any more. Topic, star and flag never enter the text.
"""

from __future__ import annotations

from collections.abc import Mapping

from windowpane.context.emission import Removal, emitted
from windowpane.context.marks import cache_marks
from windowpane.context.plan import ContextPlan
from windowpane.context.request import ModelRequest
from windowpane.context.states import IN_REQUEST, PlannedTurn
from windowpane.messages import Message
from windowpane.turns import TurnContent

SUMMARY_HEADING = "Previous Conversation Summary:"


def assemble(
    plan: ContextPlan,
    contents: Mapping[str, TurnContent],
    *,
    max_output_tokens: int | None,
    frozen_mark_at: str | None,
) -> ModelRequest:
    """The request of a sendable plan. ``contents`` holds at least the turns that are sent."""
    if plan.unsendable is not None:
        raise ValueError(f"this plan cannot be sent: {plan.unsendable.code}")
    messages: list[Message] = []
    stable_ids: list[str] = []
    is_stable = True
    for turn in plan.turns:
        if turn.standing not in IN_REQUEST:
            continue
        sent = emitted(contents[turn.turn_id].messages, frozenset(turn.removed))
        is_stable = is_stable and _is_settled(plan, turn, contents[turn.turn_id])
        messages.extend(sent)
        if is_stable:
            stable_ids.extend(message.id for message in sent)
    messages.extend(plan.current)
    return ModelRequest(
        model=plan.model,
        system=_system(plan),
        tools=plan.tools,
        messages=tuple(messages),
        marks=cache_marks(stable_ids, mode=plan.settings.cache_mode, frozen_at=frozen_mark_at),
        max_output_tokens=max_output_tokens,
    )


def _is_settled(plan: ContextPlan, turn: PlannedTurn, content: TurnContent) -> bool:
    """Whether no retention rule can change this turn any more."""
    if turn.is_pinned or turn.index < plan.retention.settled_before:
        return True
    may_lose = frozenset(_losable(plan) - set(turn.removed))
    return not may_lose or emitted(content.messages, may_lose) == content.messages


def _losable(plan: ContextPlan) -> set[Removal]:
    losable: set[Removal] = set()
    if plan.settings.reasoning_turns is not None:
        losable.add("reasoning")
    if plan.settings.tool_turns is not None:
        losable.add("tools")
    return losable


def _system(plan: ContextPlan) -> str:
    texts = [plan.system]
    if plan.summary is not None:
        texts.append(f"{SUMMARY_HEADING}\n{plan.summary.text}")
    return "\n\n".join(text for text in texts if text.strip())
