"""The draft's own weight: which planned turns leave for it, and when nothing helps.

The boundary that is drawn does not move for it: what leaves here is *trimmed*, for this request.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct, structs

from windowpane.context.boundary import Candidate, boundary, step_tokens_of
from windowpane.context.current import CurrentTurn
from windowpane.context.fixed import FixedTokens
from windowpane.context.given import PlanInput
from windowpane.context.states import IN_REQUEST, PlannedTurn


class Unsendable(Struct, frozen=True, kw_only=True):
    """``code`` is ``fixed_too_large`` or ``user_prompt_too_large``."""

    code: str
    message: str


def trimmed(
    turns: Sequence[PlannedTurn], given: PlanInput, *, fixed: FixedTokens, current: CurrentTurn
) -> list[PlannedTurn]:
    """The oldest planned turns leave while the request is too large, and after an overflow."""
    planned = [turn for turn in turns if turn.standing in IN_REQUEST and not turn.is_pinned]
    leaving = planned[: _leaving_turns(planned, given, fixed=fixed, current=current)]
    indexes = {turn.index for turn in leaving}
    return [
        structs.replace(turn, standing="trimmed", sent_tokens=0, removed=())
        if turn.index in indexes
        else turn
        for turn in turns
    ]


def _leaving_turns(
    planned: Sequence[PlannedTurn], given: PlanInput, *, fixed: FixedTokens, current: CurrentTurn
) -> int:
    limit = given.limit_tokens
    # A draft is written once; the rounds of a running turn are many requests that share a prefix.
    in_steps = given.moves_in_steps and current.rounds > 0
    start = boundary(
        reversed(_candidates(planned)),
        room_tokens=None if limit is None else limit - fixed.total_tokens - current.sent_tokens,
        floor_index=None,
        step_tokens=step_tokens_of(limit, in_steps=in_steps),
    )
    too_many = len(planned) if start is None else start
    return too_many + given.overflow.trims - current.overflow_rounds


def _candidates(planned: Sequence[PlannedTurn]) -> list[Candidate]:
    ends = accumulate(turn.raw_tokens for turn in planned)
    return [
        Candidate(
            index=number,
            tokens=turn.sent_tokens,
            begins_at=end - turn.raw_tokens,
            ends_at=end,
        )
        for number, (turn, end) in enumerate(zip(planned, ends, strict=True))
    ]


def unsendable(given: PlanInput, *, fixed: FixedTokens, current: CurrentTurn) -> Unsendable | None:
    limit = given.limit_tokens
    if limit is None or fixed.total_tokens + current.sent_tokens <= limit:
        return None
    if fixed.total_tokens > limit:
        largest = fixed.largest()
        sentence = (
            f"What is in every request has {fixed.total_tokens:,} tokens, most of it "
            f"{largest}, and {limit:,} can be used. Shorten {largest} or choose a larger model."
        )
        return Unsendable(code="fixed_too_large", message=sentence)
    left = limit - fixed.total_tokens
    sentence = (
        f"This message has {current.sent_tokens:,} tokens; {left:,} are left beside what is in "
        "every request. Shorten it or choose a larger model."
    )
    return Unsendable(code="user_prompt_too_large", message=sentence)
