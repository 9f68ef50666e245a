"""What a plan is given: everything it depends on, so that the same input gives the same plan."""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.budget import Budget
from windowpane.context.request import ToolDefinition
from windowpane.context.scope import Scope
from windowpane.context.toolset import ToolPrompt
from windowpane.messages import Message
from windowpane.options import CacheMode, WhenFull
from windowpane.tokens import Counter
from windowpane.topics import ViewScope


class View(Struct, frozen=True, kw_only=True):
    """The turns on screen: a scope, a filter, and whether the summary's card is switched on.

    ``visible`` holds one byte per turn of the scope, 1 for those that the filter shows; None is
    the empty filter.
    """

    scope: ViewScope
    filter_text: str
    visible: bytes | None
    has_summary: bool


WHOLE_CHAT = View(scope="chat", filter_text="", visible=None, has_summary=True)


class ActiveSummary(Struct, frozen=True, kw_only=True):
    """A checkpoint: its text stands for the turns of the scope between two indexes, inclusive."""

    id: str
    text: str
    first_index: int
    last_index: int

    @property
    def covered(self) -> range:
        return range(self.first_index, self.last_index + 1)


class PlanSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``reasoning_turns`` and ``tool_turns``: for how many turns they are kept; None for ever.

    ``spells_calls``: tool calls and their results go as plain text.
    """

    reasoning_turns: int | None
    tool_turns: int | None
    cache_mode: CacheMode
    when_full: WhenFull
    spells_calls: bool = False


class Overflow(Struct, frozen=True, kw_only=True):
    """What a provider's refusals have taught this send. The drawn boundary stays where it is.

    ``trims`` counts the refusals that named no number; ``limit_tokens`` is the limit that one did
    name, in tokens of our counting.
    """

    trims: int
    limit_tokens: int | None


NO_OVERFLOW = Overflow(trims=0, limit_tokens=None)


class PlanInput(Struct, frozen=True, kw_only=True):
    """Everything a plan depends on.

    ``current`` is the draft, or the running turn so far; ``prefill`` is how its answer shall begin.
    ``floor_index`` is that of the last plan, if nothing came since that could bring a turn back
    (see ``changes``). ``tool_prompts`` says which tool wrote what of ``system``, so that each can
    be weighed.
    """

    model: str
    counter: Counter
    budget: Budget
    settings: PlanSettings
    scope: Scope
    view: View
    system: str
    tools: tuple[ToolDefinition, ...]
    summary: ActiveSummary | None
    current: tuple[Message, ...]
    floor_index: int | None
    overflow: Overflow
    prefill: str = ""
    tool_prompts: tuple[ToolPrompt, ...] = ()

    @property
    def limit_tokens(self) -> int | None:
        """What the request may weigh; None if nobody said."""
        known = (self.budget.usable_tokens, self.overflow.limit_tokens)
        return min((tokens for tokens in known if tokens is not None), default=None)

    @property
    def moves_in_steps(self) -> bool:
        return self.settings.cache_mode == "cached"

    def check(self) -> None:
        """A view or a summary of another history must not decide about this one."""
        turns = self.scope.turns
        visible = self.view.visible
        if visible is not None and len(visible) != turns:
            raise ValueError(f"the view shows {len(visible)} turns, the scope has {turns}")
        if self.summary and not 0 <= self.summary.first_index <= self.summary.last_index < turns:
            raise ValueError(f"the summary covers turns that the scope of {turns} does not have")
