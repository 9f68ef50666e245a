"""A plan and the contents of its turns → the request, message by message.

Nothing is decided here any more. Topic, star and flag never enter the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from windowpane.context.checkpoint import system_text
from windowpane.context.emission import emitted
from windowpane.context.marks import cache_marks, shared_messages, still_to_lose
from windowpane.context.plan import ContextPlan
from windowpane.context.request import ModelRequest
from windowpane.context.spelling import spelled
from windowpane.context.states import IN_REQUEST
from windowpane.errors import PromptTooLarge
from windowpane.messages import Message
from windowpane.options import RequestOptions
from windowpane.turns import TurnContent


class _Piece(Struct, frozen=True, kw_only=True):
    """The messages of one turn in the request, and how many of them no rule will change."""

    messages: tuple[Message, ...]
    stable: int


def assemble(
    plan: ContextPlan,
    contents: Mapping[str, TurnContent],
    *,
    max_output_tokens: int | None,
    options: RequestOptions,
    frozen_mark_at: str | None,
) -> ModelRequest:
    """The request of a sendable plan. ``contents`` holds at least the turns that are sent."""
    if plan.unsendable is not None:
        raise PromptTooLarge(plan.unsendable.message)
    pieces = [*_history(plan, contents), _current(plan)]
    messages = tuple(message for piece in pieces for message in piece.messages)
    return ModelRequest(
        model=plan.model,
        system=system_text(plan.system, plan.summary),
        tools=plan.tools,
        messages=messages,
        marks=cache_marks(
            [message.id for message in messages],
            stable=_stable(pieces),
            mode=plan.settings.cache_mode,
            frozen_at=frozen_mark_at,
        ),
        max_output_tokens=max_output_tokens,
        options=replace(options, prefill=plan.prefill),
    )


def _history(plan: ContextPlan, contents: Mapping[str, TurnContent]) -> Iterator[_Piece]:
    for turn in plan.turns:
        if turn.standing not in IN_REQUEST:
            continue
        stored = contents[turn.turn_id].messages
        if plan.settings.spells_calls:
            stored = spelled(stored)
        sent = emitted(stored, frozenset(turn.removed))
        to_lose = still_to_lose(plan.retention, plan.settings, index=turn.index)
        if turn.is_pinned or not to_lose:
            yield _Piece(messages=sent, stable=len(sent))
        else:
            later = emitted(stored, plan.retention.removals(turn.index) | to_lose)
            yield _Piece(messages=sent, stable=shared_messages(sent, later))


def _current(plan: ContextPlan) -> _Piece:
    """The running turn is the newest: every rule still lies before it."""
    sent = plan.current.messages
    newest = max(plan.retention.reasoning_from, plan.retention.tools_from)
    to_lose = still_to_lose(plan.retention, plan.settings, index=newest)
    return _Piece(messages=sent, stable=shared_messages(sent, emitted(sent, to_lose)))


def _stable(pieces: Sequence[_Piece]) -> int:
    """The messages before the first that may still change."""
    stable = 0
    for piece in pieces:
        stable += piece.stable
        if piece.stable < len(piece.messages):
            break
    return stable
