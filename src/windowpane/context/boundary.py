"""Where the context begins: newest to oldest, as long as it fits, stop at the first that does not.

The boundary of the last plan is a floor: appending never brings a turn back. When it must move
and cache marks are on, it moves to four fifths, so that the prefix then stands for many turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

KEPT_AFTER_MOVE_PERCENT = 80


class Candidate(Struct, frozen=True):
    index: int
    tokens: int


def boundary(
    newest_first: Iterable[Candidate],
    *,
    room_tokens: int | None,
    floor_index: int | None,
    in_steps: bool,
) -> int | None:
    """The index of the oldest turn that is in; None when not even the newest fits.

    An unknown room holds everything.
    """
    walked: list[Candidate] = []
    used_tokens = 0
    is_complete = True
    for candidate in newest_first:
        if floor_index is not None and candidate.index < floor_index:
            break
        if room_tokens is not None and used_tokens + candidate.tokens > room_tokens:
            is_complete = False
            break
        walked.append(candidate)
        used_tokens += candidate.tokens
    if not is_complete and in_steps and floor_index is not None and room_tokens is not None:
        walked = _within(walked, room_tokens * KEPT_AFTER_MOVE_PERCENT // 100)
    return walked[-1].index if walked else None


def _within(walked: Sequence[Candidate], room_tokens: int) -> list[Candidate]:
    kept: list[Candidate] = []
    used_tokens = 0
    for candidate in walked:
        used_tokens += candidate.tokens
        if used_tokens > room_tokens and kept:
            break
        kept.append(candidate)
    return kept


Change = Literal[
    "filter",
    "model",
    "allowance",
    "chars_per_token",
    "reply",
    "deletion",
    "edit",
    "turn_marks",
    "import",
    "summary",
    "settings",
    "keystroke",
    "scroll",
    "unfiltered_mark",
    "trim_attempt",
]

# What changes the largest suffix that fits; typing, scrolling and trimming never do.
MOVES_BOUNDARY: frozenset[Change] = frozenset(
    {
        "filter",
        "model",
        "allowance",
        "chars_per_token",
        "reply",
        "deletion",
        "edit",
        "turn_marks",
        "import",
        "summary",
        "settings",
    }
)
# A reply only adds to the end, so the old boundary still holds as a floor.
KEEPS_FLOOR: frozenset[Change] = frozenset({"reply"})


def must_recompute(changes: Iterable[Change]) -> bool:
    return any(change in MOVES_BOUNDARY for change in changes)


def keeps_floor(changes: Iterable[Change]) -> bool:
    return all(change in KEEPS_FLOOR or change not in MOVES_BOUNDARY for change in changes)
