"""Provider definitions and what a provider tells of its models.

A definition says where a provider is and how to reach it; it is stored sealed, key included.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Family = Literal[
    "openai_chat", "openai_responses", "anthropic", "bedrock", "google", "local", "scripted"
]
Ability = Literal["images", "reasoning", "tools", "web_search"]


class ProviderDefinition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``name`` is the first half of a model's full name: ``name/model``.

    An empty ``base_url`` is the family's own address. ``models_endpoint`` is asked for the list of
    models instead, without the key. ``headers`` go with every request and are kept as secret as
    the key: some services put one there.
    """

    id: str
    name: str
    family: Family
    base_url: str = ""
    api_key: str = ""
    is_local: bool = False
    icon: str = ""
    models_endpoint: str = ""
    headers: dict[str, str] = {}


class ModelPrices(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """US dollars for a million tokens, as a provider's own list gives them."""

    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    cache_read_usd: Decimal | None = None
    cache_write_usd: Decimal | None = None


class ModelInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a provider's list says of a model; what it does not say is None.

    ``label`` is a remark shown beside the name wherever the model is shown.
    """

    name: str
    context_window_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    prices: ModelPrices | None = None
    abilities: tuple[Ability, ...] | None = None
    label: str = ""
