"""From a stored chat to a plan and a request: gathers what the pure engine is given.

Opens only the pages that the engine asks for, and only the contents that are sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.agent.contents import Contents
from windowpane.agent.index import TurnIndex
from windowpane.agent.models import Models
from windowpane.agent.weighing import Digests, Weigher
from windowpane.catalog.compression import compression_defaults
from windowpane.catalog.limits import Limits
from windowpane.context.assemble import assemble
from windowpane.context.budget import Budget, budget_for
from windowpane.context.given import NO_OVERFLOW, WHOLE_CHAT, PlanInput, PlanSettings
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.prelude import system_prelude
from windowpane.context.request import ModelRequest
from windowpane.context.scope import PageMissing, Scope, page_totals
from windowpane.context.weights import TurnWeight
from windowpane.errors import PromptTooLarge
from windowpane.messages import Message
from windowpane.projects import Chat, ContextFloor, Project
from windowpane.settings import ContextSettings
from windowpane.storage.vault import Vault
from windowpane.tokens import UNCALIBRATED, Counter, TokenCache, counter_for


class Outlook(Struct, frozen=True, kw_only=True):
    """What stays the same through one send: the chat as it was, the model and its limits."""

    chat: Chat
    model: str
    provider_model: str
    limits: Limits
    counter: Counter
    budget: Budget
    settings: ContextSettings
    system: str


class Planner:
    def __init__(self, vault: Vault, *, models: Models, cache: TokenCache) -> None:
        self._vault = vault
        self._models = models
        self._cache = cache
        self._index = TurnIndex(vault)
        self._digests = Digests()
        self._contents = Contents(vault)

    def counter(self, model: str) -> Counter:
        return counter_for(model, cache=self._cache)

    async def outlook(
        self, chat: Chat, *, project: Project, model: str, settings: ContextSettings
    ) -> Outlook:
        provider_model = model.partition("/")[2]
        limits = await self._models.limits(model)
        budget = budget_for(
            limits,
            requested_output_tokens=settings.max_output_tokens,
            allowance_tokens=settings.user_request_allowance_tokens,
            threshold=compression_defaults(provider_model, limits=limits).threshold,
            calibration=UNCALIBRATED,
        )
        return Outlook(
            chat=chat,
            model=model,
            provider_model=provider_model,
            limits=limits,
            counter=self.counter(model),
            budget=budget,
            settings=settings,
            system=system_prelude(
                project_prompt=project.system_prompt, topic_message="", tool_prompts=()
            ),
        )

    async def plan(self, outlook: Outlook, current: Sequence[Message]) -> ContextPlan:
        weigher = Weigher(self._vault, counter=outlook.counter, digests=self._digests)
        totals = await self._index.totals(outlook.chat, weigher)
        pages: dict[int, Sequence[TurnWeight]] = {}
        while True:
            try:
                return plan(_given(outlook, current, scope=Scope(totals, pages)))
            except PageMissing as missing:
                page = await self._index.page(outlook.chat, missing.number)
                weights = await weigher.exact(page.turns, room_tokens=outlook.budget.usable_tokens)
                pages[missing.number] = weights
                totals[missing.number] = page_totals(weights)

    async def request(self, outlook: Outlook, ready: ContextPlan) -> ModelRequest:
        if ready.unsendable is not None:
            raise PromptTooLarge(ready.unsendable.message)
        return assemble(
            ready,
            await self._contents.of(ready.sent_turn_ids),
            max_output_tokens=outlook.settings.max_output_tokens,
            frozen_mark_at=None,
        )


def _given(outlook: Outlook, current: Sequence[Message], *, scope: Scope) -> PlanInput:
    return PlanInput(
        model=outlook.provider_model,
        counter=outlook.counter,
        budget=outlook.budget,
        settings=PlanSettings(
            reasoning_turns=outlook.settings.reasoning_turns,
            tool_turns=outlook.settings.tool_turns,
            cache_mode=outlook.settings.cache_mode,
            when_full="slide",
        ),
        scope=scope,
        view=WHOLE_CHAT,
        system=outlook.system,
        tools=(),
        summary=None,
        current=tuple(current),
        floor_index=_floor(outlook),
        overflow=NO_OVERFLOW,
    )


def _floor(outlook: Outlook) -> int | None:
    """The boundary of the last send, if nothing but replies came since."""
    floor = outlook.chat.floor
    if floor is None or floor.model != outlook.model or floor.revision != outlook.chat.revision:
        return None
    return floor.index


def floor_after(outlook: Outlook, ready: ContextPlan) -> ContextFloor | None:
    if ready.start_index is None:
        return None
    return ContextFloor(
        index=ready.start_index, model=outlook.model, revision=outlook.chat.revision
    )
