"""Doing again what somebody else was faster at: read anew, decide anew, write."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from windowpane.errors import VersionConflict

# A send or another change may come first; a person is not that fast.
MOST_TRIES = 5

Done = TypeVar("Done")


async def contended(act: Callable[[], Awaitable[Done]]) -> Done:
    """``act`` reads whatever it decides by. Raises ``VersionConflict`` if it never comes first."""
    for _ in range(MOST_TRIES - 1):
        with suppress(VersionConflict):
            return await act()
    return await act()
