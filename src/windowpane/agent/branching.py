"""Leaving a part of the path for another: what is asked instead, or what was there before.

Nothing is overwritten. The accounting record is made first, then the rows move, in one batch.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct, structs

from windowpane.agent.recovery import ensure_idle
from windowpane.agent.totals import Leaving, account_of
from windowpane.context.weights import ENDED_BADLY
from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.projects import Chat
from windowpane.records import (
    ASKED_AGAIN,
    EDITED,
    FAILED,
    OTHER_MODEL,
    SWAPPED,
    Place,
)
from windowpane.storage.base import Change
from windowpane.storage.branches import (
    deleted_in,
    go_to,
    leave,
    place_of,
    tail_ids,
    with_path,
)
from windowpane.storage.history import contents_of, put_chat
from windowpane.storage.lineage import branch_of
from windowpane.storage.shelves import CHATS
from windowpane.storage.specials import put_special
from windowpane.storage.turn_pages import drop_pages_from
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn

Step = Literal[1, -1]


class Departure(Struct, frozen=True, kw_only=True):
    """The rows that leave, with their account, and the chat that names it."""

    chat: Chat
    changes: tuple[Change, ...]


async def depart(
    vault: Vault,
    before: Chat,
    after: Chat,
    *,
    place: Place,
    reason: str,
    next_depth: int,
    at: datetime,
) -> Departure:
    """Leave the path from a place on.

    ``after`` is the chat as it will be then; from ``next_depth`` on it holds what is new.
    """
    tail = await tail_ids(vault, before.id, place.depth)
    leaving = Leaving(place=place, reason=reason, turns=len(tail), next_depth=next_depth)
    record = await account_of(vault, before, leaving, at=at)
    return Departure(
        chat=structs.replace(after, accounting_id=record.id),
        changes=(
            *leave(before.id, tail),
            put_special(vault, record, chat_id=before.id),
            *drop_pages_from(
                vault,
                before.id,
                place.depth,
                turn_count=max(before.turn_count, after.turn_count),
            ),
        ),
    )


async def reason_for(vault: Vault, replaced: Turn, *, message: Message, model: str) -> str:
    """Why a message takes the place of a turn."""
    asked = await asked_in(vault, replaced)
    if asked is None or asked.parts != message.parts:
        return EDITED
    if replaced.state in ENDED_BADLY:
        return FAILED
    return ASKED_AGAIN if replaced.model == model else OTHER_MODEL


async def asked_in(vault: Vault, turn: Turn) -> Message | None:
    """What the user wrote; None if it cannot be opened."""
    content = (await contents_of(vault, [turn])).turns[0]
    return next((message for message in content.messages if message.role == "user"), None)


async def return_to(vault: Vault, stored: Stored[Turn], *, at: datetime) -> Chat:
    """Make a turn that was left part of its chat again, with what once followed it."""
    turn = stored.value
    chat = await vault.get(CHATS, turn.chat_id)
    if stored.parent_id == chat.id:
        return chat.value
    await ensure_idle(vault, chat.value, at=at)
    branch = await branch_of(vault, turn)
    begin, end = branch[0], branch[-1]
    tail = await tail_ids(vault, chat.id, begin.depth)
    deleted = deleted_in(chat.value, depth=begin.depth, kept=len(tail))
    after = with_path(
        chat.value,
        head_id=[one.id for one in branch if one.turn is not None][-1],
        tip_id=end.id,
        turn_count=end.depth + 1,
        deleted_turns=chat.value.deleted_turns - deleted + sum(one.turn is None for one in branch),
    )
    place = Place(depth=begin.depth, after_id=begin.parent_id)
    gone = await depart(
        vault,
        chat.value,
        after,
        place=place,
        reason=SWAPPED,
        next_depth=after.turn_count,
        at=at,
    )
    await vault.commit(
        [
            *gone.changes,
            go_to(chat.id, branch),
            put_chat(vault, gone.chat, expected_version=chat.version),
        ]
    )
    return gone.chat


async def neighbour(vault: Vault, turn: Turn, *, step: Step) -> str:
    """The next answer that stands or stood in a turn's place, or the one before it."""
    place = await place_of(vault, turn)
    if place.count == 1:
        raise InvalidInput("There is no other answer in this place.")
    return place.next_id if step == 1 else place.previous_id
