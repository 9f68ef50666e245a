"""Where each turn of the scope stands. Every turn is in exactly one state; ``words`` says why."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from windowpane.context.emission import Removal

# In the order of precedence: the first that applies is a turn's standing.
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
STANDINGS: tuple[TurnStanding, ...] = get_args(TurnStanding)
IN_REQUEST: frozenset[TurnStanding] = frozenset({"shortened", "sent"})
PREDICTED: frozenset[TurnStanding] = frozenset({"sent", "shortened", "trimmed"})


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
    """Turns without names: so many of those from one index to another stand so."""

    first_index: int
    last_index: int
    standing: TurnStanding
    turns: int
    raw_tokens: int
