"""The message as it is sent, beside what was typed: plain, under metadata, or in a template.

Rendered once, when a message is sent, and kept with it: a later change of the format must never
change the bytes of an old turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from itertools import product

from msgspec import Struct

from windowpane.accounting import Cost
from windowpane.choices import MessageFormat, MetadataLine
from windowpane.context.template import filled, parse_template
from windowpane.errors import InvalidInput

NAMES = (
    "userMessage",
    "timestamp",
    "timestampUtc",
    "timestampRelative",
    "modelName",
    "contextWindowUsage",
    "currentCost",
    "hasContextWindowUsage",
    "hasCurrentCost",
)
YES = "true"

EXAMPLE = "What does the ledger promise?"
EXAMPLE_AGE = timedelta(minutes=5)
EXAMPLE_TOKENS = 1234
EXAMPLE_COST = Cost(Decimal("0.046"), False)


class Phrasing(Struct, frozen=True, kw_only=True):
    """How messages are worded for the model."""

    format: MessageFormat
    metadata: tuple[MetadataLine, ...]
    template: str

    @property
    def tells_cost(self) -> bool:
        if self.format == "metadata":
            return "cost" in self.metadata
        return self.format == "template" and "Cost" in self.template


class Moment(Struct, frozen=True, kw_only=True):
    """What can be told of the moment of a send.

    ``context_tokens`` is what the last reply measured, 0 before the first. ``chat_began_at`` is
    when the first message was sent.
    """

    at: datetime
    zone: tzinfo
    chat_began_at: datetime
    model: str
    context_tokens: int
    cost: Cost


def sent_text(typed: str, phrasing: Phrasing, moment: Moment) -> str:
    match phrasing.format:
        case "plain":
            return typed
        case "metadata":
            return _with_metadata(typed, phrasing.metadata, moment)
        case "template":
            values = {"userMessage": typed, **_values(moment)}
            return filled(parse_template(phrasing.template, known=NAMES), values)


def example_text(phrasing: Phrasing, *, at: datetime, zone: tzinfo, model: str) -> str:
    """A message as it would be worded some way into a chat."""
    moment = Moment(
        at=at,
        zone=zone,
        chat_began_at=at - EXAMPLE_AGE,
        model=model,
        context_tokens=EXAMPLE_TOKENS,
        cost=EXAMPLE_COST,
    )
    return sent_text(EXAMPLE, phrasing, moment)


def check_template(template: str) -> None:
    """Refuse a template that cannot be read, or that could swallow the message."""
    pieces = parse_template(template, known=NAMES)
    for context, cost in product(("", YES), repeat=2):
        values = dict.fromkeys(NAMES, YES)
        values |= {"hasContextWindowUsage": context, "hasCurrentCost": cost}
        # A template may hold any text of its own, so two messages are tried: both must show.
        one, other = (filled(pieces, values | {"userMessage": typed}) for typed in ("1", "2"))
        if one == other:
            raise InvalidInput(
                "The template does not always hold what was typed. "
                "Put {{userMessage}} into it, outside of sections that may be left out."
            )


def _with_metadata(typed: str, wanted: tuple[MetadataLine, ...], moment: Moment) -> str:
    lines = list(_lines(wanted, moment))
    if not lines:
        return typed
    return "\n".join(["<metadata>", *lines, "</metadata>", "", typed])


def _lines(wanted: tuple[MetadataLine, ...], moment: Moment) -> Iterator[str]:
    """In a fixed order, whichever way they were asked for."""
    values = _values(moment)
    for line, value in (
        ("timestamp", "timestamp"),
        ("timestamp_utc", "timestampUtc"),
        ("timestamp_relative", "timestampRelative"),
    ):
        if line in wanted:
            yield f"<timestamp>{values[value]}</timestamp>"
    if "model" in wanted:
        yield f"<model>{moment.model}</model>"
    if "context" in wanted and moment.context_tokens:
        yield f"<context_window_usage>{values['contextWindowUsage']}</context_window_usage>"
    if "cost" in wanted:
        yield f"<current_cost>{values['currentCost']}</current_cost>"


def _values(moment: Moment) -> dict[str, str]:
    seconds = int((moment.at - moment.chat_began_at).total_seconds())
    return {
        "timestamp": _long_form(moment.at.astimezone(moment.zone)),
        "timestampUtc": _long_form(moment.at.astimezone(UTC)),
        "timestampRelative": f"{max(0, seconds)} seconds since chat start",
        "modelName": moment.model,
        "contextWindowUsage": f"{moment.context_tokens} tokens",
        "currentCost": _dollars(moment.cost),
        "hasContextWindowUsage": YES if moment.context_tokens else "",
        "hasCurrentCost": YES if moment.cost.known_usd else "",
    }


def _long_form(at: datetime) -> str:
    """``Tuesday, May 12, 2026 at 9:14:05 AM UTC``."""
    hour = at.hour % 12 or 12
    return f"{at:%A, %B} {at.day}, {at.year} at {hour}:{at:%M:%S %p} {at.tzname()}"


def _dollars(cost: Cost) -> str:
    """A price that nobody knows is not zero."""
    if cost.is_unknown:
        return "unknown"
    return f"{'at least ' if cost.is_unreliable else ''}${cost.known_usd:.3f}"
