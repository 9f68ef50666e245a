"""How far the estimates of one model are off, learned from what its provider reports.

A pure fold over calls. The factor changes the budget, never a count: what a turn weighs stays the
same number on every screen, and the boundary moves only when the factor takes a whole step.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from windowpane.parts import Part, ServerTool, Text
from windowpane.usage import TokenUsage

STEP_PERCENT = 2
WINDOW_CALLS = 50
# A median of fewer says little, and a short request is mostly framing.
LEAST_CALLS = 3
LEAST_TOKENS = 200
# No two tokenizers differ by more: a vocabulary made for English takes some three times as many for
# Chinese as a large one. What lies outside was not miscounted: input was added or left out.
LEAST_PERCENT = 50
MOST_PERCENT = 400


class Calibration(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``ratios`` are reported ÷ estimated input of the latest calls, oldest first."""

    factor_percent: int = 100
    ratios: tuple[float, ...] = ()

    @property
    def calls(self) -> int:
        return len(self.ratios)

    @property
    def error_percent(self) -> int | None:
        """How far, at most, a corrected estimate was off in these calls; None without calls."""
        off = (abs(ratio * 100 / self.factor_percent - 1) for ratio in self.ratios)
        return round(max(off) * 100) if self.ratios else None

    @property
    def sentence(self) -> str:
        if self.error_percent is None:
            return "estimates not yet compared with reported usage"
        calls = f"{self.calls} call" + ("s" if self.calls > 1 else "")
        return f"estimates within ±{self.error_percent} % over {calls}"

    def budget_tokens(self, usable_tokens: int) -> int:
        """A limit in the provider's tokens, as a limit for sums of our estimates."""
        return floor(usable_tokens * 100 / self.factor_percent)


UNCALIBRATED = Calibration()


def calibrated(
    calibration: Calibration,
    *,
    estimated_tokens: int,
    usage: TokenUsage,
    answer: Iterable[Part],
) -> Calibration:
    """What is known after one more call, which gave this ``answer``."""
    if (
        estimated_tokens < LEAST_TOKENS
        or is_silently_truncated(estimated_tokens=estimated_tokens, usage=usage)
        or _has_added_input(answer, usage)
    ):
        return calibration
    ratio = round(usage.request_tokens / estimated_tokens, 4)
    if not LEAST_PERCENT <= ratio * 100 <= MOST_PERCENT:
        return calibration
    ratios = (*calibration.ratios, ratio)[-WINDOW_CALLS:]
    factor_percent = _stepped(calibration.factor_percent, ratios)
    return replace(calibration, ratios=ratios, factor_percent=factor_percent)


def is_silently_truncated(*, estimated_tokens: int, usage: TokenUsage) -> bool:
    """A server that cuts a long request without a word reports far less than was sent."""
    reported_tokens = usage.request_tokens
    is_far_below = reported_tokens * 10 < estimated_tokens * 7
    return reported_tokens > 0 and is_far_below and estimated_tokens - reported_tokens >= 500


def _has_added_input(answer: Iterable[Part], usage: TokenUsage) -> bool:
    """What a provider searched or ran itself was read by the model, and is in the report."""
    return usage.web_searches > 0 or any(
        isinstance(part, ServerTool) or (isinstance(part, Text) and bool(part.citations))
        for part in answer
    )


def _stepped(factor_percent: int, ratios: tuple[float, ...]) -> int:
    """The nearest step, but only when a whole step away: no flutter between two neighbours."""
    if len(ratios) < LEAST_CALLS:
        return factor_percent
    measured_percent = median(ratios) * 100
    if abs(measured_percent - factor_percent) < STEP_PERCENT:
        return factor_percent
    return round(measured_percent / STEP_PERCENT) * STEP_PERCENT
