"""The draft's own weight: which planned turns leave for it, and when nothing helps."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from windowpane.context.fixed import FixedTokens
from windowpane.context.given import PlanInput
from windowpane.context.states import IN_REQUEST, PlannedTurn


class Unsendable(Struct, frozen=True, kw_only=True):
    """``code`` is ``fixed_too_large`` or ``user_prompt_too_large``."""

    code: str
    message: str


def current_tokens_of(given: PlanInput) -> int:
    return sum(given.counter.message(one, sent=one.parts) for one in given.current)


def trimmed(
    turns: Sequence[PlannedTurn],
    given: PlanInput,
    *,
    fixed: FixedTokens,
    current_tokens: int,
) -> list[PlannedTurn]:
    """The oldest planned turns leave while the request is too large, and after an overflow."""
    in_request = [turn for turn in turns if turn.standing in IN_REQUEST and not turn.is_pinned]
    usable = given.budget.usable_tokens
    tokens = fixed.total + current_tokens + sum(turn.sent_tokens for turn in in_request)
    leaving: set[int] = set()
    for turn in in_request:
        is_too_large = usable is not None and tokens > usable
        if not is_too_large and len(leaving) >= given.overflow_trims:
            break
        leaving.add(turn.index)
        tokens -= turn.sent_tokens
    return [
        structs.replace(turn, standing="trimmed", sent_tokens=0, removed=())
        if turn.index in leaving
        else turn
        for turn in turns
    ]


def unsendable(given: PlanInput, *, fixed: FixedTokens, current_tokens: int) -> Unsendable | None:
    usable = given.budget.usable_tokens
    if usable is None:
        return None
    if fixed.total > usable:
        sentence = (
            f"{fixed.largest().capitalize()} alone fill the window: {fixed.total:,} tokens are in "
            f"every request and {usable:,} can be used. Shorten them or choose a larger model."
        )
        return Unsendable(code="fixed_too_large", message=sentence)
    if fixed.total + current_tokens > usable:
        sentence = (
            f"This message has {current_tokens:,} tokens; {usable - fixed.total:,} are left "
            f"beside what is in every request. Shorten it or choose a larger model."
        )
        return Unsendable(code="user_prompt_too_large", message=sentence)
    return None
