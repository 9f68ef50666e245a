"""All that is known of one model, put together from its sources in the right order."""

from __future__ import annotations

from datetime import datetime

from windowpane.catalog.limits import UNKNOWN_LIMITS, Limits, LimitValues, merged
from windowpane.catalog.long_context import has_long_context_switch, with_long_context
from windowpane.catalog.models import catalog_limits, catalog_provider
from windowpane.catalog.overrides import ModelOverride
from windowpane.catalog.price_lookup import catalog_price
from windowpane.catalog.prices import (
    PriceSnapshot,
    local_price,
    with_manual_prices,
    with_told_prices,
)
from windowpane.definitions import Family, ModelPrices, ProviderDefinition

# Where a family is when a definition does not say.
ADDRESSES: dict[Family, str] = {
    "openai_chat": "https://api.openai.com/v1",
    "openai_responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com/v1beta",
    "bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
}


def address_of(definition: ProviderDefinition) -> str:
    """The address by which catalogs know a provider; a region alone is Amazon's."""
    base_url = definition.base_url
    if base_url.startswith(("http://", "https://")):
        return base_url
    if base_url and definition.family in ("anthropic", "bedrock"):
        return ADDRESSES["bedrock"]
    return ADDRESSES.get(definition.family, base_url)


def limits_of(
    model: str,
    *,
    definition: ProviderDefinition,
    told: LimitValues,
    learned: LimitValues,
    override: ModelOverride | None,
) -> Limits:
    """``told`` is what the provider's own list says, ``learned`` what errors and headers taught."""
    # How a local server was started decides, not what the model could take.
    limits = UNKNOWN_LIMITS if definition.is_local else _from_catalog(model, definition)
    if override and override.uses_long_context and has_long_context_switch(model):
        limits = with_long_context(limits)
    limits = merged(limits, told, source="provider")
    limits = merged(limits, learned, source="learned")
    return merged(limits, override.limits, source="manual") if override else limits


def price_of(
    model: str,
    *,
    definition: ProviderDefinition,
    told: ModelPrices | None,
    override: ModelOverride | None,
    taken_at: datetime,
) -> PriceSnapshot:
    """``told`` is what the provider's own list says."""
    if definition.is_local or definition.family in ("local", "scripted"):
        price = local_price(model, taken_at=taken_at)
    else:
        price = catalog_price(model, base_url=address_of(definition), taken_at=taken_at)
    price = with_told_prices(price, told) if told else price
    return with_manual_prices(price, override.prices) if override else price


def _from_catalog(model: str, definition: ProviderDefinition) -> Limits:
    return catalog_limits(model, provider=catalog_provider(address_of(definition)))
