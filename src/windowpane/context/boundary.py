"""Where the context begins: newest to oldest, as long as it fits, stop at the first that does not.

One walk serves the history, the draft that is larger than expected, the rounds of a running turn
and the part of a chat that a summary leaves alone. With cache marks it moves in steps of a fifth,
and the steps are places in the history, not memories of an earlier plan: whoever plans the same
history again, also in another process, finds the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

STEP_PERCENT = 20


class Candidate(Struct, frozen=True, kw_only=True, gc=False):
    """``tokens`` is what it weighs if sent; it begins and ends at places along the history.

    Places are counted in raw tokens from the oldest turn on, so they stay where they are while a
    history only grows.
    """

    index: int
    tokens: int
    begins_at: int
    ends_at: int


def boundary(
    newest_first: Iterable[Candidate],
    *,
    room_tokens: int | None,
    floor_index: int | None,
    step_tokens: int | None,
) -> int | None:
    """The index of the oldest candidate that is in; None when not even the newest is.

    Args:
        room_tokens: what the candidates may weigh together; None holds everything.
        floor_index: candidates before it stay out, even if they fit.
        step_tokens: when something must leave, all up to the next step leaves; None: only what
            must.
    """
    fitting: list[Candidate] = []
    used_tokens = 0
    for candidate in newest_first:
        if floor_index is not None and candidate.index < floor_index:
            break
        if room_tokens is not None and used_tokens + candidate.tokens > room_tokens:
            if step_tokens is not None:
                return _next_step([*fitting, candidate], step_tokens=step_tokens)
            break
        fitting.append(candidate)
        used_tokens += candidate.tokens
    return fitting[-1].index if fitting else None


def step_tokens_of(room_tokens: int | None, *, in_steps: bool) -> int | None:
    if not in_steps or room_tokens is None or room_tokens <= 0:
        return None
    return max(1, room_tokens * STEP_PERCENT // 100)


def _next_step(newest_first: Sequence[Candidate], *, step_tokens: int) -> int | None:
    """The oldest candidate at a step. The last of those given is the one that does not fit."""
    for older, candidate in pairwise(reversed(newest_first)):
        # Behind something larger than a step there is always one: else a single large turn could
        # take the small ones after it along.
        is_behind_large = older.ends_at - older.begins_at >= step_tokens
        if is_behind_large or _holds_step(older.ends_at, candidate.ends_at, step_tokens):
            return candidate.index
    return None


def _holds_step(begins_at: int, ends_at: int, step_tokens: int) -> bool:
    return -(-begins_at // step_tokens) * step_tokens < ends_at
