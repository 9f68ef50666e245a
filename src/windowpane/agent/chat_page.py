"""A page of a chat: its turns, what stands or stood between them, and what is being answered."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from windowpane.agent.fold import Unfinished
from windowpane.agent.log import ChatLog
from windowpane.errors import RecordDamaged
from windowpane.events import EventId, OpenPart, SendHeld, ToolRun
from windowpane.projects import Chat
from windowpane.records import Accounting, SpecialRecord
from windowpane.storage.branches import TurnPlace, left_between, newest_id, places
from windowpane.storage.history import path_page
from windowpane.storage.specials import specials_on
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnContent


class ChatPage(Struct, frozen=True, kw_only=True):
    """A page of a chat as it stands, and the place in the log from which to follow it.

    ``records`` stand between the turns; ``places`` are of those turns that have siblings;
    ``others`` are turns that were left where a deleted one was, by the record that marks its
    place. ``tool_runs`` are the calls that are being carried out now.
    """

    chat: Chat
    turns: tuple[TurnContent, ...]
    records: tuple[SpecialRecord, ...]
    places: dict[str, TurnPlace]
    others: dict[str, tuple[str, ...]]
    open_part: OpenPart | None
    held: SendHeld | None
    tool_runs: tuple[ToolRun, ...]
    is_answering: bool
    has_older: bool
    position: EventId
    damaged: tuple[RecordDamaged, ...]


async def read_page(
    vault: Vault, chat: Chat, *, log: ChatLog, before_depth: int | None, limit: int
) -> ChatPage:
    """``log`` says how the running turn stands: it is ahead of what is stored."""
    position = log.position
    page = await path_page(vault, chat.id, before_depth=before_depth, limit=limit)
    turns = [content.turn for content in page.turns]
    first = turns[0].depth if turns else 0
    # By row, not by turn: those that cannot be opened must not hide those before them.
    has_older = await newest_id(vault, chat.id, before_depth=first) is not None
    records = await specials_on(vault, chat, turns, before_depth=before_depth, has_older=has_older)
    last = chat.turn_count if before_depth is None else before_depth - 1
    left = await left_between(vault, chat.id, first if has_older else 0, last)
    unfinished = Unfinished.of(logged.event for logged in log.events) if log.is_running else None
    return ChatPage(
        chat=chat,
        turns=tuple(_as_it_runs(unfinished, content) for content in page.turns),
        records=tuple(records),
        places=places(turns, left),
        others=_others(records, turns, left),
        open_part=log.open.value() if unfinished and log.open else None,
        held=unfinished.held if unfinished else None,
        tool_runs=tuple(unfinished.work.runs) if unfinished else (),
        is_answering=unfinished is not None,
        has_older=has_older,
        position=position,
        damaged=page.damaged,
    )


def _as_it_runs(unfinished: Unfinished | None, stored: TurnContent) -> TurnContent:
    """The running turn as it stands now, with the marks that it has got meanwhile."""
    if unfinished is None or unfinished.turn.id != stored.turn.id:
        return stored
    live = unfinished.content(draft_id=unfinished.turn.id)
    marked = structs.replace(
        live.turn,
        star=stored.turn.star,
        flag=stored.turn.flag,
        is_pinned=stored.turn.is_pinned,
        is_skipped=stored.turn.is_skipped,
        topic_id=stored.turn.topic_id,
    )
    return TurnContent(turn=marked, messages=live.messages)


def _others(
    records: Sequence[SpecialRecord], turns: Sequence[Turn], left: Sequence[Turn]
) -> dict[str, tuple[str, ...]]:
    """What can be gone back to where nothing stands any more: else nobody would find it."""
    taken = {turn.depth for turn in turns}
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        place = record.place
        if isinstance(record, Accounting) and place.depth not in taken:
            spot = (place.depth, place.after_id)
            ids = tuple(turn.id for turn in left if (turn.depth, turn.parent_id) == spot)
            if ids:
                found[record.id] = ids
                taken.add(place.depth)
    return found
