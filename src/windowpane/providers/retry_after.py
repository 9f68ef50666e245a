"""How long to wait before asking again, as services tell it: in headers, in fields, in sentences.

Pure. What cannot be a wait is none: nothing that a server may send fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

# No quota takes longer to come back; beyond it a number means something else.
MOST_SECONDS = 31 * 86_400.0
RATE_LIMITED = 429
# A smaller number in the place of a moment is something else, as seconds to wait or since 1970.
MILLISECONDS_OF_2001 = 1e12
NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,12})?", re.ASCII)
PIECE = re.compile(rf"({NUMBER.pattern})\s?([a-z]+)", re.ASCII)
# 20s, 6m0s, 512ms, 2 minutes 30 seconds.
DURATION = re.compile(rf"(?:{PIECE.pattern}\s?)+", re.ASCII)
SENTENCE = re.compile(rf"(?:try again|retry) (?:in|after) (?P<wait>{DURATION.pattern})", re.ASCII)
UNIT_SECONDS = {
    "ms": 0.001,
    "s": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "m": 60.0,
    "minute": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "hour": 3600.0,
    "hours": 3600.0,
    "d": 86_400.0,
    "day": 86_400.0,
    "days": 86_400.0,
}
ANTHROPIC_QUOTAS = ("requests", "tokens", "input-tokens", "output-tokens")
OPENAI_QUOTAS = ("requests", "tokens")


class _Quota(Struct, frozen=True, kw_only=True):
    """When something that is counted begins anew, and whether it is used up."""

    name: str
    reset_seconds: float
    is_used_up: bool


def wait_in_headers(headers: Mapping[str, str], *, status: int, now: datetime) -> float | None:
    """Header names in lower case, or in a mapping that does not mind."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _sensible(milliseconds / 1000)
    text = headers.get("retry-after", "")
    told = wait_in_text(text)
    if told is None:
        told = _until(_http_date(text), now=now)
    if told is None:
        told = _until(_milliseconds_since_1970(headers.get("x-ratelimit-reset", "")), now=now)
    # A service that is merely busy tells its quotas all the same.
    return _until_reset(headers, now=now) if told is None and status == RATE_LIMITED else told


def wait_in_text(text: str) -> float | None:
    """A number of seconds, or a duration with units."""
    text = text.strip().lower()
    if (seconds := _number(text)) is not None:
        return _sensible(seconds)
    if not DURATION.fullmatch(text):
        return None
    pieces = PIECE.findall(text)
    if any(unit not in UNIT_SECONDS for _, unit in pieces):
        return None
    return _sensible(sum(float(number) * UNIT_SECONDS[unit] for number, unit in pieces))


def wait_in_sentence(message: str) -> float | None:
    found = SENTENCE.search(message.lower())
    return wait_in_text(found["wait"]) if found else None


def _until_reset(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Until what is used up is there again.

    Where nothing is, it is the tokens: a request takes many, and more than are left.
    """
    quotas = list(_quotas(headers, now=now))
    used_up = [one for one in quotas if one.is_used_up]
    of_tokens = [one for one in quotas if "tokens" in one.name]
    waits = [one.reset_seconds for one in used_up or of_tokens or quotas]
    return max(waits, default=None)


def _quotas(headers: Mapping[str, str], *, now: datetime) -> Iterator[_Quota]:
    for name in ANTHROPIC_QUOTAS:
        lead = f"anthropic-ratelimit-{name}"
        wait = _until(_iso_date(headers.get(f"{lead}-reset", "")), now=now)
        yield from _quota(name, wait, left=headers.get(f"{lead}-remaining", ""))
    for name in OPENAI_QUOTAS:
        wait = wait_in_text(headers.get(f"x-ratelimit-reset-{name}", ""))
        yield from _quota(name, wait, left=headers.get(f"x-ratelimit-remaining-{name}", ""))


def _quota(name: str, wait: float | None, *, left: str) -> Iterator[_Quota]:
    if wait is not None:
        yield _Quota(name=name, reset_seconds=wait, is_used_up=left.strip() == "0")


def _until(moment: datetime | None, *, now: datetime) -> float | None:
    """A moment that has passed is no reason to wait."""
    return None if moment is None else _sensible(max(0.0, (moment - now).total_seconds()))


def _http_date(text: str) -> datetime | None:
    try:
        return _aware(parsedate_to_datetime(text))
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _iso_date(text: str) -> datetime | None:
    try:
        return _aware(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _milliseconds_since_1970(text: str) -> datetime | None:
    """OpenRouter: from when on requests count anew."""
    milliseconds = _number(text)
    if milliseconds is None or milliseconds < MILLISECONDS_OF_2001:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text) if NUMBER.fullmatch(text) else None


def _sensible(seconds: float) -> float | None:
    return seconds if 0 <= seconds <= MOST_SECONDS else None
