"""All that is known of one model, as one value: its limits and prices, each with its source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from windowpane.catalog.facts import limits_of, price_of
from windowpane.catalog.limits import Limits, LimitValues
from windowpane.catalog.long_context import has_long_context_switch
from windowpane.catalog.overrides import ModelOverride, override_for
from windowpane.catalog.prices import PriceSnapshot, PriceSource, with_manual_prices
from windowpane.definitions import ModelInfo, ProviderDefinition


class ModelFacts(Struct, frozen=True, kw_only=True):
    """``override`` is what a person said that holds for this model.

    ``told_price_source`` is where those prices are known from that the person did not set.
    ``can_be_long``: the model takes a million tokens if its switch is set.
    """

    name: str
    provider: str
    model: ModelInfo
    limits: Limits
    price: PriceSnapshot
    told_price_source: PriceSource
    override: ModelOverride | None
    can_be_long: bool


def facts_of(
    info: ModelInfo,
    *,
    definition: ProviderDefinition,
    overrides: Sequence[ModelOverride],
    taken_at: datetime,
) -> ModelFacts:
    """Looking up prices imports their package, which takes most of a second the first time."""
    override = override_for(info.name, overrides)
    told = price_of(
        info.name, definition=definition, told=info.prices, override=None, taken_at=taken_at
    )
    return ModelFacts(
        name=f"{definition.name}/{info.name}",
        provider=definition.name,
        model=info,
        limits=known_limits(info, definition=definition, override=override),
        price=with_manual_prices(told, override.prices) if override else told,
        told_price_source=told.source,
        override=override,
        can_be_long=has_long_context_switch(info.name),
    )


def known_limits(
    info: ModelInfo, *, definition: ProviderDefinition, override: ModelOverride | None
) -> Limits:
    return limits_of(
        info.name,
        definition=definition,
        told=_told(info),
        learned=LimitValues(),
        override=override,
    )


def _told(info: ModelInfo) -> LimitValues:
    return LimitValues(
        context_window_tokens=info.context_window_tokens,
        input_tokens=info.input_tokens,
        output_tokens=info.output_tokens,
    )
