"""Turns as the budget sees them: what each weighs, whole and shortened, and what was chosen for it.

``weigh`` counts exactly what ``assemble`` emits, so that a plan's numbers are the request's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from windowpane.context.emission import WHOLE, Removal, Removals, emitted
from windowpane.messages import Message
from windowpane.parts import Reasoning, ToolCall
from windowpane.tokens import Counter
from windowpane.turns import TurnContent

ENDED_BADLY = frozenset({"error", "aborted", "interrupted"})
IN_FLIGHT = frozenset({"sending", "waiting"})

TurnKind = Literal["plain", "skipped", "failed", "current", "pinned"]


class Sizes(Struct, frozen=True, kw_only=True):
    """The same content four times: whole, without reasoning, without tool traffic, without both."""

    raw_tokens: int
    without_reasoning_tokens: int
    without_tools_tokens: int
    bare_tokens: int

    def tokens(self, removals: Removals) -> int:
        if not removals:
            return self.raw_tokens
        if len(removals) == 2:
            return self.bare_tokens
        if "reasoning" in removals:
            return self.without_reasoning_tokens
        return self.without_tools_tokens


class TurnWeight(Sizes, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """``is_unanswered``: it ended badly and without a word of answer, so it is not sent."""

    turn_id: str
    is_pinned: bool = False
    is_skipped: bool = False
    is_unanswered: bool = False
    is_current: bool = False

    @property
    def kind(self) -> TurnKind:
        """What its own marks make of it. Only what could be sent can be held in by a pin."""
        if self.is_skipped:
            return "skipped"
        if self.is_unanswered:
            return "failed"
        if self.is_current:
            return "current"
        return "pinned" if self.is_pinned else "plain"


class Totals(Sizes, frozen=True, kw_only=True, gc=False):
    """The sum over some turns: all that a plan needs of those it does not walk."""

    turns: int

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            turns=self.turns + other.turns,
            raw_tokens=self.raw_tokens + other.raw_tokens,
            without_reasoning_tokens=self.without_reasoning_tokens + other.without_reasoning_tokens,
            without_tools_tokens=self.without_tools_tokens + other.without_tools_tokens,
            bare_tokens=self.bare_tokens + other.bare_tokens,
        )

    def __sub__(self, other: Totals) -> Totals:
        return Totals(
            turns=self.turns - other.turns,
            raw_tokens=self.raw_tokens - other.raw_tokens,
            without_reasoning_tokens=self.without_reasoning_tokens - other.without_reasoning_tokens,
            without_tools_tokens=self.without_tools_tokens - other.without_tools_tokens,
            bare_tokens=self.bare_tokens - other.bare_tokens,
        )


def total(weights: Sequence[TurnWeight]) -> Totals:
    return Totals(
        turns=len(weights),
        raw_tokens=sum(weight.raw_tokens for weight in weights),
        without_reasoning_tokens=sum(weight.without_reasoning_tokens for weight in weights),
        without_tools_tokens=sum(weight.without_tools_tokens for weight in weights),
        bare_tokens=sum(weight.bare_tokens for weight in weights),
    )


def weigh(content: TurnContent, *, counter: Counter) -> TurnWeight:
    sizes = _sizes(content.messages, counter=counter)
    return TurnWeight(
        turn_id=content.turn.id,
        raw_tokens=sizes.raw_tokens,
        without_reasoning_tokens=sizes.without_reasoning_tokens,
        without_tools_tokens=sizes.without_tools_tokens,
        bare_tokens=sizes.bare_tokens,
        is_pinned=content.turn.is_pinned,
        is_skipped=content.turn.is_skipped,
        is_unanswered=is_unanswered(content),
        is_current=content.turn.state in IN_FLIGHT,
    )


def _sizes(messages: Sequence[Message], *, counter: Counter) -> Sizes:
    def tokens(*removals: Removal) -> int:
        sent = emitted(messages, frozenset(removals))
        return emitted_tokens(sent, stored=messages, counter=counter)

    raw_tokens = tokens()
    kinds = {type(part) for message in messages for part in message.parts}
    # Most turns are question and answer: nothing of them can be left out, so count them once.
    has_reasoning, has_tools = Reasoning in kinds, ToolCall in kinds
    without_reasoning_tokens = tokens("reasoning") if has_reasoning else raw_tokens
    without_tools_tokens = tokens("tools") if has_tools else raw_tokens
    has_both = has_reasoning and has_tools
    return Sizes(
        raw_tokens=raw_tokens,
        without_reasoning_tokens=without_reasoning_tokens,
        without_tools_tokens=without_tools_tokens,
        bare_tokens=tokens("reasoning", "tools")
        if has_both
        else min(without_reasoning_tokens, without_tools_tokens),
    )


def is_unanswered(content: TurnContent) -> bool:
    if content.turn.state not in ENDED_BADLY:
        return False
    return not any(
        message.role == "assistant" and message.text.strip() for message in content.messages
    )


def emitted_tokens(sent: Sequence[Message], *, stored: Sequence[Message], counter: Counter) -> int:
    """What messages weigh of which perhaps only some parts are sent."""
    by_id = {message.id: message for message in stored}
    total_tokens = 0
    whole: dict[str, Message] | None = None
    for message in sent:
        written = by_id[message.id]
        tokens = counter.message(written, sent=message.parts)
        if message is not written:
            # A reported size and a counted one may differ by a few tokens; less is never more.
            whole = whole or {one.id: one for one in emitted(stored, WHOLE)}
            tokens = min(tokens, counter.message(written, sent=whole[message.id].parts))
        total_tokens += tokens
    return total_tokens
