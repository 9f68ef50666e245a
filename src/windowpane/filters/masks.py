"""A set of turns as one integer: byte *i* is 1 if turn *i* is in the set, else 0.

"And", "or" and "not" are then ``&``, ``|`` and ``^``, each one pass in C over the whole history,
and a set has an order and no duplicates by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, islice
from typing import TypeAlias, TypeVar

Mask: TypeAlias = int
Item = TypeVar("Item")

NOTHING: Mask = 0


def mask_of(column: Iterable[bool] | bytes) -> Mask:
    return int.from_bytes(bytes(column), "little")


def everything(size: int) -> Mask:
    return mask_of(b"\1" * size)


def chosen(mask: Mask, items: Sequence[Item]) -> tuple[Item, ...]:
    """The items in the set, in their order."""
    return tuple(compress(items, mask.to_bytes(len(items), "little")))


def newest(mask: Mask, *, turns: int, size: int) -> Mask:
    """The last so many of the set."""
    if not turns:
        return NOTHING
    backwards = compress(range(size - 1, -1, -1), reversed(mask.to_bytes(size, "little")))
    oldest_kept = next(islice(backwards, turns - 1, None), 0)
    return mask >> (8 * oldest_kept) << (8 * oldest_kept)
