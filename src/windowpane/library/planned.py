"""A plan for a program: the engine's own value, with its words and its price at hand."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from windowpane.accounting import Cost, cost_of
from windowpane.catalog import catalog_price
from windowpane.context.counting import turn_counter
from windowpane.context.diff import whereabouts
from windowpane.context.given import PlanInput
from windowpane.context.plan import ContextPlan
from windowpane.context.words import (
    explanation,
    left_out_sentence,
    standing_reason,
    turn_sentence,
)
from windowpane.errors import InvalidInput
from windowpane.library.source import Source
from windowpane.usage import TokenUsage


class Plan(Struct, frozen=True, kw_only=True):
    """What the next request holds and why. ``context`` is the engine's value with all numbers.

    ``given`` is what it was made of, ``sources`` the messages that it chooses from.
    """

    context: ContextPlan
    given: PlanInput
    sources: tuple[Source, ...]

    def __repr__(self) -> str:
        return f"<Plan {self.counter} turns, {self.tokens} tokens for {self.context.model}>"

    @property
    def tokens(self) -> int:
        """What the request weighs."""
        return self.context.total_tokens

    @property
    def is_sendable(self) -> bool:
        return self.context.unsendable is None

    @property
    def turns(self) -> list[int]:
        """The numbers of the turns that are sent, counted from 1."""
        return [int(turn_id) for turn_id in self.context.sent_turn_ids]

    @property
    def counter(self) -> str:
        """How many turns are in, of how many that are seen: ``12 / 34``."""
        return turn_counter(self.context).text

    @property
    def left_out(self) -> str:
        """One sentence about what is not sent."""
        return left_out_sentence(self.context)

    def explain(self) -> str:
        """The whole plan, line by line."""
        return explanation(self.context)

    def why(self, turn: int) -> str:
        """One sentence about one turn, counted from 1."""
        if not 1 <= turn <= self.context.scope_turns:
            raise InvalidInput(f"There is no turn {turn}; there are {self.context.scope_turns}.")
        for planned in self.context.turns:
            if planned.index == turn - 1:
                return turn_sentence(self.context, planned)
        standing = whereabouts(self.given, index_of=lambda id: int(id) - 1)(str(turn))
        assert standing is not None, "a turn of the scope stands somewhere"
        return f"Turn {turn} is not sent: {standing_reason(self.context, standing)}."

    def price(self, *, output_tokens: int) -> Cost:
        """What sending it costs if the answer has so many tokens, at today's list price."""
        snapshot = catalog_price(self.context.model, base_url="", taken_at=datetime.now(UTC))
        usage = TokenUsage(input_tokens=self.tokens, output_tokens=output_tokens)
        return cost_of(usage, snapshot)
