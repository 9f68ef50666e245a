"""What of older turns is left out: reasoning after N turns, tool traffic after N turns.

With cache marks the cut moves in steps, from N kept turns down to four fifths of N, so that the
cached prefix lives for many turns; without marks it moves with every turn.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.emission import WHOLE, Removals

KEPT_AFTER_STEP_PERCENT = 80


class Retention(Struct, frozen=True, kw_only=True):
    """From which turn on reasoning and tool traffic are kept."""

    reasoning_from: int
    tools_from: int

    def removals(self, index: int) -> Removals:
        if index >= self.reasoning_from and index >= self.tools_from:
            return WHOLE
        if index < self.reasoning_from and index < self.tools_from:
            return frozenset({"reasoning", "tools"})
        return frozenset({"reasoning"}) if index < self.reasoning_from else frozenset({"tools"})

    @property
    def settled_before(self) -> int:
        """Turns before this index have lost what they can lose."""
        return min(self.reasoning_from, self.tools_from)


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
    step = max(1, keep - keep * KEPT_AFTER_STEP_PERCENT // 100) if in_steps else 1
    return min(turns, -(-(turns - keep) // step) * step)
