"""What a person sets for models by hand, as the pages show it: the form, and a line for each.

A box of the form shows what was set, and in its place what would be known otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec
from msgspec import Struct

from windowpane.agent.facts import ModelFacts
from windowpane.catalog.limits import LimitValues
from windowpane.catalog.overrides import ModelOverride, override_for
from windowpane.catalog.prices import PriceSnapshot, PriceValues, usd_text
from windowpane.web.pages.model_views import (
    LIMIT_WORDS,
    RATE_WORDS,
    UNKNOWN,
    limit_cell,
    listed_limits,
    rate_cell,
    rate_of,
)
from windowpane.web.words import counted

FEE_WORDS: dict[str, str] = {"web_search_usd": "A web search", "request_usd": "A request"}


class Field(Struct, frozen=True, kw_only=True):
    """A box of the form: what a person set, and what would hold if they had not.

    ``tiers`` are the prices of long requests that were set with a price, as JSON.
    """

    name: str
    label: str
    value: str
    known: str
    tiers: str = ""


class OverrideForm(Struct, frozen=True, kw_only=True):
    """``models`` is the name or pattern that is set; ``is_set`` if it is stored already."""

    models: str
    is_set: bool
    limits: tuple[Field, ...]
    rates: tuple[Field, ...]
    fees: tuple[Field, ...]
    can_be_long: bool
    is_long: bool


class OverrideLine(Struct, frozen=True, kw_only=True):
    models: str
    says: str
    reach: str


def form_of(
    models: str, *, override: ModelOverride | None, plain: ModelFacts | None, can_be_long: bool
) -> OverrideForm:
    """``plain`` is what would be known without any override, if it is about one model."""
    return OverrideForm(
        models=models,
        is_set=override is not None,
        limits=_limit_fields(override.limits if override else LimitValues(), plain),
        rates=_rate_fields(override.prices if override else PriceValues(), plain),
        fees=_fee_fields(override.prices if override else PriceValues(), plain),
        can_be_long=can_be_long,
        is_long=override is not None and override.uses_long_context,
    )


def _limit_fields(limits: LimitValues, plain: ModelFacts | None) -> tuple[Field, ...]:
    known = dict(listed_limits(plain.limits)) if plain else {}
    return tuple(
        Field(
            name=name,
            label=words,
            value="" if (value := getattr(limits, name)) is None else str(value),
            known=limit_cell(known[name]).text if known else "",
        )
        for name, words in LIMIT_WORDS.items()
    )


def _rate_fields(prices: PriceValues, plain: ModelFacts | None) -> tuple[Field, ...]:
    return tuple(
        Field(
            name=name,
            label=words,
            value="" if rate is None else _digits(rate.usd_per_million),
            known=rate_cell(plain, name, is_short=True).text if plain else "",
            tiers=msgspec.json.encode(rate.tiers).decode() if rate and rate.tiers else "",
        )
        for name, words in RATE_WORDS.items()
        for rate in (rate_of(prices, name),)
    )


def _fee_fields(prices: PriceValues, plain: ModelFacts | None) -> tuple[Field, ...]:
    return tuple(
        Field(
            name=name,
            label=words,
            value="" if (fee := _fee(prices, name)) is None else _digits(fee),
            known=_known_fee(plain, name) if plain else "",
        )
        for name, words in FEE_WORDS.items()
    )


def override_lines(
    overrides: Sequence[ModelOverride], *, listed: Iterable[str]
) -> list[OverrideLine]:
    """What was set by hand, and how many of the listed models each holds for."""
    holding = [override_for(name, overrides) for name in listed]
    return [
        OverrideLine(
            models=override.models,
            says=_says(override),
            reach=f"holds for {counted(holding.count(override), 'listed model')}",
        )
        for override in overrides
    ]


def _fee(prices: PriceSnapshot | PriceValues, name: str) -> Decimal | None:
    return getattr(prices, name)


def _known_fee(facts: ModelFacts, name: str) -> str:
    fee = _fee(facts.price, name)
    return UNKNOWN if fee is None else usd_text(fee)


def _digits(usd: Decimal) -> str:
    return f"{usd.normalize():f}"


def _says(override: ModelOverride) -> str:
    limits = [
        f"{LIMIT_WORDS[name].lower()} {value:,}"
        for name in LIMIT_WORDS
        if (value := getattr(override.limits, name)) is not None
    ]
    rates = [
        f"{words.lower()} {usd_text(rate.usd_per_million)}"
        for name, words in RATE_WORDS.items()
        if (rate := rate_of(override.prices, name)) is not None
    ]
    fees = [
        f"{words.lower()} {usd_text(fee)}"
        for name, words in FEE_WORDS.items()
        if (fee := _fee(override.prices, name)) is not None
    ]
    long = ["long context"] if override.uses_long_context else []
    return " · ".join([*limits, *rates, *fees, *long]) or "nothing"
