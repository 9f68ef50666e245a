"""Tool calls as another service takes them: ids in its form, arguments as an object.

Whoever made an id up may have used characters that are refused elsewhere, made it too long, or
counted from one again in every round; and a model may write anything as arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count

import msgspec

from windowpane.context.emission import tool_pairs
from windowpane.messages import Message
from windowpane.parts import ToolCall, ToolResult

# Which message, which of its parts.
Place = tuple[int, int]


def call_ids(messages: Sequence[Message], *, form: re.Pattern[str]) -> Mapping[Place, str]:
    """The id of every call and of every result, by its place.

    An id that fits stays as it is; the same conversation always gives the same ids.
    """
    results = dict(tool_pairs(messages))
    ids: dict[Place, str] = {}
    taken: set[str] = set()
    for place, part in _calls_and_results(messages):
        if isinstance(part, ToolCall):
            id = next(one for one in _candidates(part.call_id, form=form) if one not in taken)
            taken.add(id)
            ids[place] = id
            if place in results:
                ids[results[place]] = id
        elif place not in ids:
            ids[place] = next(_candidates(part.call_id, form=form))
    return ids


def call_input(arguments: str) -> object:
    """The arguments as an object, whatever the model wrote."""
    try:
        return msgspec.json.decode(arguments or "{}", type=dict[str, object])
    except msgspec.DecodeError:
        return {"arguments": arguments}


def _calls_and_results(
    messages: Sequence[Message],
) -> Iterator[tuple[Place, ToolCall | ToolResult]]:
    for number, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if isinstance(part, ToolCall | ToolResult):
                yield (number, position), part


def _candidates(given: str, *, form: re.Pattern[str]) -> Iterator[str]:
    if form.fullmatch(given):
        yield given
    for number in count():
        named = f"{given} {number}" if number else given
        yield f"call_{sha256(named.encode()).hexdigest()[:24]}"
