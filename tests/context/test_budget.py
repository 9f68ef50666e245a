"""How much may be sent."""

from __future__ import annotations

import pytest

from windowpane.catalog import UNKNOWN_LIMITS, Limits, LimitValues, catalog_limits, merged
from windowpane.context.budget import Budget, budget_for
from windowpane.tokens import UNCALIBRATED, Calibration


def limits(
    *,
    window: int | None = None,
    output: int | None = None,
    input: int | None = None,
    per_minute: int | None = None,
) -> Limits:
    values = LimitValues(
        context_window_tokens=window,
        output_tokens=output,
        input_tokens=input,
        tokens_per_minute=per_minute,
    )
    return merged(UNKNOWN_LIMITS, values, source="manual")


def made(
    known: Limits,
    *,
    requested: int | None = None,
    threshold: float = 0.95,
    calibration: Calibration = UNCALIBRATED,
) -> Budget:
    return budget_for(
        known,
        requested_output_tokens=requested,
        allowance_tokens=100,
        threshold=threshold,
        calibration=calibration,
    )


@pytest.mark.parametrize(
    ("model", "usable", "threshold"),
    [("gpt-4o", 105_216, 99_955), ("claude-sonnet-4-5", 126_000, 119_700)],
)
def test_the_budget_of_known_models(model: str, usable: int, threshold: int) -> None:
    found = made(catalog_limits(model, provider=None))
    assert (found.usable_tokens, found.threshold_tokens) == (usable, threshold)


def test_a_million_tokens_have_their_own_threshold() -> None:
    found = made(limits(window=1_000_000, output=64_000), threshold=0.98)
    assert (found.usable_tokens, found.threshold_tokens) == (886_000, 868_280)


def test_unknown_limits_make_no_budget_and_no_threshold() -> None:
    found = made(UNKNOWN_LIMITS)
    assert (found.window_tokens, found.usable_tokens, found.threshold_tokens) == (None, None, None)


@pytest.mark.parametrize(
    ("known", "requested", "reserve", "source"),
    [
        (limits(window=8000, output=2000), None, 2000, "model"),
        (limits(window=8000, output=2000), 500, 500, "requested"),
        (limits(window=8000, output=2000), 0, 0, "requested"),
        (limits(window=8000, output=6000), None, 4000, "half_window"),
        (limits(window=8000), 5000, 4000, "half_window"),
        # A maximum that nobody stated may be as long as the window.
        (limits(window=8000), None, 4000, "half_window"),
        (limits(), 500, 500, "requested"),
        (limits(), None, 0, "unknown"),
    ],
)
def test_room_for_the_answer_is_set_aside(
    known: Limits, requested: int | None, reserve: int, source: str
) -> None:
    found = made(known, requested=requested)
    assert (found.reserve_tokens, found.reserve_source) == (reserve, source)


@pytest.mark.parametrize(
    ("known", "usable"),
    [
        (limits(window=10_000, output=1000), 8500),
        (limits(window=10_000, output=1000, input=6000), 6000),
        (limits(window=10_000, output=1000, per_minute=3000), 3000),
        (limits(input=6000), 6000),
        (limits(per_minute=3000), 3000),
        (limits(window=10, output=1000), 5),
    ],
)
def test_the_smallest_known_limit_counts(known: Limits, usable: int) -> None:
    assert made(known).usable_tokens == usable


def test_the_margin_is_five_percent_rounded_down() -> None:
    assert made(limits(window=999, output=0)).margin_tokens == 49


def test_calibration_changes_the_budget_and_not_the_window() -> None:
    found = made(limits(window=10_000, output=500), calibration=Calibration(factor_percent=110))
    assert (found.window_tokens, found.usable_tokens) == (10_000, 8181)


def test_the_threshold_does_not_lose_a_token_to_binary_fractions() -> None:
    assert made(limits(input=100), threshold=0.29).threshold_tokens == 29
