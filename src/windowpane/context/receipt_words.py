"""Receipts in plain sentences and rows, for the command line and the page."""

from __future__ import annotations

from decimal import Decimal

from windowpane.accounting import Cost, Totals, entry_totals
from windowpane.context.receipt import Receipt, Stage
from windowpane.context.states import IN_REQUEST
from windowpane.context.truncation import truncation_of

_STAGES: dict[Stage, str] = {
    "attempt": "on its way",
    "overflow_initial": "too large, trimmed",
    "overflow_retry": "still too large, trimmed",
    "overflow_exhausted": "too large, nothing left to trim",
    "success": "answered",
    "error": "failed",
    "aborted": "stopped",
    "interrupted": "cut off when the server stopped",
}


def receipt_row(receipt: Receipt) -> list[str]:
    """When, what became of it, how many turns, tokens in and out, cost."""
    entry = receipt.entry
    sent_turns = sum(
        run.last_depth - run.first_depth + 1
        for run in receipt.contents.items
        if run.standing in IN_REQUEST
    )
    return [
        receipt.started_at.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        receipt.model,
        _STAGES[receipt.stage],
        f"{sent_turns} turn{'' if sent_turns == 1 else 's'}",
        f"{receipt.sizes.total_tokens:,} tokens planned",
        _usage(entry_totals(entry)) if entry else "no usage",
        cost_text(entry_totals(entry).cost) if entry else "",
        receipt.id,
    ]


def receipt_lines(receipt: Receipt) -> list[str]:
    """One receipt whole."""
    sent, sizes = receipt.sent, receipt.sizes
    lines = [
        f"{receipt.id}: request {receipt.number} of its turn, {_STAGES[receipt.stage]}",
        f"{sent.method} {sent.url}",
        f"body {sent.body_bytes:,} bytes, sha256 {sent.body_sha256}",
        f"{sizes.predicted_turns} turns predicted, {sizes.trimmed_turns} trimmed; "
        f"{sizes.total_tokens:,} tokens in all",
    ]
    if receipt.failure is not None:
        lines.append(f"{receipt.failure.kind}: {receipt.failure.message}")
    if (cut := truncation_of(receipt)) is not None:
        lines.append(f"cut in silence: {cut.sentence}")
    for run in receipt.contents.items:
        tokens = run.sent_tokens if run.standing in IN_REQUEST else run.raw_tokens
        lines.append(
            f"  {_turns(run.first_depth, run.last_depth):<16} {run.standing:<12} {tokens:>9,}"
        )
    return lines


def cost_text(cost: Cost) -> str:
    """Never zero for what is not known."""
    if cost.is_unknown:
        return "unknown"
    if not cost.known_usd:
        return "free"
    shown = f"${cost.known_usd:.4f}" if cost.known_usd < Decimal(1) else f"${cost.known_usd:.2f}"
    return f"≈ {shown}" if cost.is_unreliable else shown


def _usage(totals: Totals) -> str:
    return f"{totals.usage.request_tokens:,} in, {totals.usage.output_tokens:,} out"


def _turns(first: int, last: int) -> str:
    return f"turn {first + 1}" if first == last else f"turns {first + 1}–{last + 1}"
