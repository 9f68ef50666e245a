"""What other processes are told of a batch: which rows it touched, never what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

import msgspec

from windowpane.storage.base import (
    TOLD,
    Change,
    Delete,
    DeleteChildren,
    Move,
    Notice,
    Put,
)

# A batch that touches more, such as a deleted project, says that anything may have changed.
MOST_NOTICES = 50

_DECODER = msgspec.json.Decoder(tuple[str, Notice | None])


def notices_of(changes: Iterable[Change]) -> Sequence[Notice | None]:
    """Each once, in the order of the changes."""
    told = (change for change in changes if change.table in TOLD)
    notices = list(dict.fromkeys(notice for change in told for notice in _notices(change)))
    return notices if len(notices) <= MOST_NOTICES else [None]


def encoded(notice: Notice | None, *, sender: str) -> str:
    return msgspec.json.encode((sender, notice)).decode()


def decoded(text: str) -> tuple[str, Notice | None]:
    """The sender and what it told; what nobody of us wrote is told as anything at all."""
    try:
        return _DECODER.decode(text)
    except msgspec.DecodeError:
        return "", None


def _notices(change: Change) -> Iterator[Notice]:
    match change:
        case Put(table=table, id=id, parent_id=parent_id):
            yield Notice(table=table, id=id, parent_id=parent_id)
        case Move(table=table, ids=ids, to_parent_id=parent_id):
            for id in ids:
                yield Notice(table=table, id=id, parent_id=parent_id)
        case Delete(table=table, id=id):
            yield Notice(table=table, id=id, parent_id="")
        case DeleteChildren(table=table, parent_id=parent_id):
            yield Notice(table=table, id="", parent_id=parent_id)
        case _:
            assert_never(change)
