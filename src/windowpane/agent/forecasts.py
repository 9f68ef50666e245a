"""What would be sent and what it would cost, before it is sent: plan, lens, estimate, budgets."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.agent.attempts import Means
from windowpane.agent.budgets import BudgetState
from windowpane.agent.lens import Lens, lens_of
from windowpane.agent.outlooks import Outlooks
from windowpane.agent.planner import Outlook, Sight
from windowpane.agent.receipts import Receipts
from windowpane.asking import PlanRequest, checked_text
from windowpane.context.estimate import SendEstimate, estimate
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.context.states import PREDICTED
from windowpane.context.telemetry import Telemetry, preflight_of
from windowpane.messages import Message


class PricedSight(Struct, frozen=True, kw_only=True):
    """``estimate`` is None where the price would have to be looked up first."""

    sight: Sight
    estimate: SendEstimate | None


class Forecasts:
    def __init__(
        self, means: Means, *, outlooks: Outlooks, receipts: Receipts, limit_bytes: int
    ) -> None:
        self._outlooks = outlooks
        self._planner = means.planner
        self._models = means.models
        self._receipts = receipts
        self._budgets = means.budgets
        self._limit_bytes = limit_bytes
        self._clock = means.clock

    async def plan(self, chat_id: str, request: PlanRequest) -> ContextPlan:
        outlook, draft = await self._ahead(chat_id, request)
        return await self._planner.plan(outlook, draft, overflow=NO_OVERFLOW)

    async def sight(
        self, chat_id: str, request: PlanRequest, *, first: int, end: int
    ) -> PricedSight:
        outlook, draft = await self._ahead(chat_id, request)
        sight = await self._planner.sight(outlook, draft, first=first, end=end)
        is_priced = self._models.knows_price(outlook.model)
        return PricedSight(
            sight=sight, estimate=await self._estimated(outlook, sight.plan) if is_priced else None
        )

    async def estimate(self, chat_id: str, request: PlanRequest) -> SendEstimate:
        outlook, draft = await self._ahead(chat_id, request)
        ready = await self._planner.plan(outlook, draft, overflow=NO_OVERFLOW)
        return await self._estimated(outlook, ready)

    async def telemetry(self, chat_id: str, request: PlanRequest) -> Telemetry:
        outlook, draft = await self._ahead(chat_id, request)
        ready = await self._planner.plan(outlook, draft, overflow=NO_OVERFLOW)
        named = [turn.turn_id for turn in ready.turns if turn.standing in PREDICTED]
        contents = await self._planner.contents.of(named)
        return preflight_of(
            ready,
            model=outlook.model,
            turns={id: content.turn for id, content in contents.items()},
            chars_per_token=outlook.settings.chars_per_token,
        )

    async def lens(self, chat_id: str, request: PlanRequest) -> Lens:
        checked_text(request.draft, limit_bytes=self._limit_bytes)
        written_at = self._clock()
        prospect, draft = await self._outlooks.ahead(chat_id, request, at=written_at)
        outlook = prospect.outlook
        ready = await self._planner.plan(outlook, draft, overflow=NO_OVERFLOW)
        asked = await self._planner.request(outlook, ready, frozen_mark_at=None)
        return lens_of(
            prospect.provider.to_wire(asked),
            asked,
            ready,
            contents=await self._planner.contents.of(ready.sent_turn_ids),
            counter=outlook.counter,
            written_at=written_at,
        )

    async def budgets(self, chat_id: str) -> list[BudgetState]:
        outlook, _ = await self._ahead(chat_id, PlanRequest())
        return await self._budgets.states(outlook.caps, outlook.place)

    async def _ahead(self, chat_id: str, request: PlanRequest) -> tuple[Outlook, Sequence[Message]]:
        prospect, draft = await self._outlooks.ahead(chat_id, request, at=self._clock())
        return prospect.outlook, draft

    async def _estimated(self, outlook: Outlook, ready: ContextPlan) -> SendEstimate:
        head_id = outlook.chat.head_id
        states = await self._budgets.states(outlook.caps, outlook.place)
        receipts = await self._receipts.of_answers(head_id) if head_id else []
        return estimate(
            ready.total_tokens,
            model=outlook.model,
            price=await self._models.price(outlook.model),
            last=receipts[-1] if receipts else None,
            now=self._clock(),
            warnings=tuple(state.warning for state in states if state.warning),
        )
