"""How long pieces of an answer are gathered before they are passed on.

A single answer flows; when many run at once, each is passed on a little less often, so that the
work grows with the text and not with the number of its pieces. The first piece never waits.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

# Up to here everybody gets the full pace; beyond, it is shared, down to a fraction of it.
FLOWING_ANSWERS = 25
MOST_FACTOR = 4.0


class Pace:
    """``base_seconds`` is the setting ``delta_join_seconds``."""

    def __init__(self, base_seconds: float) -> None:
        self._base_seconds = base_seconds
        self._running = 0

    @property
    def seconds(self) -> float:
        return self._base_seconds * join_factor(self._running)

    @contextmanager
    def running(self) -> Generator[None]:
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


def join_factor(answers: int) -> float:
    return min(MOST_FACTOR, max(1.0, answers / FLOWING_ANSWERS))
