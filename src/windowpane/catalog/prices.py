"""Prices as values: a snapshot is stored with each call and gives the same cost for ever after.

US dollars are ``Decimal``: catalogs write them so, sums do not depend on their order, and a stored
price is the price. A snapshot needs no package to be applied again.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from windowpane.catalog.names import MatchMode
from windowpane.definitions import ModelPrices

PriceSource = Literal["catalog", "provider", "manual", "local", "unknown"]


class PriceTier(Struct, frozen=True):
    """The price of all tokens of a request whose input is larger than the threshold."""

    above_input_tokens: int
    usd_per_million: Decimal


class Rate(Struct, frozen=True, omit_defaults=True):
    """US dollars for a million tokens, with dearer tiers for long requests, smallest first."""

    usd_per_million: Decimal
    tiers: tuple[PriceTier, ...] = ()

    def usd(self, tokens: int, *, request_tokens: int) -> Decimal:
        price = self.usd_per_million
        for tier in self.tiers:
            if request_tokens > tier.above_input_tokens:
                price = tier.usd_per_million
        return price * tokens / 1_000_000


class PriceValues(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Prices that a person sets; what is left out stays as it is."""

    input: Rate | None = None
    output: Rate | None = None
    reasoning: Rate | None = None
    cache_read: Rate | None = None
    cache_write: Rate | None = None
    web_search_usd: Decimal | None = None
    request_usd: Decimal | None = None


class PriceSnapshot(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model cost at one moment. None is an unknown price, never a free one."""

    model: str
    taken_at: datetime
    source: PriceSource
    match: MatchMode
    matched: str = ""
    input: Rate | None = None
    output: Rate | None = None
    reasoning: Rate | None = None
    cache_read: Rate | None = None
    cache_write: Rate | None = None
    web_search_usd: Decimal | None = None
    request_usd: Decimal = Decimal(0)

    @property
    def is_unreliable(self) -> bool:
        return self.match in ("catch_all", "none")


def usd_text(amount: Decimal) -> str:
    """At least cents, and every digit that a price has."""
    whole, _, cents = f"{amount:f}".partition(".")
    return f"${whole}.{cents.rstrip('0').ljust(2, '0')}"


def unknown_price(model: str, *, taken_at: datetime) -> PriceSnapshot:
    return PriceSnapshot(model=model, taken_at=taken_at, source="unknown", match="none")


def local_price(model: str, *, taken_at: datetime) -> PriceSnapshot:
    """A model that runs on the user's own machine costs nothing, and that is known."""
    free = Rate(Decimal(0))
    return PriceSnapshot(
        model=model,
        taken_at=taken_at,
        source="local",
        match="exact",
        matched=model,
        input=free,
        output=free,
        web_search_usd=Decimal(0),
    )


def with_told_prices(snapshot: PriceSnapshot, told: ModelPrices) -> PriceSnapshot:
    """The snapshot with what the provider's own list says, which knows best what it will charge."""
    if told.input_usd is None or told.output_usd is None:
        return snapshot
    return replace(
        snapshot,
        source="provider",
        match="exact",
        matched=snapshot.model,
        input=Rate(told.input_usd),
        output=Rate(told.output_usd),
        cache_read=_told_rate(told.cache_read_usd) or snapshot.cache_read,
        cache_write=_told_rate(told.cache_write_usd) or snapshot.cache_write,
    )


def _told_rate(usd_per_million: Decimal | None) -> Rate | None:
    return None if usd_per_million is None else Rate(usd_per_million)


def with_manual_prices(snapshot: PriceSnapshot, values: PriceValues) -> PriceSnapshot:
    """The snapshot with a person's prices; both main prices set by hand make it reliable."""
    manual = {name: value for name, value in asdict(values).items() if value is not None}
    if not manual:
        return snapshot
    is_settled = values.input is not None and values.output is not None
    match: MatchMode = "exact" if is_settled else snapshot.match
    return replace(snapshot, **manual, source="manual", match=match)
