"""Special records of a chat: titles, summaries and accounts between its turns, never sent as such.

Each stands at a place: behind one turn, before whatever comes at its depth. So it belongs to the
branch it was made on, and comes back when the chat does.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from windowpane.accounting import AccountingRecord

# Why an accounting record was made.
EDITED = "Message edited"
FAILED = "Retry after error"
ASKED_AGAIN = "Asked again"
OTHER_MODEL = "Asked another model"
SWAPPED = "Other answer chosen"
DELETED = "Deleted"
FORKED = "Forked"

RecordKind = Literal["system-title", "title", "system-summary", "summary", "accounting"]


class Place(Struct, frozen=True, kw_only=True):
    """``after_id`` is the turn that a record stands behind; None: at the beginning of the chat."""

    depth: int
    after_id: str | None


class TitleRequest(Struct, frozen=True, kw_only=True, tag="system-title"):
    """What the model was asked for a title with."""

    id: str
    place: Place
    created_at: datetime
    text: str


class Title(Struct, frozen=True, kw_only=True, tag="title"):
    id: str
    place: Place
    created_at: datetime
    text: str
    model: str


class SummaryRequest(Struct, frozen=True, kw_only=True, tag="system-summary"):
    """What the model was asked for a summary with."""

    id: str
    place: Place
    created_at: datetime
    text: str


class Summary(Struct, frozen=True, kw_only=True, tag="summary"):
    """A checkpoint: its text stands for the turns between two depths, both included."""

    id: str
    place: Place
    created_at: datetime
    text: str
    model: str
    first_depth: int
    last_depth: int


class Accounting(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="accounting"):
    """The totals before something was left or deleted, or with which a fork began.

    They hold every request of the turns before ``next_depth``, wherever those are by now, so
    that only the path from there on is to be added. ``is_undone``: what it was made for did not
    happen after all; its totals are true all the same.
    """

    id: str
    place: Place
    account: AccountingRecord
    next_depth: int
    is_undone: bool = False

    @property
    def created_at(self) -> datetime:
        return self.account.created_at


SpecialRecord = TitleRequest | Title | SummaryRequest | Summary | Accounting
