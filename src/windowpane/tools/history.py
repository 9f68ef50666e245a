"""What a tool sees of the chat's past: something that can be searched and read.

It covers whatever the chat holds, in the model's window or not: turns that were trimmed or
summarised, and those on branches that were left.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from windowpane.messages import Role


class Excerpt(Struct, frozen=True, kw_only=True):
    role: Role
    text: str


class Hit(Struct, frozen=True, kw_only=True):
    """A turn that was found. ``number`` counts the turns of its path from 1, as the page does."""

    handle: str
    number: int
    at: datetime
    is_left: bool
    excerpts: tuple[Excerpt, ...]


class Hits(Struct, frozen=True, kw_only=True):
    """The most fitting turns first; ``has_more``: there are others that fit less."""

    best: tuple[Hit, ...]
    has_more: bool


class History(Protocol):
    async def search(self, query: str, *, limit: int) -> Hits:
        """Turns of the chat other than the one that asks, the most fitting first."""
        ...

    async def read(self, handle: str) -> str | None:
        """The whole text behind a handle; None if this chat has nothing of that name."""
        ...
