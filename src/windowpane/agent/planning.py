"""From a chat's history to a plan and a request: gathers what the pure engine is given."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.catalog.compression import compression_defaults
from windowpane.catalog.limits import Limits
from windowpane.context.assemble import assemble
from windowpane.context.budget import budget_for
from windowpane.context.given import PlanInput, PlanSettings
from windowpane.context.plan import ContextPlan, plan
from windowpane.context.request import ModelRequest
from windowpane.context.scope import Scope
from windowpane.context.weights import weigh
from windowpane.errors import PromptTooLarge
from windowpane.messages import Message
from windowpane.settings import ContextSettings
from windowpane.tokens import UNCALIBRATED, TokenCache, counter_for
from windowpane.turns import TurnContent


class Outlook(Struct, frozen=True, kw_only=True):
    """What stays the same through one send: the model, its limits, the settings, the history."""

    model: str
    provider_model: str
    limits: Limits
    system: str
    settings: ContextSettings
    history: Sequence[TurnContent]
    cache: TokenCache


def planned(outlook: Outlook, current: Sequence[Message]) -> ContextPlan:
    counter = counter_for(outlook.model, cache=outlook.cache)
    defaults = compression_defaults(outlook.provider_model, limits=outlook.limits)
    budget = budget_for(
        outlook.limits,
        requested_output_tokens=outlook.settings.max_output_tokens,
        allowance_tokens=outlook.settings.user_request_allowance_tokens,
        threshold=defaults.threshold,
        calibration=UNCALIBRATED,
    )
    given = PlanInput(
        model=outlook.provider_model,
        counter=counter,
        budget=budget,
        settings=PlanSettings(
            reasoning_turns=outlook.settings.reasoning_turns,
            tool_turns=outlook.settings.tool_turns,
            cache_mode=outlook.settings.cache_mode,
        ),
        scope=Scope.of([weigh(content, counter=counter) for content in outlook.history]),
        visible=None,
        system=outlook.system,
        tools=(),
        summary=None,
        current=tuple(current),
        floor_index=None,
        overflow_trims=0,
    )
    return plan(given)


def requested(outlook: Outlook, current: Sequence[Message]) -> ModelRequest:
    ready = planned(outlook, current)
    if ready.unsendable is not None:
        raise PromptTooLarge(ready.unsendable.message)
    return assemble(
        ready,
        {content.turn.id: content for content in outlook.history},
        max_output_tokens=outlook.settings.max_output_tokens,
        frozen_mark_at=None,
    )
