"""One request in numbers, for the HUD and for programs: read off its receipt, nothing is stored.
Before there is one, the plan gives the same numbers.

History and message are counted apart from what is in every request, as the prediction counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct, structs

from windowpane.context.budget import Budget
from windowpane.context.plan import ContextPlan
from windowpane.context.receipt import Receipt, Sizes, Stage, sizes_of
from windowpane.context.states import PREDICTED
from windowpane.context.truncation import truncation_of
from windowpane.turns import Turn

# A receipt is of a request that went out; before that there is only a plan.
TelemetryStage = Literal["preflight"] | Stage


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

    Without a ``receipt_id`` nothing was sent yet: the numbers are those of a plan, and an error
    is why it could not be sent. ``remaining_reserve_tokens`` is what was left of the usable tokens.
    ``is_silently_truncated``: the provider reports to have read far less than was sent.
    """

    receipt_id: str | None
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
    stage: TelemetryStage
    last_error_message: str | None
    is_overflow: bool
    is_silently_truncated: bool


def preflight_of(
    plan: ContextPlan, *, model: str, turns: Mapping[str, Turn], chars_per_token: float
) -> Telemetry:
    """Before anything is sent. ``turns`` holds those that the plan names, by id."""
    return _telemetry(
        sizes_of(plan),
        plan.budget,
        model=model,
        selection=[
            SelectedTurn(
                turn_id=planned.turn_id,
                depth=turns[planned.turn_id].depth,
                model=turns[planned.turn_id].model,
                tokens=planned.raw_tokens,
            )
            for planned in plan.turns
            if planned.standing in PREDICTED
        ],
        chars_per_token=chars_per_token,
        last_error_message=plan.unsendable.message if plan.unsendable else None,
    )


def telemetry_of(
    receipt: Receipt, *, turns: Mapping[int, KnownTurn], chars_per_token: float
) -> Telemetry:
    """``turns`` holds the turns of the path that are still there, by depth."""
    failure = receipt.failure
    planned = _telemetry(
        receipt.sizes,
        receipt.budget,
        model=receipt.model,
        selection=_selection(receipt, turns),
        chars_per_token=chars_per_token,
        last_error_message=failure.message if failure else None,
    )
    return structs.replace(
        planned,
        receipt_id=receipt.id,
        attempts_used=receipt.number,
        stage=receipt.stage,
        is_overflow=failure is not None and failure.kind == "overflow",
        is_silently_truncated=truncation_of(receipt) is not None,
    )


def _telemetry(
    sizes: Sizes,
    budget: Budget,
    *,
    model: str,
    selection: Iterable[SelectedTurn],
    chars_per_token: float,
    last_error_message: str | None,
) -> Telemetry:
    usable, window = budget.usable_tokens, budget.window_tokens
    return Telemetry(
        receipt_id=None,
        model=model,
        budget=BudgetView(
            window_tokens=window,
            usable_raw_tokens=None if window is None else window - budget.reserve_tokens,
            usable_tokens=usable,
            reserve_tokens=budget.reserve_tokens,
            allowance_tokens=budget.allowance_tokens,
        ),
        selection=tuple(selection),
        predicted_turns=sizes.predicted_turns,
        predicted_history_tokens=sizes.predicted_tokens,
        predicted_total_tokens=sizes.predicted_tokens + budget.allowance_tokens,
        attempt_history_tokens=sizes.history_tokens + sizes.fixed.pinned_tokens,
        attempt_total_tokens=sizes.total_tokens,
        user_tokens=sizes.current_tokens,
        trimmed_turns=sizes.trimmed_turns,
        sent_turns=sizes.predicted_turns - sizes.trimmed_turns,
        attempts_used=0,
        chars_per_token=chars_per_token,
        remaining_reserve_tokens=None if usable is None else usable - sizes.total_tokens,
        stage="preflight",
        last_error_message=last_error_message,
        is_overflow=False,
        is_silently_truncated=False,
    )


def _selection(receipt: Receipt, turns: Mapping[int, KnownTurn]) -> Iterator[SelectedTurn]:
    for run in receipt.contents.items:
        if run.standing not in PREDICTED:
            continue
        for depth in range(run.first_depth, run.last_depth + 1):
            if (turn := turns.get(depth)) is not None:
                yield SelectedTurn(
                    turn_id=turn.turn_id, depth=depth, model=turn.model, tokens=turn.tokens
                )
