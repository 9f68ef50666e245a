"""Where a provider is asked to remember the prefix: at most four marks, never behind something
that a rule may still change, frozen for requests on the side."""

from __future__ import annotations

from collections.abc import Sequence

from windowpane.context.request import CacheMark
from windowpane.settings import CacheMode

MESSAGE_MARKS = 2
SYSTEM_MARK = CacheMark(after_message_id=None)


def cache_marks(
    stable_message_ids: Sequence[str], *, mode: CacheMode, frozen_at: str | None
) -> tuple[CacheMark, ...]:
    """Marks for a request whose first messages, those named, will not change any more.

    ``frozen_at`` keeps the mark where an earlier request put it: a title or a summary reads the
    cache and does not pay for writing it.
    """
    if mode == "all-off":
        return ()
    if mode == "system":
        return (SYSTEM_MARK,)
    if frozen_at is not None:
        held = [id for id in stable_message_ids if id == frozen_at]
        return (SYSTEM_MARK, *(CacheMark(after_message_id=id) for id in held))
    newest = stable_message_ids[-MESSAGE_MARKS:]
    return (SYSTEM_MARK, *(CacheMark(after_message_id=id) for id in newest))
