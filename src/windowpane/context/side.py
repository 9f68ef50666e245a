"""Requests on the side, for a title or a summary: in place, or as a transcript.

In place, the chat's own model reads the same prefix and one instruction more, with the cache mark
where it was. As a transcript, another model reads the conversation as text. The cheaper is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from windowpane.accounting import Cost, cost_of
from windowpane.catalog.prices import PriceSnapshot
from windowpane.context.plan import ContextPlan
from windowpane.context.states import IN_REQUEST
from windowpane.context.transcript import transcript
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.turns import TurnContent
from windowpane.usage import TokenUsage

SideForm = Literal["in_place", "transcript"]


def aside_message(form: SideForm, instruction: str, about: TurnContent) -> Message:
    """The one message of such a request that is new. It is no record: nobody wrote it."""
    text = instruction
    if form == "transcript":
        text += f"\n\n<conversation>\n{transcript([about])}\n</conversation>"
    return Message(
        id="aside", role="user", parts=(Text(text=text),), created_at=about.turn.created_at
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
