"""Numbers read off a plan: the counter beside the chat, and how many turns stand where."""

from __future__ import annotations

from msgspec import Struct

from windowpane.context.plan import ContextPlan
from windowpane.context.states import STANDINGS, TurnStanding


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


def turn_counter(plan: ContextPlan) -> TurnCounter:
    return TurnCounter(
        predicted_turns=plan.predicted_turns,
        trimmed_turns=plan.trimmed_turns,
        visible_turns=plan.visible_turns,
        is_newest_hidden=plan.is_newest_hidden,
    )


class StandingCount(Struct, frozen=True, kw_only=True):
    turns: int
    raw_tokens: int


def standing_counts(plan: ContextPlan) -> dict[TurnStanding, StandingCount]:
    """Every turn of the scope once, named or not; standings without turns are left out."""
    turns: dict[TurnStanding, int] = dict.fromkeys(STANDINGS, 0)
    raw_tokens: dict[TurnStanding, int] = dict.fromkeys(STANDINGS, 0)
    for turn in plan.turns:
        turns[turn.standing] += 1
        raw_tokens[turn.standing] += turn.raw_tokens
    for one in plan.ranges:
        turns[one.standing] += one.turns
        raw_tokens[one.standing] += one.raw_tokens
    return {
        standing: StandingCount(turns=turns[standing], raw_tokens=raw_tokens[standing])
        for standing in STANDINGS
        if turns[standing]
    }
