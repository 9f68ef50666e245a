"""How long an answer may be, thought included: decided here for the plan, its budget and the bytes.

Most families count thought against the limit that one asks for. Claude is given a budget for
thought, which comes on top, and through Anthropic's own words it must be told a limit.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.catalog.limits import Limits
from windowpane.context.budget import reserve_for
from windowpane.providers.bedrock_body import is_claude, is_unlimited
from windowpane.providers.claude import (
    LEAST_BUDGET_TOKENS,
    least_output_tokens,
    thinking_budget_tokens,
)
from windowpane.providers.heeding import Wish


class Room(Struct, frozen=True, kw_only=True):
    """``requested_tokens`` are set aside, ``told_tokens`` are what the request says.

    None for either: as long as the model can.
    """

    requested_tokens: int | None
    told_tokens: int | None


def room_for(wish: Wish, *, limits: Limits) -> Room:
    requested_tokens = _requested(wish, limits)
    is_told = requested_tokens is not None or _must_be_told(wish)
    told_tokens = reserve_for(limits, requested_tokens).tokens if is_told else None
    return Room(requested_tokens=requested_tokens, told_tokens=told_tokens)


def _requested(wish: Wish, limits: Limits) -> int | None:
    wished_tokens, most_tokens = wish.max_output_tokens, limits.output_tokens.value
    if _takes_no_limit(wish):
        return None
    if wished_tokens is None:
        is_unknown = most_tokens is None and _must_be_told(wish)
        return least_output_tokens(wish.model) if is_unknown else None
    thought_tokens = _thought(wish)
    if thought_tokens is None:
        return wished_tokens
    both_tokens = wished_tokens + thought_tokens
    if most_tokens is not None:
        both_tokens = min(both_tokens, most_tokens)
    # Where no thought fits, the model will not be asked for any.
    return both_tokens if both_tokens > LEAST_BUDGET_TOKENS else wished_tokens


def _thought(wish: Wish) -> int | None:
    """The tokens for thought that are counted apart from the answer's."""
    if not _is_claude(wish):
        return None
    return thinking_budget_tokens(wish.options.reasoning, model=wish.model)


def _must_be_told(wish: Wish) -> bool:
    """A budget for thought needs a limit above it, too."""
    return wish.definition.family == "anthropic" or _thought(wish) is not None


def _is_claude(wish: Wish) -> bool:
    family = wish.definition.family
    return family == "anthropic" or (family == "bedrock" and is_claude(wish.model))


def _takes_no_limit(wish: Wish) -> bool:
    is_bedrock = wish.definition.family == "bedrock"
    return is_bedrock and is_unlimited(wish.model, wish.options.reasoning)
