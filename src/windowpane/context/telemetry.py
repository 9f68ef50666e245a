"""One request in numbers, for the HUD and for programs: read off its receipt, nothing is stored.

History and message are counted apart from what is in every request, as the prediction counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from windowpane.context.receipt import Receipt, Stage
from windowpane.context.states import PREDICTED
from windowpane.context.truncation import truncation_of


class BudgetView(Struct, frozen=True, kw_only=True):
    """``usable_raw_tokens`` is the window less the reserve, before any margin."""

    window_tokens: int | None
    usable_raw_tokens: int | None
    usable_tokens: int | None
    reserve_tokens: int
    allowance_tokens: int


class SelectedTurn(Struct, frozen=True, kw_only=True):
    turn_id: str
    depth: int
    model: str
    tokens: int


class KnownTurn(Struct, frozen=True, kw_only=True):
    """A turn of the path as the telemetry names it."""

    turn_id: str
    model: str
    tokens: int


class Telemetry(Struct, frozen=True, kw_only=True):
    """Everything named ``predicted`` stands still through one send; ``attempt`` only shrinks.

    ``remaining_reserve_tokens`` is what was left of the usable tokens. ``is_silently_truncated``:
    the provider reports to have read far less than was sent.
    """

    receipt_id: str
    model: str
    budget: BudgetView
    selection: tuple[SelectedTurn, ...]
    predicted_turns: int
    predicted_history_tokens: int
    predicted_total_tokens: int
    attempt_history_tokens: int
    attempt_total_tokens: int
    user_tokens: int
    trimmed_turns: int
    sent_turns: int
    attempts_used: int
    chars_per_token: float
    remaining_reserve_tokens: int | None
    stage: Stage
    last_error_message: str | None
    is_overflow: bool
    is_silently_truncated: bool


def telemetry_of(
    receipt: Receipt, *, turns: Mapping[int, KnownTurn], chars_per_token: float
) -> Telemetry:
    """``turns`` holds the turns of the path that are still there, by depth."""
    sizes, budget = receipt.sizes, receipt.budget
    usable = budget.usable_tokens
    failure = receipt.failure
    return Telemetry(
        receipt_id=receipt.id,
        model=receipt.model,
        budget=BudgetView(
            window_tokens=budget.window_tokens,
            usable_raw_tokens=_usable_raw_tokens(receipt),
            usable_tokens=usable,
            reserve_tokens=budget.reserve_tokens,
            allowance_tokens=budget.allowance_tokens,
        ),
        selection=tuple(_selection(receipt, turns)),
        predicted_turns=sizes.predicted_turns,
        predicted_history_tokens=sizes.predicted_tokens,
        predicted_total_tokens=sizes.predicted_tokens + budget.allowance_tokens,
        attempt_history_tokens=sizes.history_tokens + sizes.fixed.pinned_tokens,
        attempt_total_tokens=sizes.total_tokens,
        user_tokens=sizes.current_tokens,
        trimmed_turns=sizes.trimmed_turns,
        sent_turns=sizes.predicted_turns - sizes.trimmed_turns,
        attempts_used=receipt.number,
        chars_per_token=chars_per_token,
        remaining_reserve_tokens=None if usable is None else usable - sizes.total_tokens,
        stage=receipt.stage,
        last_error_message=failure.message if failure else None,
        is_overflow=failure is not None and failure.kind == "overflow",
        is_silently_truncated=truncation_of(receipt) is not None,
    )


def _usable_raw_tokens(receipt: Receipt) -> int | None:
    window = receipt.budget.window_tokens
    return None if window is None else window - receipt.budget.reserve_tokens


def _selection(receipt: Receipt, turns: Mapping[int, KnownTurn]) -> Iterator[SelectedTurn]:
    for run in receipt.contents.items:
        if run.standing not in PREDICTED:
            continue
        for depth in range(run.first_depth, run.last_depth + 1):
            if (turn := turns.get(depth)) is not None:
                yield SelectedTurn(
                    turn_id=turn.turn_id, depth=depth, model=turn.model, tokens=turn.tokens
                )
