"""What is in every request of a view, and the room it leaves for history."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.context.given import PlanInput
from windowpane.context.scope import PinnedTurn


class FixedTokens(Struct, frozen=True, kw_only=True):
    """What is in every request of this view before any other turn."""

    system: int
    tools: int
    summary: int
    pinned: int

    @property
    def total(self) -> int:
        return self.system + self.tools + self.summary + self.pinned

    def largest(self) -> str:
        sizes = {
            "the system prompt": self.system,
            "the tool definitions": self.tools,
            "the summary": self.summary,
            "the pinned turns": self.pinned,
        }
        return max(sizes, key=lambda name: sizes[name])


def fixed_tokens(given: PlanInput, pinned: Sequence[PinnedTurn]) -> FixedTokens:
    counter = given.counter
    return FixedTokens(
        system=counter.system(given.system),
        tools=counter.tools(given.tools),
        summary=counter.system(given.summary.text) if given.summary else 0,
        pinned=sum(turn.weight.raw_tokens for turn in pinned),
    )


def room_tokens(given: PlanInput, fixed: FixedTokens) -> int | None:
    usable = given.budget.usable_tokens
    return None if usable is None else usable - fixed.total - given.budget.allowance_tokens
