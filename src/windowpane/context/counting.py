"""The counter beside the chat: how many turns are in, of how many that are seen."""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.plan import ContextPlan


class TurnCounter(Struct, frozen=True, kw_only=True):
    """X predicted turns, T of them trimmed, of Y visible ones."""

    predicted_turns: int
    trimmed_turns: int
    visible_turns: int
    is_newest_hidden: bool

    @property
    def text(self) -> str:
        prefix = "(-) " if self.is_newest_hidden else ""
        if self.trimmed_turns:
            return f"{prefix}[{self.predicted_turns}-{self.trimmed_turns}]/{self.visible_turns}"
        return f"{prefix}{self.predicted_turns} / {self.visible_turns}"

    @property
    def sentence(self) -> str:
        sent = self.predicted_turns - self.trimmed_turns
        return f"{sent} of {self.visible_turns} turns"


def turn_counter(plan: ContextPlan) -> TurnCounter:
    return TurnCounter(
        predicted_turns=plan.predicted_turns,
        trimmed_turns=plan.trimmed_turns,
        visible_turns=plan.visible_turns,
        is_newest_hidden=plan.is_newest_hidden,
    )
