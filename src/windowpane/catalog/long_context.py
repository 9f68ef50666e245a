"""Models that take a million tokens only when a header asks for it.

The switch changes the window; the dearer price follows by itself, because the tiers of such a
model's prices begin where its ordinary window ends.
"""

from __future__ import annotations

from windowpane.catalog.limits import Limits, LimitValues, merged
from windowpane.catalog.names import mode_of

LONG_WINDOW_TOKENS = 1_000_000
_SWITCHABLE = ("claude-sonnet-4-5", "claude-sonnet-4", "claude-sonnet-4-0")


def has_long_context_switch(model: str) -> bool:
    name = model.rpartition("/")[2]
    return any(mode_of(name, known) in ("exact", "fuzzy") for known in _SWITCHABLE)


def with_long_context(limits: Limits) -> Limits:
    """A person switched it on, so no announcement of the ordinary window counts against it."""
    values = LimitValues(context_window_tokens=LONG_WINDOW_TOKENS)
    return merged(limits, values, source="manual")
