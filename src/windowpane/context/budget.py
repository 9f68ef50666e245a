"""How much may be sent: the window less the reserve for the answer and a margin for miscounting.

A limit that nobody stated stays unknown, and then there is no budget and no boundary.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from msgspec import Struct

from windowpane.catalog.limits import Limits
from windowpane.tokens import Calibration

MARGIN_PERCENT = 5

ReserveSource = Literal["requested", "model", "half_window", "unknown"]


class Reserve(Struct, frozen=True):
    """Room for the answer, and where the number comes from."""

    tokens: int
    source: ReserveSource


class Budget(Struct, frozen=True, kw_only=True):
    """``usable_tokens`` None: the model's limits are unknown, so nothing is claimed.

    ``allowance_tokens`` is set aside for a message that is not written yet.
    """

    window_tokens: int | None
    reserve_tokens: int
    reserve_source: ReserveSource
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
    reserve = reserve_for(limits, requested_output_tokens)
    margin = window * MARGIN_PERCENT // 100 if window is not None else 0
    usable = _usable(limits, reserve_tokens=reserve.tokens, margin_tokens=margin)
    if usable is not None:
        usable = calibration.budget_tokens(usable)
    return Budget(
        window_tokens=window,
        reserve_tokens=reserve.tokens,
        reserve_source=reserve.source,
        margin_tokens=margin,
        usable_tokens=usable,
        allowance_tokens=allowance_tokens,
        threshold_tokens=None if usable is None else _share(usable, threshold),
    )


def reserve_for(limits: Limits, requested_output_tokens: int | None) -> Reserve:
    """What was asked for, else the model's maximum, at most half the window.

    A model whose maximum nobody stated may answer as long as its window lets it.
    """
    wanted, source = requested_output_tokens, "requested"
    if wanted is None:
        wanted, source = limits.output_tokens.value, "model"
    window = limits.context_window_tokens.value
    if window is None:
        return Reserve(0, "unknown") if wanted is None else Reserve(wanted, source)
    if wanted is None or wanted > window // 2:
        return Reserve(window // 2, "half_window")
    return Reserve(wanted, source)


def _usable(limits: Limits, *, reserve_tokens: int, margin_tokens: int) -> int | None:
    window = limits.context_window_tokens.value
    bounds = (
        None if window is None else max(0, window - reserve_tokens - margin_tokens),
        limits.input_tokens.value,
        limits.tokens_per_minute.value,
    )
    return min((bound for bound in bounds if bound is not None), default=None)


def _share(tokens: int, fraction: float) -> int:
    """Rounded down, as decimals are written: 0.95 of 126,000 is 119,700 and not one less."""
    return int(tokens * Decimal(str(fraction)))
