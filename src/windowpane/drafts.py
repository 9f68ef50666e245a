"""Drafts: what somebody was writing, kept for each place where one writes.

A place is a kind and the id of what it belongs to, ``chat:cht_…``; a draft lives as long as that.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from msgspec import Struct

from windowpane.errors import InvalidInput

DraftKind = Literal["chat", "new-chat", "system-prompt", "edit"]
KINDS: tuple[str, ...] = get_args(DraftKind)


class DraftPlace(Struct, frozen=True):
    kind: DraftKind
    owner_id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.owner_id}"


class Draft(Struct, frozen=True, kw_only=True):
    text: str
    saved_at: datetime


def place_from(text: str) -> DraftPlace:
    kind, colon, owner_id = text.partition(":")
    for known in get_args(DraftKind):
        if kind == known and colon and owner_id:
            return DraftPlace(known, owner_id)
    raise InvalidInput(
        f"{text!r} is no place for a draft. One looks like chat:ID; kinds: {', '.join(KINDS)}."
    )
