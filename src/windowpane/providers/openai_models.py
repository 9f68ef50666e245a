"""What both OpenAI families share: the header with the key, and the list of models.

Lists come as ``{"data": […]}``, as a plain list, or as names; a definition's own
``models_endpoint`` may give any of them.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from windowpane.definitions import Ability, ModelInfo, ModelPrices, ProviderDefinition
from windowpane.providers.classify import no_list
from windowpane.providers.decoding import NOT_JSON

MILLION = 1_000_000
AZURE_HOSTS = (".openai.azure.com", ".services.ai.azure.com")


class _Pricing(Struct, frozen=True):
    """OpenRouter: US dollars for one token, as text."""

    prompt: str | None = None
    completion: str | None = None
    input_cache_read: str | None = None
    input_cache_write: str | None = None


class _Architecture(Struct, frozen=True):
    input_modalities: list[str] = []


class _TopProvider(Struct, frozen=True):
    max_completion_tokens: int | None = None


class _Model(Struct, frozen=True):
    """The window's name differs: OpenRouter, Groq, vLLM, Mistral."""

    id: str | None = None
    name: str | None = None
    context_length: int | None = None
    context_window: int | None = None
    max_model_len: int | None = None
    max_context_length: int | None = None
    max_completion_tokens: int | None = None
    pricing: _Pricing | None = None
    architecture: _Architecture | None = None
    top_provider: _TopProvider | None = None
    supported_parameters: list[str] | None = None


class _Models(Struct, frozen=True):
    data: list[_Model | str] | None = None
    models: list[_Model | str] | None = None


_decode = msgspec.json.Decoder(_Models | list[_Model | str]).decode


def openai_headers(definition: ProviderDefinition) -> dict[str, str]:
    if not definition.api_key:
        return definition.headers
    host = (urlsplit(definition.base_url).hostname or "").lower()
    if host.endswith(AZURE_HOSTS):
        return {"api-key": definition.api_key, **definition.headers}
    return {"authorization": f"Bearer {definition.api_key}", **definition.headers}


def listed_models(body: bytes, *, url: str) -> list[ModelInfo]:
    try:
        decoded = _decode(body)
    except NOT_JSON as error:
        raise no_list(url) from error
    if isinstance(decoded, _Models):
        entries = decoded.data if decoded.data is not None else decoded.models
    else:
        entries = decoded
    if entries is None:
        raise no_list(url)
    return [info for entry in entries if (info := _info(entry)) is not None]


def _info(entry: _Model | str) -> ModelInfo | None:
    if isinstance(entry, str):
        return ModelInfo(name=entry)
    name = entry.id or entry.name
    if not name:
        return None
    top = entry.top_provider or _TopProvider()
    return ModelInfo(
        name=name,
        context_window_tokens=entry.context_length
        or entry.context_window
        or entry.max_model_len
        or entry.max_context_length,
        output_tokens=top.max_completion_tokens or entry.max_completion_tokens,
        prices=_prices(entry.pricing),
        abilities=_abilities(entry),
    )


def _prices(pricing: _Pricing | None) -> ModelPrices | None:
    if pricing is None:
        return None
    return ModelPrices(
        input_usd=_per_million(pricing.prompt),
        output_usd=_per_million(pricing.completion),
        cache_read_usd=_per_million(pricing.input_cache_read),
        cache_write_usd=_per_million(pricing.input_cache_write),
    )


def _per_million(price: str | None) -> Decimal | None:
    """A price below zero says that it depends on where the request is routed."""
    try:
        usd = Decimal(price or "")
    except InvalidOperation:
        return None
    return usd * MILLION if usd.is_finite() and usd >= 0 else None


def _abilities(entry: _Model) -> tuple[Ability, ...] | None:
    if entry.supported_parameters is None and entry.architecture is None:
        return None
    parameters = entry.supported_parameters or []
    found: list[Ability] = []
    if entry.architecture and "image" in entry.architecture.input_modalities:
        found.append("images")
    if "reasoning" in parameters:
        found.append("reasoning")
    if "tools" in parameters:
        found.append("tools")
    return tuple(found)
