"""What Claude models take, told from their names: how much thought, and in which form.

Both roads to them read it here, Anthropic's own words and Amazon's Converse. Names may stand within
others: ``us.anthropic.claude-sonnet-4-5-20250929-v1:0``.
"""

from __future__ import annotations

import re

from msgspec import Struct

from windowpane.context.request import ModelRequest
from windowpane.options import Effort, ReasoningOptions, clamped_effort
from windowpane.parts import Reasoning

# Asks for the window of a million tokens, where a model has one beside its ordinary one.
LONG_CONTEXT = "context-1m-2025-08-07"
LEAST_BUDGET_TOKENS = 1024
BUDGETS: dict[Effort, int] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16_384,
    "xhigh": 32_768,
}
VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)")
# From here on a model decides itself how long it thinks, and takes no beginning of an answer.
ADAPTIVE_FROM = (4, 6)
# From here on it keeps its thoughts to itself unless asked, and takes no temperature.
RESERVED_FROM = (4, 7)
LONGER_ANSWERS_FROM = (4, 0)


class Thinking(Struct, frozen=True, kw_only=True):
    """How a model is asked to think: with a budget, or as it decides, with an effort if one is set.

    ``is_off`` is for models that would think by themselves.
    """

    budget_tokens: int | None = None
    effort: Effort | None = None
    is_shown: bool = False
    is_off: bool = False

    @property
    def fields(self) -> dict[str, object]:
        """The fields of a request that say so, in Anthropic's words."""
        if self.is_off:
            return {"thinking": {"type": "disabled"}}
        if self.budget_tokens is not None:
            return {"thinking": {"type": "enabled", "budget_tokens": self.budget_tokens}}
        shown = {"display": "summarized"} if self.is_shown else {}
        config = {"output_config": {"effort": self.effort}} if self.effort else {}
        return {"thinking": {"type": "adaptive", **shown}, **config}


def is_adaptive(model: str) -> bool:
    return _version(model) >= ADAPTIVE_FROM


def takes_temperature(model: str, thinking: Thinking | None) -> bool:
    """While it thinks, a model refuses any temperature but its own; the newest always do."""
    return (thinking is None or thinking.is_off) and _version(model) < RESERVED_FROM


def least_output_tokens(model: str) -> int:
    """As much as every model of this age can write, for those whose limit nobody knows."""
    return 32_000 if _version(model) >= LONGER_ANSWERS_FROM else 8192


def wished_thinking(request: ModelRequest, *, family: str) -> Thinking | None:
    """``family`` is whose blocks count as the model's own thoughts."""
    wish = request.options.reasoning
    if wish is None:
        return None
    if is_adaptive(request.model):
        return _adaptive(wish, model=request.model)
    budget_tokens = thinking_budget_tokens(wish, model=request.model)
    if budget_tokens is None or _began_without(request, family=family):
        return None
    return Thinking(budget_tokens=budget_tokens)


def thinking_budget_tokens(wish: ReasoningOptions | None, *, model: str) -> int | None:
    """What a model may think, if it is told a number."""
    if wish is None or wish.effort == "none" or is_adaptive(model):
        return None
    budget_tokens = wish.budget_tokens or BUDGETS.get(wish.effort or "none")
    return None if budget_tokens is None else max(budget_tokens, LEAST_BUDGET_TOKENS)


def within_limit(thinking: Thinking | None, *, limit_tokens: int | None) -> Thinking | None:
    """Thought counts against the limit of the answer, and must leave some of it."""
    if thinking is None or thinking.budget_tokens is None or limit_tokens is None:
        return thinking
    budget_tokens = min(thinking.budget_tokens, limit_tokens - 1)
    return None if budget_tokens < LEAST_BUDGET_TOKENS else Thinking(budget_tokens=budget_tokens)


def _version(model: str) -> tuple[int, int]:
    """A name without a number is as good as the oldest."""
    found = VERSION.search(model.lower())
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def _adaptive(wish: ReasoningOptions, *, model: str) -> Thinking:
    if wish.effort == "none":
        return Thinking(is_off=True)
    is_reserved = _version(model) >= RESERVED_FROM
    efforts: tuple[Effort, ...] = ("low", "medium", "high")
    if is_reserved:
        efforts = (*efforts, "xhigh")
    effort = clamped_effort(wish.effort, efforts) if wish.effort else None
    return Thinking(effort=effort, is_shown=is_reserved)


def _began_without(request: ModelRequest, *, family: str) -> bool:
    """An answer that began without a thought of the model's own cannot begin to think midway."""
    spoken = next((one for one in request.begun if one.role == "assistant"), None)
    return spoken is not None and not any(
        isinstance(part, Reasoning) and part.native is not None and part.native.family == family
        for part in spoken.parts
    )
