"""Turns as the budget sees them: what each weighs, whole and shortened, and what was chosen for it.

``weigh`` counts exactly what ``assemble`` emits, so that a plan's numbers are the request's.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from windowpane.context.emission import WHOLE, Removals, emitted
from windowpane.tokens import Counter
from windowpane.turns import TurnContent

ENDED_BADLY = frozenset({"error", "aborted", "interrupted"})
IN_FLIGHT = frozenset({"sending", "waiting"})


class TurnWeight(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """``is_unanswered``: it ended badly and without a word of answer, so it is not sent."""

    turn_id: str
    raw_tokens: int
    without_reasoning_tokens: int
    without_tools_tokens: int
    bare_tokens: int
    is_pinned: bool = False
    is_skipped: bool = False
    is_unanswered: bool = False
    is_current: bool = False

    def tokens(self, removals: Removals) -> int:
        if not removals:
            return self.raw_tokens
        if len(removals) == 2:
            return self.bare_tokens
        if "reasoning" in removals:
            return self.without_reasoning_tokens
        return self.without_tools_tokens


class Totals(Struct, frozen=True, kw_only=True):
    """The sum over some turns: all that a plan needs of those it does not walk."""

    turns: int
    raw_tokens: int

    def __add__(self, other: Totals) -> Totals:
        return Totals(turns=self.turns + other.turns, raw_tokens=self.raw_tokens + other.raw_tokens)

    def __sub__(self, other: Totals) -> Totals:
        return Totals(turns=self.turns - other.turns, raw_tokens=self.raw_tokens - other.raw_tokens)


NOTHING = Totals(turns=0, raw_tokens=0)


def total(weights: Iterable[TurnWeight]) -> Totals:
    turns = raw_tokens = 0
    for weight in weights:
        turns += 1
        raw_tokens += weight.raw_tokens
    return Totals(turns=turns, raw_tokens=raw_tokens)


def weigh(content: TurnContent, *, counter: Counter) -> TurnWeight:
    raw = _tokens(content, WHOLE, counter=counter)
    without_reasoning = min(raw, _tokens(content, frozenset({"reasoning"}), counter=counter))
    without_tools = min(raw, _tokens(content, frozenset({"tools"}), counter=counter))
    bare = _tokens(content, frozenset({"reasoning", "tools"}), counter=counter)
    return TurnWeight(
        turn_id=content.turn.id,
        raw_tokens=raw,
        # A recorded size and a counted one may differ by a few tokens; less is never more.
        without_reasoning_tokens=without_reasoning,
        without_tools_tokens=without_tools,
        bare_tokens=min(bare, without_reasoning, without_tools),
        is_pinned=content.turn.is_pinned,
        is_skipped=content.turn.is_skipped,
        is_unanswered=is_unanswered(content),
        is_current=content.turn.state in IN_FLIGHT,
    )


def is_unanswered(content: TurnContent) -> bool:
    if content.turn.state not in ENDED_BADLY:
        return False
    return not any(message.role == "assistant" and message.text for message in content.messages)


def _tokens(content: TurnContent, removals: Removals, *, counter: Counter) -> int:
    sizes = {message.id: message for message in content.messages}
    return sum(
        counter.message(sizes[message.id], sent=message.parts)
        for message in emitted(content.messages, removals)
    )
