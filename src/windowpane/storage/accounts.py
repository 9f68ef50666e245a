"""Receipts, the texts they share, and usage events: which rows they are.

A receipt lies below its turn. A usage event lies below the day it happened on, in UTC, because it
outlives its chat; what it says of project, chat and model is sealed.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from hashlib import blake2b

from windowpane.accounting import UsageEvent
from windowpane.context.receipt import Receipt
from windowpane.storage.base import Put
from windowpane.storage.shelves import RECEIPTS, TEXTS, USAGE, SharedText, micros
from windowpane.storage.vault import Vault


def put_receipt(vault: Vault, receipt: Receipt) -> Put:
    return vault.put(
        RECEIPTS,
        receipt,
        id=receipt.id,
        parent_id=receipt.turn_id,
        position=receipt.number,
        expected_version=0,
    )


def put_usage(vault: Vault, event: UsageEvent) -> Put:
    return vault.put(
        USAGE,
        event,
        id=event.id,
        parent_id=day_id(event.at.astimezone(UTC).date()),
        position=micros(event.at),
        expected_version=0,
    )


def put_text(vault: Vault, text: str, *, chat_id: str) -> Put:
    """Written again and again it is the same row."""
    return vault.put(
        TEXTS,
        SharedText(text),
        id=text_id(vault, text, chat_id=chat_id),
        parent_id=chat_id,
        position=0,
        expected_version=None,
    )


def text_id(vault: Vault, text: str, *, chat_id: str) -> str:
    """An address that only the vault's key can compute: nobody can try words against it."""
    key = vault.derived_key("text address")
    digest = blake2b(text.encode(), key=key, digest_size=20).hexdigest()
    return f"{chat_id}:{digest}"


def day_id(day: date) -> str:
    return day.isoformat()


async def receipts_of(vault: Vault, turn_id: str) -> list[Receipt]:
    """The receipts of a turn in the order of its requests."""
    return (await vault.all_children(RECEIPTS, [turn_id])).values


async def usage_between(vault: Vault, start: datetime, end: datetime) -> list[UsageEvent]:
    """The usage events of a span of time, oldest first; days without any cost nothing."""
    first, last = start.astimezone(UTC), end.astimezone(UTC)
    days = [
        day_id(date.fromordinal(number))
        for number in range(first.date().toordinal(), last.date().toordinal() + 1)
    ]
    listing = await vault.children(
        USAGE,
        days,
        from_position=micros(first),
        to_position=micros(last) - 1,
        newest_first=False,
        limit=None,
    )
    return listing.values
