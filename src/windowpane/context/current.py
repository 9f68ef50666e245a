"""The turn that is being asked: the draft, or a running turn with the tool rounds it has had.

When it alone is too large, its oldest tool rounds are left out, call and result together; the
newest round always stays, because the model is about to read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

from windowpane.context.boundary import Candidate, boundary, step_tokens_of
from windowpane.context.emission import Places, tool_pairs, with_tools_at
from windowpane.context.given import PlanInput
from windowpane.context.weights import emitted_tokens
from windowpane.messages import Message
from windowpane.tokens import Counter


class CurrentTurn(Struct, frozen=True, kw_only=True):
    """``messages`` as they are sent. ``rounds`` counts the tool rounds, those left out as well.

    ``overflow_rounds`` of the removed ones left because a provider refused the request.
    """

    messages: tuple[Message, ...]
    raw_tokens: int
    sent_tokens: int
    rounds: int
    removed_rounds: int
    overflow_rounds: int


def current_turn(given: PlanInput, *, room_tokens: int | None) -> CurrentTurn:
    rounds = tool_rounds(given.current)
    raw_tokens = _sent_tokens(given.current, rounds, counter=given.counter)
    too_many = _too_many(given, rounds, raw_tokens=raw_tokens, room_tokens=room_tokens)
    overflow_rounds = min(given.overflow.trims, max(0, len(rounds) - 1 - too_many))
    kept = rounds[too_many + overflow_rounds :]
    return CurrentTurn(
        messages=with_tools_at(given.current, _places(kept), has_reasoning=True),
        raw_tokens=raw_tokens,
        sent_tokens=_sent_tokens(given.current, kept, counter=given.counter),
        rounds=len(rounds),
        removed_rounds=len(rounds) - len(kept),
        overflow_rounds=overflow_rounds,
    )


def tool_rounds(messages: Sequence[Message]) -> list[Places]:
    """The places of calls and results, one set for each message that calls."""
    rounds: dict[int, set[tuple[int, int]]] = {}
    for call, result in sorted(tool_pairs(messages)):
        rounds.setdefault(call[0], set()).update((call, result))
    return [frozenset(places) for places in rounds.values()]


def _too_many(
    given: PlanInput, rounds: Sequence[Places], *, raw_tokens: int, room_tokens: int | None
) -> int:
    """How many of the oldest rounds must leave for the turn to fit."""
    if room_tokens is None or raw_tokens <= room_tokens:
        return 0
    sizes = [
        raw_tokens - _sent_tokens(given.current, _without(rounds, number), counter=given.counter)
        for number in range(len(rounds) - 1)
    ]
    ends = list(accumulate(sizes))
    older = [
        Candidate(index=number, tokens=size, begins_at=ends[number] - size, ends_at=ends[number])
        for number, size in enumerate(sizes)
    ]
    start = boundary(
        reversed(older),
        room_tokens=room_tokens - raw_tokens + sum(sizes),
        floor_index=None,
        step_tokens=step_tokens_of(given.limit_tokens, in_steps=given.moves_in_steps),
    )
    return len(older) if start is None else start


def _without(rounds: Sequence[Places], number: int) -> list[Places]:
    return [places for other, places in enumerate(rounds) if other != number]


def _places(rounds: Sequence[Places]) -> Places:
    return frozenset(place for places in rounds for place in places)


def _sent_tokens(messages: Sequence[Message], rounds: Sequence[Places], *, counter: Counter) -> int:
    sent = with_tools_at(messages, _places(rounds), has_reasoning=True)
    return emitted_tokens(sent, stored=messages, counter=counter)
