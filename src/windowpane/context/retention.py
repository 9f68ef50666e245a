"""What of older turns is left out: reasoning after N turns, tool traffic after N turns.

A turn's age decides, not the view, so that a filter never changes how a turn reads. With cache
marks the cut moves in steps of a fifth of N, so that the cached prefix lives for many turns;
without marks it moves with every turn.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.emission import WHOLE, Removals

STEP_PERCENT = 20
REASONING: Removals = frozenset({"reasoning"})
TOOLS: Removals = frozenset({"tools"})
BOTH: Removals = frozenset({"reasoning", "tools"})


class Retention(Struct, frozen=True, kw_only=True):
    """From which turn on reasoning and tool traffic are kept; 0 if they always are."""

    reasoning_from: int
    tools_from: int

    def removals(self, index: int) -> Removals:
        if index >= self.reasoning_from:
            return WHOLE if index >= self.tools_from else TOOLS
        return REASONING if index >= self.tools_from else BOTH


def retention_of(
    turns: int, *, reasoning_turns: int | None, tool_turns: int | None, in_steps: bool
) -> Retention:
    return Retention(
        reasoning_from=kept_from(turns, keep=reasoning_turns, in_steps=in_steps),
        tools_from=kept_from(turns, keep=tool_turns, in_steps=in_steps),
    )


def kept_from(turns: int, *, keep: int | None, in_steps: bool) -> int:
    """The index of the first turn that stays whole; never smaller in a longer history."""
    if keep is None or turns <= keep:
        return 0
    step = max(1, keep * STEP_PERCENT // 100) if in_steps else 1
    return min(turns, -(-(turns - keep) // step) * step)
