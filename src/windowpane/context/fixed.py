"""What is in every request of a view, and the room it leaves for history."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from windowpane.context.checkpoint import system_text
from windowpane.context.given import ActiveSummary, PlanInput
from windowpane.context.weights import TurnWeight


class FixedTokens(Struct, frozen=True, kw_only=True):
    """``summary_tokens`` is what the summary adds to the system text that it stands in.

    ``prefill_tokens`` is the beginning of the answer that the model is given.
    """

    system_tokens: int
    tools_tokens: int
    summary_tokens: int
    pinned_tokens: int
    prefill_tokens: int

    @property
    def total_tokens(self) -> int:
        return (
            self.system_tokens
            + self.tools_tokens
            + self.summary_tokens
            + self.pinned_tokens
            + self.prefill_tokens
        )

    def largest(self) -> str:
        sizes = {
            "the system prompt": self.system_tokens,
            "the tool definitions": self.tools_tokens,
            "the summary": self.summary_tokens,
            "the pinned turns": self.pinned_tokens,
            "the beginning of the answer": self.prefill_tokens,
        }
        return max(sizes, key=lambda name: sizes[name])


def fixed_tokens(
    given: PlanInput, *, summary: ActiveSummary | None, pinned: Iterable[TurnWeight]
) -> FixedTokens:
    counter = given.counter
    system_tokens = counter.system(system_text(given.system, None))
    with_summary_tokens = counter.system(system_text(given.system, summary))
    return FixedTokens(
        system_tokens=system_tokens,
        tools_tokens=counter.tools(given.tools),
        summary_tokens=with_summary_tokens - system_tokens,
        pinned_tokens=sum(weight.raw_tokens for weight in pinned),
        # As a message of its own, which is what it is to those families that take it.
        prefill_tokens=counter.system(given.prefill),
    )


def history_room_tokens(given: PlanInput, fixed: FixedTokens) -> int | None:
    usable = given.budget.usable_tokens
    if usable is None:
        return None
    return usable - fixed.total_tokens - given.budget.allowance_tokens
