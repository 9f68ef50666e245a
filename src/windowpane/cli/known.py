"""A model's facts as the command line tells them: a JSON object, or lines for a terminal.

Every limit and the prices say where they are known from; what nobody knows is said to be unknown.
"""

from __future__ import annotations

from decimal import Decimal

from msgspec import Struct
from msgspec.structs import asdict

from windowpane.agent.facts import ModelFacts
from windowpane.catalog import Limit, MatchMode, ModelOverride, PriceSnapshot, PriceSource, Rate
from windowpane.catalog.prices import usd_text
from windowpane.cli.columns import columns
from windowpane.definitions import Ability

LIMIT_WORDS = {
    "context_window_tokens": ("window", "tokens"),
    "input_tokens": ("input", "tokens"),
    "output_tokens": ("output", "tokens"),
    "tokens_per_minute": ("a minute", "tokens"),
    "requests_per_minute": ("a minute", "requests"),
    "tokens_per_day": ("a day", "tokens"),
}
RATE_WORDS = {
    "input": "input price",
    "output": "output price",
    "reasoning": "reasoning price",
    "cache_read": "price of reading the cache",
    "cache_write": "price of writing the cache",
}
UNKNOWN = "unknown"


class KnownPrices(Struct, frozen=True, kw_only=True):
    """US dollars, for a million tokens or for one search or request."""

    source: PriceSource
    match: MatchMode
    matched: str
    is_unreliable: bool
    input: Rate | None
    output: Rate | None
    reasoning: Rate | None
    cache_read: Rate | None
    cache_write: Rate | None
    web_search_usd: Decimal | None
    request_usd: Decimal


class KnownModel(Struct, frozen=True, kw_only=True):
    """Every key is always there; abilities are None where the provider's list says nothing."""

    name: str
    provider: str
    label: str
    limits: dict[str, Limit]
    prices: KnownPrices
    abilities: tuple[Ability, ...] | None
    override: ModelOverride | None


def known_model(facts: ModelFacts) -> KnownModel:
    return KnownModel(
        name=facts.name,
        provider=facts.provider,
        label=facts.model.label,
        limits=asdict(facts.limits),
        prices=_prices(facts.price),
        abilities=facts.model.abilities,
        override=facts.override,
    )


def model_text(known: KnownModel) -> str:
    title = f"{known.name} ({known.label})" if known.label else known.name
    rows = [*_limit_rows(known), *_price_rows(known.prices), *_other_rows(known)]
    return f"{title}\n{columns(rows)}"


def price_text(prices: KnownPrices, rate: Rate | None) -> str:
    """In a word; a price that may be another at this provider is not told as certain."""
    if rate is None:
        return "?"
    return ("~" if prices.is_unreliable else "") + usd_text(rate.usd_per_million)


def _prices(price: PriceSnapshot) -> KnownPrices:
    return KnownPrices(
        source=price.source,
        match=price.match,
        matched=price.matched,
        is_unreliable=price.is_unreliable,
        input=price.input,
        output=price.output,
        reasoning=price.reasoning,
        cache_read=price.cache_read,
        cache_write=price.cache_write,
        web_search_usd=price.web_search_usd,
        request_usd=price.request_usd,
    )


def _limit_rows(known: KnownModel) -> list[list[str]]:
    rows: list[list[str]] = []
    for name, limit in known.limits.items():
        words, unit = LIMIT_WORDS[name]
        if limit.value is not None:
            rows.append([words, f"{limit.value:,} {unit}", limit.source])
        elif name == "context_window_tokens":
            rows.append([words, UNKNOWN, ""])
    return rows


def _price_rows(prices: KnownPrices) -> list[list[str]]:
    source = _price_source(prices)
    rates: dict[str, Rate | None] = {
        words: getattr(prices, name) for name, words in RATE_WORDS.items()
    }
    rows = [[words, _rate_text(rate), source] for words, rate in rates.items() if rate is not None]
    if prices.web_search_usd is not None:
        rows.append(["price of a web search", usd_text(prices.web_search_usd), source])
    if prices.request_usd:
        rows.append(["price of a request", usd_text(prices.request_usd), source])
    return rows or [["prices", UNKNOWN, ""]]


def _price_source(prices: KnownPrices) -> str:
    if prices.source == "catalog":
        doubt = ", unreliable" if prices.is_unreliable else ""
        return f"catalog, as {prices.matched}{doubt}"
    return prices.source


def _other_rows(known: KnownModel) -> list[list[str]]:
    able = UNKNOWN if known.abilities is None else ", ".join(known.abilities) or "text only"
    rows = [["abilities", able, "" if known.abilities is None else "provider"]]
    if known.override is not None:
        rows.append(["set by hand", f"for {known.override.models}", "manual"])
    return rows


def _rate_text(rate: Rate) -> str:
    tiers = [
        f"{usd_text(tier.usd_per_million)} above {tier.above_input_tokens:,} tokens"
        for tier in rate.tiers
    ]
    return ", ".join([f"{usd_text(rate.usd_per_million)} a million tokens", *tiers])
