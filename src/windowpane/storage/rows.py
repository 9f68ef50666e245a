"""Rows as the SQL engines keep them: the same columns everywhere, time as whole microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from windowpane.storage.base import Row

COLUMNS = "id, parent_id, position, written_at, version, sealed"
Columns = tuple[str, str, int, int, int, bytes]

# What 64 bits hold; a bound that nobody gave is one of these.
LOWEST_POSITION = -(2**63)
HIGHEST_POSITION = 2**63 - 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def row_from(columns: Columns) -> Row:
    id, parent_id, position, written_at, version, sealed = columns
    return Row(
        id=id,
        parent_id=parent_id,
        position=position,
        written_at=_EPOCH + timedelta(0, 0, written_at),
        version=version,
        sealed=sealed,
    )


def now_micros() -> int:
    return (datetime.now(UTC) - _EPOCH) // _MICROSECOND
