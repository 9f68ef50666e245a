"""Where each turn of the scope stands, and why. Every turn is in exactly one state."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from windowpane.context.emission import Removal
from windowpane.context.weights import Totals

TurnStanding = Literal[
    "filtered",
    "summarised",
    "skipped",
    "failed",
    "current",
    "over_budget",
    "trimmed",
    "shortened",
    "sent",
]
STANDINGS: tuple[TurnStanding, ...] = (
    "filtered",
    "summarised",
    "skipped",
    "failed",
    "current",
    "over_budget",
    "trimmed",
    "shortened",
    "sent",
)
IN_REQUEST: frozenset[TurnStanding] = frozenset({"shortened", "sent"})

REASONS: dict[TurnStanding, str] = {
    "filtered": "the filter hides it",
    "summarised": "the summary stands for it",
    "skipped": "you skipped it",
    "failed": "it has no answer",
    "current": "it is being answered",
    "over_budget": "it does not fit the budget",
    "trimmed": "it made room for this message",
    "shortened": "older reasoning or tool traffic was left out",
    "sent": "it fits",
}


class PlannedTurn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn by name. For shortened turns, sent and removed tokens add up to the raw ones."""

    index: int
    turn_id: str
    standing: TurnStanding
    raw_tokens: int
    sent_tokens: int = 0
    removed: tuple[Removal, ...] = ()
    is_pinned: bool = False

    @property
    def removed_tokens(self) -> int:
        return self.raw_tokens - self.sent_tokens if self.standing == "shortened" else 0


class TurnRange(Struct, frozen=True, kw_only=True):
    """Turns that need no names: how many of those from one index to another stand so."""

    first_index: int
    last_index: int
    standing: TurnStanding
    totals: Totals
