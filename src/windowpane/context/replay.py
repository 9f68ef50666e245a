"""A receipt and what it points to → the request again, the same to the byte.

What was deleted meanwhile cannot come back; then the turns that are missing are named instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from windowpane.context.current import tool_rounds
from windowpane.context.emission import emitted, with_tools_at
from windowpane.context.receipt import Receipt
from windowpane.context.request import CacheMark, ModelRequest, ToolDefinition
from windowpane.context.spelling import spelled
from windowpane.context.states import IN_REQUEST
from windowpane.messages import Message


class Sources(Struct, frozen=True, kw_only=True):
    """What a receipt points to, as far as it is still there.

    ``turns`` holds messages by depth, ``current`` those of the receipt's own turn.
    """

    system: str | None
    tools: tuple[ToolDefinition, ...] | None
    turns: Mapping[int, Sequence[Message]]
    current: Sequence[Message]


class Replayed(Struct, frozen=True, kw_only=True):
    """``missing`` says in words what was deleted; with anything missing there is no request."""

    request: ModelRequest | None
    missing: tuple[str, ...]


def sent_depths(receipt: Receipt) -> list[int]:
    return [
        depth
        for run in receipt.contents.items
        if run.standing in IN_REQUEST
        for depth in range(run.first_depth, run.last_depth + 1)
    ]


def replayed(receipt: Receipt, sources: Sources) -> Replayed:
    contents = receipt.contents
    missing = tuple(_missing(receipt, sources))
    if missing or sources.system is None or sources.tools is None:
        return Replayed(request=None, missing=missing)
    return Replayed(
        request=ModelRequest(
            model=receipt.model.partition("/")[2],
            system=sources.system,
            tools=sources.tools,
            messages=(*_history(receipt, sources), *_current(receipt, sources)),
            marks=tuple(CacheMark(after_message_id=id) for id in contents.marks),
            max_output_tokens=contents.max_output_tokens,
            options=contents.options,
        ),
        missing=(),
    )


def _missing(receipt: Receipt, sources: Sources) -> Iterator[str]:
    if sources.system is None:
        yield "the system prompt"
    if sources.tools is None:
        yield "the tool definitions"
    for depth in sent_depths(receipt):
        if depth not in sources.turns:
            yield f"turn {depth + 1}"
    if len(sources.current) < receipt.contents.current_messages:
        yield "the turn itself"


def _history(receipt: Receipt, sources: Sources) -> Iterator[Message]:
    for run in receipt.contents.items:
        if run.standing in IN_REQUEST:
            for depth in range(run.first_depth, run.last_depth + 1):
                stored = _worded(receipt, sources.turns[depth])
                yield from emitted(stored, frozenset(run.removed))


def _current(receipt: Receipt, sources: Sources) -> tuple[Message, ...]:
    messages = _worded(receipt, sources.current[: receipt.contents.current_messages])
    kept = tool_rounds(messages)[receipt.contents.removed_rounds :]
    places = frozenset(place for places in kept for place in places)
    return with_tools_at(messages, places, has_reasoning=True)


def _worded(receipt: Receipt, messages: Sequence[Message]) -> Sequence[Message]:
    return spelled(messages) if receipt.settings.spells_calls else messages
