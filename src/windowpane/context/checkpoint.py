"""Summaries as checkpoints: whether one applies to a view, and how it is written out.

Which turns it covers is its own; what becomes of those turns is ``standing``'s.
"""

from __future__ import annotations

from windowpane.context.given import ActiveSummary, PlanInput

SUMMARY_HEADING = "Previous Conversation Summary:"


def summary_in_view(given: PlanInput) -> ActiveSummary | None:
    """The chat's summary, if it is sent: under a filter only when its card is switched on."""
    view = given.view
    if view.scope != "chat":
        return None
    return given.summary if view.visible is None or view.has_summary else None


def system_text(system: str, summary: ActiveSummary | None) -> str:
    """The prelude as it is sent, the summary behind everything else."""
    texts = [system]
    if summary is not None:
        texts.append(f"{SUMMARY_HEADING}\n{summary.text}")
    return "\n\n".join(text for text in texts if text.strip())
