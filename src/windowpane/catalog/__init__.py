"""What is known about models: limits and prices, as values that say where they come from.

Both packages with the data are imported on first use. Nothing here contacts anybody.
"""

from windowpane.catalog.compression import CompressionDefaults, compression_defaults
from windowpane.catalog.facts import address_of, limits_of, price_of
from windowpane.catalog.learned import OverflowNumbers, limits_in_headers, overflow_numbers
from windowpane.catalog.limits import (
    UNKNOWN,
    UNKNOWN_LIMITS,
    Limit,
    Limits,
    LimitValues,
    Source,
    merged,
)
from windowpane.catalog.long_context import has_long_context_switch, with_long_context
from windowpane.catalog.models import catalog_limits, catalog_provider
from windowpane.catalog.names import Match, MatchMode, find, mode_of
from windowpane.catalog.overrides import ModelOverride, NamePattern, override_for, score
from windowpane.catalog.price_lookup import catalog_price
from windowpane.catalog.prices import (
    PriceSnapshot,
    PriceSource,
    PriceTier,
    PriceValues,
    Rate,
    local_price,
    unknown_price,
    with_manual_prices,
)

__all__ = [
    "UNKNOWN",
    "UNKNOWN_LIMITS",
    "CompressionDefaults",
    "Limit",
    "LimitValues",
    "Limits",
    "Match",
    "MatchMode",
    "ModelOverride",
    "NamePattern",
    "OverflowNumbers",
    "PriceSnapshot",
    "PriceSource",
    "PriceTier",
    "PriceValues",
    "Rate",
    "Source",
    "address_of",
    "catalog_limits",
    "catalog_price",
    "catalog_provider",
    "compression_defaults",
    "find",
    "has_long_context_switch",
    "limits_in_headers",
    "limits_of",
    "local_price",
    "merged",
    "mode_of",
    "overflow_numbers",
    "override_for",
    "price_of",
    "score",
    "unknown_price",
    "with_long_context",
    "with_manual_prices",
]
