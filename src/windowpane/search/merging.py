"""When segments grow and when they are made anew: few of them, and little written for a new turn.

A small segment takes new turns until it is no longer small; then its turns go with the new ones
into a larger one. A full segment is left alone until most of its turns were deleted.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

SMALL_TURNS = 256
FULL_TURNS = 8_192


class Size(Struct, frozen=True, kw_only=True):
    """A segment: how many turns it holds, and how many of them there still are."""

    id: str
    turns: int
    live: int


class Placement(Struct, frozen=True, kw_only=True):
    """The segment that new turns go into (None: a new one), and those whose turns go with them."""

    grown: str | None
    dissolved: tuple[str, ...]


def placement(sizes: Sequence[Size], *, new_turns: int) -> Placement:
    worn = [size for size in sizes if 2 * size.live < size.turns]
    whole = [size for size in sizes if size not in worn]
    count = new_turns + sum(size.live for size in worn)
    dissolved = [size.id for size in worn]
    small = [size for size in whole if size.turns < SMALL_TURNS]
    if count == 0:
        return Placement(grown=None, dissolved=tuple(dissolved))
    if small and sum(size.turns for size in small[:1]) + count <= SMALL_TURNS:
        return Placement(grown=small[0].id, dissolved=tuple(dissolved))
    if not small and count <= SMALL_TURNS:
        return Placement(grown=None, dissolved=tuple(dissolved))
    dissolved += [size.id for size in small]
    count += sum(size.live for size in small)
    room = [size for size in whole if size not in small and size.turns + count <= FULL_TURNS]
    fullest = max(room, key=lambda size: size.turns, default=None)
    return Placement(grown=fullest.id if fullest else None, dissolved=tuple(dissolved))
