"""Where a provider is asked to remember the prefix.

At most four marks, because adapters may mark the tools and the system text apart; never behind
something that a retention rule may still change; frozen for requests on the side.
"""

from __future__ import annotations

from collections.abc import Sequence

from windowpane.context.emission import Removal, Removals
from windowpane.context.given import PlanSettings
from windowpane.context.request import CacheMark
from windowpane.context.retention import Retention
from windowpane.messages import Message
from windowpane.options import CacheMode

MESSAGE_MARKS = 2
SYSTEM_MARK = CacheMark(after_message_id=None)


def cache_marks(
    message_ids: Sequence[str], *, stable: int, mode: CacheMode, frozen_at: str | None
) -> tuple[CacheMark, ...]:
    """Marks for a request of which the first ``stable`` messages will not change any more.

    ``frozen_at`` keeps the mark where an earlier request put it: a title or a summary reads the
    cache and does not pay for writing it.
    """
    if mode == "all-off":
        return ()
    if mode == "system":
        return (SYSTEM_MARK,)
    marked = message_ids[:stable][-MESSAGE_MARKS:]
    if frozen_at is not None:
        marked = [id for id in message_ids if id == frozen_at]
    return (SYSTEM_MARK, *(CacheMark(after_message_id=id) for id in marked))


def still_to_lose(retention: Retention, settings: PlanSettings, *, index: int) -> Removals:
    """What a turn will lose when it gets older; nothing once the rules have passed it."""
    losable: set[Removal] = set()
    if settings.reasoning_turns is not None and index >= retention.reasoning_from:
        losable.add("reasoning")
    if settings.tool_turns is not None and index >= retention.tools_from:
        losable.add("tools")
    return frozenset(losable)


def shared_messages(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many messages two sequences have in common from their beginning."""
    shared = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        shared += 1
    return shared
