"""How much may be sent: the window less the reserve for the answer and a margin for miscounting.

A limit that nobody stated stays unknown, and then there is no budget and no boundary.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.catalog.limits import Limits
from windowpane.tokens import Calibration

MARGIN_PERCENT = 5


class Budget(Struct, frozen=True, kw_only=True):
    """``usable_tokens`` None: the model's limits are unknown, so nothing is claimed."""

    window_tokens: int | None
    reserve_tokens: int
    margin_tokens: int
    usable_tokens: int | None
    allowance_tokens: int
    threshold_tokens: int | None


def budget_for(
    limits: Limits,
    *,
    requested_output_tokens: int | None,
    allowance_tokens: int,
    threshold: float,
    calibration: Calibration,
) -> Budget:
    window = limits.context_window_tokens.value
    reserve = _reserve(limits, requested_output_tokens)
    margin = window * MARGIN_PERCENT // 100 if window is not None else 0
    usable = _usable(limits, reserve_tokens=reserve, margin_tokens=margin)
    if usable is not None:
        usable = calibration.budget_tokens(usable)
    return Budget(
        window_tokens=window,
        reserve_tokens=reserve,
        margin_tokens=margin,
        usable_tokens=usable,
        allowance_tokens=allowance_tokens,
        threshold_tokens=None if usable is None else int(usable * threshold),
    )


def _reserve(limits: Limits, requested_output_tokens: int | None) -> int:
    """Room for the answer, never more than half the window."""
    wanted = requested_output_tokens or limits.output_tokens.value or 0
    window = limits.context_window_tokens.value
    return wanted if window is None else min(wanted, window // 2)


def _usable(limits: Limits, *, reserve_tokens: int, margin_tokens: int) -> int | None:
    window = limits.context_window_tokens.value
    bounds = [
        None if window is None else max(0, window - reserve_tokens - margin_tokens),
        limits.input_tokens.value,
        limits.tokens_per_minute.value,
    ]
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known else None
