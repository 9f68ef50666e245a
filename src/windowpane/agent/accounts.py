"""The accounts of one running turn: the request on its way, and those that ended.

Attempts write here as things happen, without waiting; the journal takes what is new to disk with
its own batches. Nothing is decided here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import datetime

from msgspec import structs

from windowpane.accounting import Cause, UsageEntry, UsageEvent
from windowpane.catalog.prices import PriceSnapshot, unknown_price
from windowpane.context.receipt import Receipt, Stage
from windowpane.errors import Failure
from windowpane.events import PartDelta, PartDone, StreamEvent, UsageReported
from windowpane.ids import new_id
from windowpane.parts import Part, Reasoning, Text, ToolCall
from windowpane.storage.accounts import put_receipt, put_text, put_usage
from windowpane.storage.base import Change, Put
from windowpane.storage.vault import Vault
from windowpane.tokens import Counter
from windowpane.usage import TokenUsage


class OpenAccount:
    """One request on its way: what has been heard of it so far.

    The price is looked up meanwhile, because the first look takes longer than a first word.
    """

    def __init__(
        self,
        receipt: Receipt,
        *,
        price: asyncio.Future[PriceSnapshot],
        counter: Counter,
        release: tuple[Change, ...],
    ) -> None:
        self.receipt = receipt
        self.release = release
        self.usage: TokenUsage | None = None
        self.parts: list[Part] = []
        self.has_begun = False
        self._price = price
        self._counter = counter
        self.goes_out()
        self._first_event_seconds: float | None = None
        self._heard_characters = 0
        self._written_tokens = 0

    def goes_out(self) -> None:
        """What comes before, as setting money aside, is no time of the provider's."""
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    async def priced(self) -> None:
        """Wait until the price is known, or cannot be."""
        await asyncio.wait([self._price])

    def hear(self, event: StreamEvent) -> None:
        if not self.has_begun:
            self.has_begun = True
            self._first_event_seconds = self.seconds
        if isinstance(event, PartDone):
            self.parts.append(event.part)
        match event:
            case PartDelta():
                self._heard_characters += len(event.text)
            case PartDone(part=Text() | Reasoning() | ToolCall() as part):
                self._written_tokens += self._counter.part(part)
                self._heard_characters = 0
            case UsageReported():
                self.usage = event.usage
            case _:
                pass

    def so_far(self) -> Receipt:
        """As it would stand if this process died now."""
        return self.ended("interrupted", None)

    def ended(self, stage: Stage, failure: Failure | None) -> Receipt:
        return structs.replace(
            self.receipt,
            stage=stage,
            failure=failure,
            seconds=round(self.seconds, 4),
            first_event_seconds=_rounded(self._first_event_seconds),
            entry=self._entry(),
        )

    def _entry(self) -> UsageEntry | None:
        """None if the provider said nothing at all: a refusal costs nothing."""
        if self.usage is None and not self.has_begun:
            return None
        return UsageEntry(
            cause=self.receipt.cause,
            usage=self.usage or self._estimate(),
            price=self._known_price(),
            round=self.receipt.round,
            is_estimated=self.usage is None,
        )

    def _known_price(self) -> PriceSnapshot:
        """Unknown, if somebody stopped before it was found, or removed the provider meanwhile."""
        is_found = self._price.done() and not self._price.cancelled()
        if is_found and self._price.exception() is None:
            return self._price.result()
        return unknown_price(self.receipt.model, taken_at=self.receipt.started_at)

    def _estimate(self) -> TokenUsage:
        # A part that broke off was not counted word by word; four characters make a token.
        return TokenUsage(
            input_tokens=self.receipt.sizes.total_tokens,
            output_tokens=self._written_tokens + -(-self._heard_characters // 4),
        )


class Accounts:
    """``unwritten`` are rows that no batch has taken yet, in the order in which they came.

    ``requests`` counts those of the turn, also before it had to wait; ``entries`` are what those
    that ended here have used. ``kept_texts`` are the ids of shared texts that are known to be
    stored; what is written from here is added to them.
    """

    def __init__(self, vault: Vault, *, requests: int, kept_texts: set[str]) -> None:
        self._vault = vault
        self._kept_texts = kept_texts
        self._texts: set[str] = set()
        self.open: OpenAccount | None = None
        self.unwritten: list[Change] = []
        self.requests = requests
        self.entries: list[UsageEntry] = []

    def begin(self, account: OpenAccount, *, texts: Mapping[str, str]) -> None:
        """``texts`` are those that requests of a chat share, by their ids."""
        self.open = account
        self.requests += 1
        for id, text in texts.items():
            if id not in self._texts and id not in self._kept_texts:
                self._texts.add(id)
                self.unwritten.append(put_text(self._vault, text, chat_id=account.receipt.chat_id))

    def end(self, stage: Stage, *, failure: Failure | None, at: datetime) -> Receipt | None:
        """Close the open request, if there is one."""
        if self.open is None:
            return None
        receipt = self.open.ended(stage, failure)
        if receipt.entry is not None:
            self.entries.append(receipt.entry)
        self.unwritten.extend(receipt_rows(self._vault, receipt, at=at))
        self.unwritten.extend(self.open.release)
        self.open = None
        return receipt

    def written(self, count: int) -> None:
        taken = self.unwritten[:count]
        self._kept_texts.update(
            one.id for one in taken if isinstance(one, Put) and one.table == "texts"
        )
        del self.unwritten[:count]


def receipt_rows(vault: Vault, receipt: Receipt, *, at: datetime) -> list[Change]:
    """A receipt that is closed, and what it cost, if anything."""
    rows: list[Change] = [put_receipt(vault, receipt)]
    if receipt.entry is not None:
        rows.append(put_usage(vault, usage_event(receipt, at=at)))
    return rows


def usage_event(receipt: Receipt, *, at: datetime) -> UsageEvent:
    assert receipt.entry is not None, "only what was used is an event"
    return UsageEvent(
        id=new_id("usage"),
        at=at,
        project_id=receipt.project_id,
        chat_id=receipt.chat_id,
        turn_id=receipt.turn_id,
        receipt_id=receipt.id,
        model=receipt.model,
        entry=receipt.entry,
    )


def cause_of(round: int) -> Cause:
    return "tool_round" if round else "answer"


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
