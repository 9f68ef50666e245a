"""A message as it was given, and the pieces of it that its parts stand for.

What is sent whole is given back as the very object that came in. Where parts leave, their pieces
are taken out of a copy, and all other fields stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.library.reading import Json, is_list
from windowpane.messages import Message
from windowpane.parts import Part

# Where a piece is: under a key, or at a place in the list under a key.
Piece = tuple[str, int | None]


class Source(Struct, frozen=True, kw_only=True):
    """``pieces`` has one entry for each part of the message.

    ``is_instruction``: a system message in the middle, which nobody of the two speakers said.
    """

    json: Json
    message: Message
    pieces: tuple[Piece, ...]
    is_instruction: bool

    def without(self, sent: Sequence[Part]) -> Json:
        """The JSON with only what ``sent`` still holds of the message's parts."""
        kept = {id(part) for part in sent}
        pairs = zip(self.message.parts, self.pieces, strict=True)
        gone = [piece for part, piece in pairs if id(part) not in kept]
        if not gone:
            return self.json
        left = dict(self.json)
        for key in {key for key, _ in gone}:
            left[key] = _left_under(left[key], {at for under, at in gone if under == key})
        return {key: value for key, value in left.items() if value or key not in OPTIONAL}


# Fields that must not be there when they are empty.
OPTIONAL = frozenset({"tool_calls", "reasoning_content", "reasoning", "refusal"})


def _left_under(value: object, gone: set[int | None]) -> object:
    if None in gone or not is_list(value):
        return None
    return [item for at, item in enumerate(value) if at not in gone] or None
