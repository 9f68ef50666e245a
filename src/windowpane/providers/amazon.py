"""Where Amazon Bedrock is and how a request proves who sends it.

A base URL may be a region alone; the key is a bearer token, or else the request is signed with
the credentials of the usual AWS environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote, urlsplit

from windowpane.definitions import ProviderDefinition
from windowpane.errors import InvalidInput
from windowpane.providers.amazon_signing import signed_headers
from windowpane.providers.base import WireRequest
from windowpane.providers.writing import Written

DEFAULT_REGION = "us-east-1"
REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d")
AMAZON_HOST = re.compile(
    rf"(?P<lead>(?:.+\.)?)bedrock(?:-runtime)?(?P<fips>-fips)?\.(?P<region>{REGION.pattern})"
    r"(?P<tail>(?:\.vpce)?\.amazonaws\.com(?:\.cn)?)"
)


class AmazonDialect:
    """Where Bedrock is asked and who asks, whatever the words; the model is in the address."""

    def __init__(self, definition: ProviderDefinition) -> None:
        self._given_url = definition.base_url
        self.base_url = amazon_runtime_url(definition.base_url)
        self.secrets = amazon_secrets(definition)
        self._authorise = amazon_authorise(definition, region=amazon_region(definition.base_url))

    def authorise(self, wire: WireRequest) -> Mapping[str, str]:
        return self._authorise(wire)

    def _asking(self, written: Written, *, model: str, act: str) -> WireRequest:
        return WireRequest(
            method="POST",
            url=f"{self.base_url}/model/{quote(model, safe='')}/{act}",
            headers={"content-type": "application/json"},
            body=written.body,
            spans=written.spans,
        )


def is_amazon_address(base_url: str) -> bool:
    """Whether a base URL that may be anybody's names Bedrock: by region, or by its host."""
    base_url = base_url.strip()
    if base_url.startswith("bedrock:") or REGION.fullmatch(base_url):
        return True
    return _amazon_host(base_url) is not None


def amazon_region(base_url: str) -> str:
    """Raises ``InvalidInput`` for what is neither a region nor an address."""
    base_url = base_url.strip()
    name = base_url.removeprefix("bedrock:")
    if not name:
        return _environment_region()
    if REGION.fullmatch(name):
        return name
    if not base_url.startswith(("http://", "https://")):
        raise InvalidInput(
            f"The base URL {base_url!r} cannot be used: write a region as us-west-2, "
            "bedrock:us-west-2, or an address as https://bedrock-runtime.us-west-2.amazonaws.com."
        )
    host = _amazon_host(base_url)
    return host["region"] if host else _environment_region()


def amazon_runtime_url(base_url: str) -> str:
    """Where models answer. An address that is not Amazon's is used as it is."""
    return _address(base_url, service="bedrock-runtime", region=amazon_region(base_url))


def amazon_control_url_in(region: str, *, base_url: str) -> str:
    """Where a region lists its models; an address that is not Amazon's stands for all of them."""
    return _address(base_url, service="bedrock", region=region)


def amazon_secrets(definition: ProviderDefinition) -> tuple[str, ...]:
    """What must never show in an error: Amazon quotes signed headers when a signature is wrong."""
    named = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    from_environment = (os.environ.get(name, "") for name in named)
    return (definition.api_key, *definition.headers.values(), *from_environment)


def amazon_authorise(
    definition: ProviderDefinition, *, region: str
) -> Callable[[WireRequest], Mapping[str, str]]:
    """The headers that prove who asks, for any request to Bedrock.

    A signature is made for the region that the request's address names, else for ``region``.
    """

    def authorise(wire: WireRequest) -> Mapping[str, str]:
        token = definition.api_key or os.environ.get("AWS_BEARER_TOKEN_BEDROCK", "")
        if token:
            return {"authorization": f"Bearer {token}", **definition.headers}
        if any(name.lower() == "authorization" for name in definition.headers):
            return definition.headers
        host = _amazon_host(wire.url)
        signed = signed_headers(
            wire, extra=definition.headers, region=host["region"] if host else region
        )
        return {**definition.headers, **signed}

    return authorise


def _environment_region() -> str:
    named = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return named or DEFAULT_REGION


def _amazon_host(url: str) -> re.Match[str] | None:
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        return None
    return AMAZON_HOST.fullmatch(host)


def _address(base_url: str, *, service: str, region: str) -> str:
    base_url = base_url.strip()
    if not base_url.startswith(("http://", "https://")):
        suffix = ".cn" if region.startswith("cn-") else ""
        return f"https://{service}.{region}.amazonaws.com{suffix}"
    host = _amazon_host(base_url)
    if host is None:
        return base_url.rstrip("/")
    return f"https://{host['lead']}{service}{host['fips'] or ''}.{region}{host['tail']}"
