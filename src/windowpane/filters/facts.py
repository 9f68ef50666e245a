"""What a filter may ask of turns: one row for each, or all of them as columns.

``TurnFacts`` is what others fill in; ``History`` is the same by columns, which lets a predicate
run over 100,000 turns inside the interpreter's own loops. Texts are not here: they are asked for
when a filter needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from msgspec import Struct

from windowpane.filters.dates import to_us
from windowpane.filters.syntax import ColourFlag


class TurnFacts(Struct, frozen=True, kw_only=True, gc=False):
    """``is_error``: the turn failed. ``is_summarised``: the active summary stands for it."""

    id: str
    created_at: datetime
    star: int
    flag: ColourFlag
    model: str
    topic_id: str | None
    is_error: bool
    has_image: bool
    is_pinned: bool
    is_skipped: bool
    has_tool_calls: bool
    is_summarised: bool


class History(Struct, frozen=True, kw_only=True):
    """Turns in the order of the conversation, oldest first; yes-or-no columns hold 0 and 1.

    Histories of consecutive pages join into one, so that a change to one turn rebuilds one page.
    """

    turn_ids: tuple[str, ...]
    created_us: tuple[int, ...]
    stars: bytes
    models: tuple[str, ...]
    topic_ids: tuple[str | None, ...]
    is_grey: bytes
    is_error: bytes
    has_image: bytes
    is_pinned: bytes
    is_skipped: bytes
    has_tool_calls: bytes
    is_summarised: bytes

    @staticmethod
    def of(turns: Sequence[TurnFacts]) -> History:
        return History(
            turn_ids=tuple([turn.id for turn in turns]),
            created_us=tuple([to_us(turn.created_at) for turn in turns]),
            stars=bytes([turn.star for turn in turns]),
            models=tuple([turn.model for turn in turns]),
            topic_ids=tuple([turn.topic_id for turn in turns]),
            is_grey=bytes([turn.flag == "grey" for turn in turns]),
            is_error=bytes([turn.is_error for turn in turns]),
            has_image=bytes([turn.has_image for turn in turns]),
            is_pinned=bytes([turn.is_pinned for turn in turns]),
            is_skipped=bytes([turn.is_skipped for turn in turns]),
            has_tool_calls=bytes([turn.has_tool_calls for turn in turns]),
            is_summarised=bytes([turn.is_summarised for turn in turns]),
        )

    @staticmethod
    def joined(pages: Sequence[History]) -> History:
        return History(
            turn_ids=tuple(chain.from_iterable(page.turn_ids for page in pages)),
            created_us=tuple(chain.from_iterable(page.created_us for page in pages)),
            stars=b"".join(page.stars for page in pages),
            models=tuple(chain.from_iterable(page.models for page in pages)),
            topic_ids=tuple(chain.from_iterable(page.topic_ids for page in pages)),
            is_grey=b"".join(page.is_grey for page in pages),
            is_error=b"".join(page.is_error for page in pages),
            has_image=b"".join(page.has_image for page in pages),
            is_pinned=b"".join(page.is_pinned for page in pages),
            is_skipped=b"".join(page.is_skipped for page in pages),
            has_tool_calls=b"".join(page.has_tool_calls for page in pages),
            is_summarised=b"".join(page.is_summarised for page in pages),
        )
