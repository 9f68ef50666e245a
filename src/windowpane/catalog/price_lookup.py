"""Prices from the price package, as snapshots. The one file that knows the package's types.

The package is imported on first use: it takes most of a second and some 30 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from windowpane.catalog.names import MatchMode, mode_of, without_hosts
from windowpane.catalog.prices import PriceSnapshot, PriceTier, Rate, unknown_price

if TYPE_CHECKING:
    from genai_prices.types import MatchLogic, PriceCalculation, TieredPrices


def catalog_price(model: str, *, base_url: str, taken_at: datetime) -> PriceSnapshot:
    """What ``model`` costs at an address at a moment; an empty address is that of its maker.

    A host that the package does not know may ask another price than the model's maker, so then
    the maker's price is taken and is unreliable.
    """
    if base_url and (found := _calculation(model, base_url=base_url, taken_at=taken_at)):
        return _snapshot(found, model, taken_at=taken_at, is_at_host=True)
    if found := _calculation(model, base_url=None, taken_at=taken_at):
        return _snapshot(found, model, taken_at=taken_at, is_at_host=not base_url)
    return unknown_price(model, taken_at=taken_at)


def _calculation(
    model: str, *, base_url: str | None, taken_at: datetime
) -> tuple[str, PriceCalculation] | None:
    """The package's entry, found by the name as it is, then without what is before a slash."""
    from genai_prices import Usage, calc_price

    for name in without_hosts(model):
        try:
            found = calc_price(
                Usage(), name, provider_api_url=base_url, genai_request_timestamp=taken_at
            )
        except LookupError:
            continue
        return name, found
    return None


def _snapshot(
    found: tuple[str, PriceCalculation], model: str, *, taken_at: datetime, is_at_host: bool
) -> PriceSnapshot:
    name, calculation = found
    price = calculation.model_price
    return PriceSnapshot(
        model=model,
        taken_at=taken_at,
        source="catalog",
        match=_mode(name, calculation) if is_at_host else "catch_all",
        matched=f"{calculation.provider.id}/{calculation.model.id}",
        input=_rate(price.input_mtok),
        output=_rate(price.output_mtok),
        reasoning=_rate(price.output_reasoning_mtok),
        cache_read=_rate(price.cache_read_mtok),
        cache_write=_rate(price.cache_write_mtok),
        web_search_usd=_per_one(price.web_searches_kcount),
        request_usd=_per_one(price.requests_kcount) or Decimal(0),
    )


def _mode(name: str, calculation: PriceCalculation) -> MatchMode:
    """An entry's rules are patterns; one that only catches more than it names is a catch-all."""
    model = calculation.model
    modes = {mode_of(name, known) for known in (model.id, *_literals(model.match))}
    if "exact" in modes:
        return "exact"
    return "fuzzy" if "fuzzy" in modes else "catch_all"


def _literals(rule: MatchLogic) -> Iterator[str]:
    from genai_prices.types import (
        ClauseAnd,
        ClauseContains,
        ClauseEndsWith,
        ClauseEquals,
        ClauseOr,
        ClauseStartsWith,
    )

    match rule:
        case ClauseOr(or_=rules) | ClauseAnd(and_=rules):
            for inner in rules:
                yield from _literals(inner)
        case ClauseEquals(equals=text) | ClauseStartsWith(starts_with=text):
            yield text
        case ClauseContains(contains=text) | ClauseEndsWith(ends_with=text):
            yield text
        case _:  # a regular expression names no model
            return


def _rate(price: Decimal | TieredPrices | None) -> Rate | None:
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate(price)
    return Rate(price.base, tuple(PriceTier(tier.start, tier.price) for tier in price.tiers))


def _per_one(price: Decimal | TieredPrices | None) -> Decimal | None:
    """Searches and requests are priced by the thousand, without tiers."""
    rate = _rate(price)
    return None if rate is None else rate.usd_per_million / 1000
