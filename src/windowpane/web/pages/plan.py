"""What the model sees, for the page: the counter, and for every turn on screen where it stands."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import Parameter
from msgspec import Struct

from windowpane.asking import PlanRequest
from windowpane.context.counting import turn_counter
from windowpane.context.estimate import estimate_sentence
from windowpane.context.plan import ContextPlan
from windowpane.context.states import IN_REQUEST, PlannedTurn, TurnStanding
from windowpane.context.words import counter_details, left_out_sentence, reason
from windowpane.workspace import Workspace

BADGES: dict[TurnStanding, str] = {
    "over_budget": "off · over budget",
    "trimmed": "off · trimmed",
    "filtered": "off · filtered",
    "skipped": "off · skipped",
    "summarised": "summarised",
    "failed": "off · no answer",
    "shortened": "shortened",
}
Depth = Annotated[int, Parameter(ge=0, le=2**53)]


class TurnSight(Struct, frozen=True, kw_only=True):
    id: str
    standing: TurnStanding
    badge: str
    reason: str


class ContextSight(Struct, frozen=True, kw_only=True):
    """``begins_at`` is the turn where the context begins, if turns before it are out.

    With ``is_all_out`` there is no such turn: it begins with the next message.
    ``price`` is what the next send would cost, in words; null where that must be looked up first.
    """

    counter: str
    details: dict[str, str]
    sentence: str
    begins_at: str
    is_all_out: bool
    price: str | None
    turns: list[TurnSight]


@get("/chats/{chat_id:str}/plan", include_in_schema=False)
async def plan_view(
    workspace: Workspace, chat_id: str, first: Depth = 0, end: Depth = 0
) -> ContextSight:
    priced = await workspace.sight(chat_id, PlanRequest(), first=first, end=end)
    plan = priced.sight.plan
    first_sent = _first_sent(plan)
    has_left = any(span.standing == "over_budget" for span in plan.ranges)
    return ContextSight(
        counter=turn_counter(plan).text,
        details=counter_details(plan),
        sentence=left_out_sentence(plan),
        begins_at=first_sent.turn_id if has_left and first_sent else "",
        is_all_out=has_left and first_sent is None,
        price=estimate_sentence(priced.estimate) if priced.estimate else None,
        turns=[_turn_sight(plan, turn) for turn in priced.sight.shown],
    )


def _turn_sight(plan: ContextPlan, turn: PlannedTurn) -> TurnSight:
    badge = "pinned" if turn.is_pinned else BADGES.get(turn.standing, "")
    return TurnSight(
        id=turn.turn_id, standing=turn.standing, badge=badge, reason=reason(plan, turn)
    )


def _first_sent(plan: ContextPlan) -> PlannedTurn | None:
    """A pinned turn is sent wherever it stands, so the context does not begin with it."""
    sent = (turn for turn in plan.turns if turn.standing in IN_REQUEST and not turn.is_pinned)
    return next(sent, None)
