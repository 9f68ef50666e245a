"""Requests on the side, for a title or a summary: in place, or as a transcript.

In place, the chat's own model reads the same prefix and one instruction more, with the cache mark
where it was. As a transcript, another model reads the conversation as text. The cheaper is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from windowpane.accounting import Cost, cost_of
from windowpane.catalog.prices import PriceSnapshot
from windowpane.context.budget import Budget
from windowpane.context.given import NO_OVERFLOW, WHOLE_CHAT, PlanInput
from windowpane.context.plan import ContextPlan
from windowpane.context.scope import Scope
from windowpane.context.states import IN_REQUEST
from windowpane.messages import Message
from windowpane.tokens import Counter
from windowpane.turns import TurnContent
from windowpane.usage import TokenUsage

SideForm = Literal["in_place", "transcript"]


def in_place(given: PlanInput, *, instruction: Message) -> PlanInput:
    """The chat's own input with an instruction for its draft.

    Assemble its plan with ``frozen_mark_at`` set to where the last request was marked.
    """
    return replace(given, current=(instruction,), overflow=NO_OVERFLOW, prefill="")


def as_transcript(
    given: PlanInput,
    *,
    model: str,
    counter: Counter,
    budget: Budget,
    system: str,
    instruction: Message,
) -> PlanInput:
    """The input for another model, whose one message holds the transcript."""
    return replace(
        given,
        model=model,
        counter=counter,
        budget=budget,
        settings=replace(given.settings, cache_mode="all-off", when_full="slide"),
        scope=Scope.of([]),
        view=WHOLE_CHAT,
        system=system,
        tools=(),
        summary=None,
        current=(instruction,),
        floor_index=None,
        overflow=NO_OVERFLOW,
        prefill="",
    )


class SideOffer(Struct, frozen=True, kw_only=True):
    """One way to ask, with what it would cost. ``cached_tokens`` of it are read from a cache."""

    form: SideForm
    plan: ContextPlan
    cached_tokens: int
    cost: Cost


def offer(
    form: SideForm,
    plan: ContextPlan,
    *,
    price: PriceSnapshot,
    cached_tokens: int,
    output_tokens: int,
) -> SideOffer:
    usage = TokenUsage(
        input_tokens=plan.total_tokens - cached_tokens,
        cache_read_tokens=cached_tokens,
        output_tokens=output_tokens,
    )
    return SideOffer(form=form, plan=plan, cached_tokens=cached_tokens, cost=cost_of(usage, price))


def cached_prefix_tokens(
    plan: ContextPlan, contents: Mapping[str, TurnContent], *, marked_at: str | None
) -> int:
    """What a request repeats of an earlier one that was marked after a message.

    Nothing, if that message is not in it any more.
    """
    fixed = plan.fixed
    fixed_tokens = fixed.total_tokens - fixed.pinned_tokens - fixed.prefill_tokens
    repeated_tokens = fixed_tokens
    for turn in plan.turns:
        if turn.standing in IN_REQUEST:
            repeated_tokens += turn.sent_tokens
            if any(message.id == marked_at for message in contents[turn.turn_id].messages):
                return repeated_tokens
    return 0


def cheaper(offers: tuple[SideOffer, ...]) -> SideOffer | None:
    """The cheapest that can be sent; a known price beats an unknown one. None: none can be."""
    sendable = [one for one in offers if one.plan.unsendable is None]
    return min(sendable, key=lambda one: (one.cost.is_unreliable, one.cost.known_usd), default=None)
