"""A receipt: the account of one request that really went out, and what became of it.

It names turns by their places on the path that led to its own turn, in runs, so that it stays
small however long the chat is; the texts that requests share lie apart, by address. With what it
points to it gives the same bytes again (``replay``), and two of them can be compared (``diff``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Literal

from msgspec import Struct

from windowpane.accounting import Cause, UsageEntry
from windowpane.context.budget import Budget
from windowpane.context.emission import Removal
from windowpane.context.fixed import FixedTokens
from windowpane.context.given import PlanSettings
from windowpane.context.plan import ContextPlan
from windowpane.context.request import ModelRequest
from windowpane.context.side import SideForm
from windowpane.context.states import PlannedTurn, TurnRange, TurnStanding
from windowpane.errors import Failure
from windowpane.options import RequestOptions
from windowpane.topics import ViewScope

# Where a request stands: on its way, or how it ended. ``overflow_initial`` is a turn's first
# refusal for its size, ``overflow_exhausted`` the one after which nothing more could leave.
Stage = Literal[
    "attempt",
    "overflow_initial",
    "overflow_retry",
    "overflow_exhausted",
    "success",
    "error",
    "aborted",
    "interrupted",
]


class ItemRun(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Neighbours on the path that stand alike, from one depth to another, both included.

    Depths, not indexes: those of a plan move up when a turn before them is deleted.
    """

    first_depth: int
    last_depth: int
    standing: TurnStanding
    raw_tokens: int
    sent_tokens: int = 0
    removed: tuple[Removal, ...] = ()
    is_pinned: bool = False


class Aside(Struct, frozen=True, kw_only=True):
    """A request on the side: how it was asked, and the address of what it asked for."""

    form: SideForm
    instruction_id: str


class Contents(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was in a request. Texts are named by their addresses.

    ``current_messages`` of the turn itself were sent, without its oldest ``removed_rounds`` tool
    rounds. ``ranges`` counts the turns that no run names. A request on the side has one message
    of its own instead, and may hold the turn itself as history.
    """

    items: tuple[ItemRun, ...]
    ranges: tuple[TurnRange, ...]
    current_messages: int
    system_id: str
    tools_id: str
    summary_id: str | None = None
    removed_rounds: int = 0
    marks: tuple[str | None, ...] = ()
    max_output_tokens: int | None = None
    options: RequestOptions = RequestOptions()
    aside: Aside | None = None


class Sizes(Struct, frozen=True, kw_only=True):
    """What the plan counted: the prediction, and what was left of it in this request."""

    fixed: FixedTokens
    predicted_turns: int
    predicted_tokens: int
    trimmed_turns: int
    history_tokens: int
    current_tokens: int
    total_tokens: int
    scope_turns: int
    visible_turns: int


class Sent(Struct, frozen=True, kw_only=True):
    """The HTTP request, but for the headers with secrets: its body by size and SHA-256."""

    method: str
    url: str
    headers: dict[str, str]
    body_bytes: int
    body_sha256: str


class Receipt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``number`` counts the requests of a turn from 1; ``model`` is the full name.

    ``waited_seconds`` passed before it went out, for a quota or after a failure.
    """

    id: str
    project_id: str
    chat_id: str
    turn_id: str
    number: int
    cause: Cause
    round: int
    model: str
    scope: ViewScope
    filter_text: str
    settings: PlanSettings
    budget: Budget
    contents: Contents
    sizes: Sizes
    sent: Sent
    started_at: datetime
    stage: Stage = "attempt"
    waited_seconds: float = 0.0
    first_event_seconds: float | None = None
    seconds: float | None = None
    entry: UsageEntry | None = None
    failure: Failure | None = None


def of_answers(receipts: Iterable[Receipt]) -> list[Receipt]:
    """Without those of requests on the side."""
    return [one for one in receipts if one.contents.aside is None]


def contents_of(
    plan: ContextPlan,
    request: ModelRequest,
    *,
    depth_of: Callable[[str], int],
    current_messages: int,
    system_id: str,
    tools_id: str,
    aside: Aside | None,
) -> Contents:
    return Contents(
        items=tuple(runs(plan.turns, depth_of=depth_of)),
        ranges=plan.ranges,
        current_messages=current_messages,
        removed_rounds=plan.current.removed_rounds,
        system_id=system_id,
        tools_id=tools_id,
        summary_id=plan.summary.id if plan.summary else None,
        marks=tuple(mark.after_message_id for mark in request.marks),
        max_output_tokens=request.max_output_tokens,
        options=request.options,
        aside=aside,
    )


def sizes_of(plan: ContextPlan) -> Sizes:
    return Sizes(
        fixed=plan.fixed,
        predicted_turns=plan.predicted_turns,
        predicted_tokens=plan.predicted_tokens,
        trimmed_turns=plan.trimmed_turns,
        history_tokens=plan.history_tokens,
        current_tokens=plan.current.sent_tokens,
        total_tokens=plan.total_tokens,
        scope_turns=plan.scope_turns,
        visible_turns=plan.visible_turns,
    )


def runs(turns: Iterable[PlannedTurn], *, depth_of: Callable[[str], int]) -> Iterator[ItemRun]:
    """Planned turns as runs of neighbours that stand alike."""
    placed = sorted(((depth_of(turn.turn_id), turn) for turn in turns), key=lambda one: one[0])
    alike = groupby(enumerate(placed), key=lambda one: (one[1][0] - one[0], *_standing(one[1][1])))
    for _, group in alike:
        run = [turn for _, turn in group]
        (first_depth, first), (last_depth, _) = run[0], run[-1]
        yield ItemRun(
            first_depth=first_depth,
            last_depth=last_depth,
            standing=first.standing,
            raw_tokens=sum(turn.raw_tokens for _, turn in run),
            sent_tokens=sum(turn.sent_tokens for _, turn in run),
            removed=first.removed,
            is_pinned=first.is_pinned,
        )


def _standing(turn: PlannedTurn) -> tuple[str, tuple[Removal, ...], bool]:
    return turn.standing, turn.removed, turn.is_pinned
