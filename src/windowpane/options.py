"""What a person asks of a model beside the words: how warm, how much thought, with a search or not.

Each family says it in its own words, and leaves out what its models do not take.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
ReasoningSummary = Literal["auto", "concise", "detailed"]
CacheMode = Literal["all-off", "system", "cached"]
WhenFull = Literal["compress", "slide", "ask"]
# From the least to the most.
EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh")


class ReasoningOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``effort`` for families that take a level, ``budget_tokens`` for those that take a number."""

    effort: Effort | None = None
    budget_tokens: int | None = None
    summary: ReasoningSummary | None = None


class RequestOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Without ``reasoning`` the model thinks as it does by default.

    ``prefill`` is how the answer shall begin, where the family lets one say so.
    """

    temperature: float | None = None
    reasoning: ReasoningOptions | None = None
    has_web_search: bool = False
    prefill: str = ""
    uses_long_context: bool = False
    is_streamed: bool = True


PLAIN = RequestOptions()


def clamped_effort(effort: Effort, supported: tuple[Effort, ...]) -> Effort:
    """The highest supported level that is not above the wish, else the lowest there is.

    ``supported`` goes from the least to the most.
    """
    wished = EFFORTS.index(effort)
    within: list[Effort] = [level for level in supported if EFFORTS.index(level) <= wished]
    return within[-1] if within else supported[0]
