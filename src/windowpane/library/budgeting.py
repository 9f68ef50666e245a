"""What a model takes, for programs that know nothing but its name and perhaps a limit."""

from __future__ import annotations

from msgspec.structs import replace

from windowpane.catalog import Limits, LimitValues, catalog_limits, compression_defaults, merged
from windowpane.context.budget import Budget, budget_for
from windowpane.settings import ContextSettings
from windowpane.tokens import UNCALIBRATED


def model_budget(model: str, *, settings: ContextSettings, max_tokens: int | None) -> Budget:
    limits = _within(catalog_limits(model, provider=None), max_tokens)
    return budget_for(
        limits,
        requested_output_tokens=settings.max_output_tokens,
        allowance_tokens=settings.user_request_allowance_tokens,
        threshold=compression_defaults(model, limits=limits).threshold,
        calibration=UNCALIBRATED,
    )


def without_limits(budget: Budget) -> Budget:
    return replace(budget, usable_tokens=None, threshold_tokens=None)


def _within(limits: Limits, max_tokens: int | None) -> Limits:
    """One's own limit can only be tighter than the model's."""
    known = limits.input_tokens.value
    if max_tokens is None or (known is not None and known <= max_tokens):
        return limits
    return merged(limits, LimitValues(input_tokens=max_tokens), source="manual")
