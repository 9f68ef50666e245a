"""What a change does to the boundary: nothing, one more turn at the end, or everything anew.

The boundary stands still while somebody types. It is looked at again only when something changed
that can change the largest suffix that fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from windowpane.filters.syntax import (
    CurrentTopic,
    Filter,
    Flagged,
    InTopic,
    Stars,
    terms,
)

Change = Literal[
    # the view and what it shows
    "scope",
    "filter",
    "visibility",
    # the budget
    "model",
    "limits",
    "calibration",
    "allowance",
    "chars_per_token",
    "settings",
    # what is in every request
    "system",
    "tools",
    "summary",
    "pin",
    "skip",
    # the history
    "reply",
    "deletion",
    "edit",
    "import",
    # what never moves a boundary
    "keystroke",
    "scroll",
    "unread_mark",
    "title",
    "trim_attempt",
]
Effect = Literal["none", "extend", "anew"]

# A reply only adds to the end, and calibration only corrects: where the context began stays a
# floor, so that no older turn comes back.
EXTENDS: frozenset[Change] = frozenset({"reply", "calibration"})
LEAVES_ALONE: frozenset[Change] = frozenset(
    {"keystroke", "scroll", "unread_mark", "title", "trim_attempt"}
)


def effect_of(changes: Iterable[Change]) -> Effect:
    """``extend``: plan again with the old start as floor; ``anew``: without."""
    moving = set(changes) - LEAVES_ALONE
    if not moving:
        return "none"
    return "extend" if moving <= EXTENDS else "anew"


TurnMark = Literal["star", "flag", "topic", "pin", "skip"]

_READ_BY: dict[TurnMark, tuple[type, ...]] = {
    "star": (Stars,),
    "flag": (Flagged,),
    "topic": (CurrentTopic, InTopic),
}


def mark_change(mark: TurnMark, *, tree: Filter) -> Change:
    """What giving a turn a mark means under a filter: it matters if the filter reads it."""
    if mark == "pin" or mark == "skip":
        return mark
    is_read = any(isinstance(term.predicate, _READ_BY[mark]) for term in terms(tree))
    return "visibility" if is_read else "unread_mark"
