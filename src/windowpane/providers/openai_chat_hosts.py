"""How servers that speak Chat Completions differ in what they take, by their addresses.

A server that is not known gets the plainest words, and its own fields back as they came.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct, structs

from windowpane.options import Effort
from windowpane.providers.openai_models import AZURE_HOSTS

# Most servers take whatever id another one made up.
ANY_CALL_ID = r".+"


class Host(Struct, frozen=True, kw_only=True):
    """One kind of server.

    ``known_effort``: only models that are known to take a level are told one. ``efforts`` are the
    levels that the server takes, none if they depend on the model. ``gives_back`` are the fields
    of its own answers that it wants to see again, ``content`` for parts of the content; None for
    all: a strict server refuses what another one has sent. ``field_of_calls`` must be on every
    message with calls, if only empty. ``call_id_form`` is a pattern that ids of calls must match.
    """

    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning: Literal[
        "effort", "known_effort", "openrouter", "google", "on_or_off", "high_or_none"
    ] = "effort"
    efforts: tuple[Effort, ...] = ()
    search: Literal["unsupported", "openai", "openrouter", "xai"] = "unsupported"
    prefill: Literal["unsupported", "plain", "prefix", "continue"] = "plain"
    gives_back: frozenset[str] | None = None
    gives_back_images: bool = False
    field_of_calls: str = ""
    has_cache_marks: bool = False
    has_stream_options: bool = True
    call_id_form: str = ANY_CALL_ID


PLAIN_HOST = Host()
OPENAI = Host(
    limit_name="max_completion_tokens",
    reasoning="known_effort",
    search="openai",
    prefill="unsupported",
    gives_back=frozenset(),
    call_id_form=r".{1,40}",
)
OPENROUTER = Host(
    reasoning="openrouter",
    search="openrouter",
    gives_back=frozenset({"reasoning", "reasoning_content", "reasoning_details"}),
    gives_back_images=True,
    has_cache_marks=True,
)
MISTRAL = Host(
    reasoning="high_or_none",
    prefill="prefix",
    gives_back=frozenset({"content"}),
    # It tells usage anyway, and refuses fields that it does not know.
    has_stream_options=False,
    call_id_form=r"[A-Za-z0-9]{9}",
)
DEEPSEEK = Host(
    reasoning="on_or_off",
    prefill="unsupported",
    gives_back=frozenset({"reasoning_content"}),
    field_of_calls="reasoning_content",
)
DEEPSEEK_BETA = structs.replace(DEEPSEEK, prefill="prefix")
ZAI = Host(
    reasoning="on_or_off", prefill="unsupported", gives_back=frozenset({"reasoning_content"})
)
VLLM = Host(prefill="continue")

HOSTS = {
    "api.openai.com": OPENAI,
    "openrouter.ai": OPENROUTER,
    "api.mistral.ai": MISTRAL,
    "api.deepseek.com": DEEPSEEK,
    "api.z.ai": ZAI,
    "open.bigmodel.cn": ZAI,
    "api.groq.com": Host(efforts=("low", "medium", "high"), gives_back=frozenset({"reasoning"})),
    "api.cerebras.ai": Host(
        efforts=("none", "low", "medium", "high"),
        prefill="unsupported",
        gives_back=frozenset({"reasoning"}),
    ),
    "api.x.ai": Host(
        reasoning="known_effort",
        search="xai",
        prefill="unsupported",
        gives_back=frozenset({"reasoning_content"}),
    ),
    "api.perplexity.ai": Host(prefill="unsupported", gives_back=frozenset()),
    "generativelanguage.googleapis.com": Host(
        reasoning="google",
        efforts=("none", "minimal", "low", "medium", "high"),
        prefill="unsupported",
        gives_back=frozenset({"extra_content"}),
    ),
}
VLLM_PORT = 8000


def host_of(base_url: str) -> Host:
    url = urlsplit(base_url)
    name = (url.hostname or "").lower()
    if name.endswith(AZURE_HOSTS):
        return OPENAI
    host = HOSTS.get(name, PLAIN_HOST)
    if host is DEEPSEEK and url.path.rstrip("/").endswith("/beta"):
        return DEEPSEEK_BETA
    if host is PLAIN_HOST and _is_vllm(url):
        return VLLM
    return host


def _is_vllm(url: SplitResult) -> bool:
    """By its usual port, and only near: elsewhere a port says nothing."""
    return url.port == VLLM_PORT and _is_near(url.hostname or "")


def _is_near(name: str) -> bool:
    try:
        return ip_address(name).is_private
    except ValueError:
        return name == "localhost"
