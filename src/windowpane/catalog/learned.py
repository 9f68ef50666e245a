"""Limits that a refusal or a response's headers teach.

Reads the sentences and headers that providers use; says nothing about what to do with them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from windowpane.catalog.limits import LimitValues


class OverflowNumbers(Struct, frozen=True, kw_only=True):
    """What an overflow error said: what the limit is, and how much was sent, if it told."""

    limits: LimitValues
    limit_tokens: int
    sent_tokens: int | None


_N = r"([\d,]+)"
# (pattern, whether it is the whole window or the input alone that was named); groups: limit, sent.
_SENTENCES: tuple[tuple[re.Pattern[str], bool], ...] = (
    # Anthropic with max_tokens, before the plain form: "… context limit: 188240 + 21333 > 200000"
    (re.compile(rf"context limit: (?P<sent>{_N} \+ {_N}) > (?P<limit>{_N})"), True),
    (re.compile(rf"too long: (?P<sent>{_N}) tokens > (?P<limit>{_N}) maximum"), True),
    # OpenAI and the servers that speak like it
    (
        re.compile(
            rf"maximum context length (?:is|of) (?P<limit>{_N}) tokens"
            rf"(?:.*?(?:resulted in|requested(?: about)?) (?P<sent>{_N}) tokens)?",
            re.DOTALL,
        ),
        True,
    ),
    # Google
    (
        re.compile(
            rf"input token count(?: \((?P<sent>{_N})\))? exceeds the maximum "
            rf"number of tokens allowed \(?(?P<limit>{_N})"
        ),
        False,
    ),
    # llama.cpp
    (
        re.compile(
            rf"request \((?P<sent>{_N}) tokens\) exceeds the available context size "
            rf"\((?P<limit>{_N}) tokens\)"
        ),
        True,
    ),
)


def overflow_numbers(message: str) -> OverflowNumbers | None:
    """The numbers in a provider's overflow message; None if it names no limit."""
    for pattern, is_window in _SENTENCES:
        if found := pattern.search(message):
            limit_tokens = _sum(found["limit"])
            return OverflowNumbers(
                limits=_as_values(limit_tokens, is_window=is_window),
                limit_tokens=limit_tokens,
                sent_tokens=_sum(found["sent"]) if found["sent"] else None,
            )
    return None


# The same header counts requests of a day at Groq, so it is read only where it means a minute.
_COUNTS_REQUESTS_BY_MINUTE = frozenset({"openai", "azure"})


_LIMIT = re.compile(r"0*[1-9]\d{0,14}", re.ASCII)


def limits_in_headers(headers: Mapping[str, str], *, provider: str | None) -> LimitValues:
    """Quotas that a response carries; provider as in the catalog.

    Header names in lower case, or in a mapping that does not mind.
    """
    requests = ["anthropic-ratelimit-requests-limit", "x-ratelimit-limit-requests-minute"]
    if provider in _COUNTS_REQUESTS_BY_MINUTE:
        requests.append("x-ratelimit-limit-requests")
    return LimitValues(
        tokens_per_minute=_first_number(
            headers,
            "anthropic-ratelimit-input-tokens-limit",
            "x-ratelimit-limit-tokens-minute",
            "x-ratelimit-limit-tokens",
        ),
        requests_per_minute=_first_number(headers, *requests),
        tokens_per_day=_first_number(headers, "x-ratelimit-limit-tokens-day"),
    )


def _as_values(limit_tokens: int, *, is_window: bool) -> LimitValues:
    if is_window:
        return LimitValues(context_window_tokens=limit_tokens)
    return LimitValues(input_tokens=limit_tokens)


def _sum(numbers: str) -> int:
    return sum(int(number) for number in re.findall(r"\d+", numbers.replace(",", "")))


def _first_number(headers: Mapping[str, str], *names: str) -> int | None:
    """A limit of nothing is none: the request that was answered would have been over it."""
    values = (headers.get(name, "").strip() for name in names)
    return next((int(value) for value in values if _LIMIT.fullmatch(value)), None)
