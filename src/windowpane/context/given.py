"""What a plan is given: everything it depends on, so that the same input gives the same plan."""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.budget import Budget
from windowpane.context.request import ToolDefinition
from windowpane.context.scope import Scope
from windowpane.messages import Message
from windowpane.settings import CacheMode
from windowpane.tokens import Counter


class ActiveSummary(Struct, frozen=True, kw_only=True):
    """A checkpoint: its text stands for the turns up to and including an index of the scope."""

    id: str
    text: str
    last_index: int


class PlanSettings(Struct, frozen=True, kw_only=True):
    """``reasoning_turns`` and ``tool_turns``: for how many turns they are kept; None for ever."""

    reasoning_turns: int | None
    tool_turns: int | None
    cache_mode: CacheMode


class PlanInput(Struct, frozen=True, kw_only=True):
    """Everything a plan depends on; the same input gives the same plan.

    ``visible`` holds one byte per turn of the scope, 1 for those the filter shows; None is the
    empty filter. ``current`` is the draft, or the running turn so far. ``floor_index`` is where
    the context began in the last plan, if only replies came since. ``overflow_trims`` counts the
    turns that a provider's overflow has cost this send.
    """

    model: str
    counter: Counter
    budget: Budget
    settings: PlanSettings
    scope: Scope
    visible: bytes | None
    system: str
    tools: tuple[ToolDefinition, ...]
    summary: ActiveSummary | None
    current: tuple[Message, ...]
    floor_index: int | None
    overflow_trims: int
