"""When compression begins and how much it leaves, by default, for each model."""

from __future__ import annotations

import re

from msgspec import Struct

from windowpane.catalog.limits import Limits

MILLION_TOKENS = 1_000_000
THRESHOLD = 0.95
MILLION_THRESHOLD = 0.98
RETENTION_TOKENS = 1000
_RETENTION: tuple[tuple[str, int], ...] = (
    (r"gpt-[5-9]|gemini", 2000),
    (r"claude", 1500),
)


class CompressionDefaults(Struct, frozen=True, kw_only=True):
    """``threshold`` is a fraction of the usable tokens; the newest ``retention_tokens`` stay."""

    threshold: float
    retention_tokens: int


def compression_defaults(model: str, *, limits: Limits) -> CompressionDefaults:
    window = limits.context_window_tokens.value or 0
    return CompressionDefaults(
        threshold=MILLION_THRESHOLD if window >= MILLION_TOKENS else THRESHOLD,
        retention_tokens=_retention_tokens(model.lower()),
    )


def _retention_tokens(model: str) -> int:
    listed = (tokens for pattern, tokens in _RETENTION if re.search(pattern, model))
    return next(listed, RETENTION_TOKENS)
