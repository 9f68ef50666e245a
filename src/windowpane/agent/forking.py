"""A fork: a new chat that begins with copies of another one's turns, up to one of them.

Copies have ids of their own and no receipts: what they cost was paid in the origin, and the fork
shows it as inherited. They are stored batch by batch, and the chat last: before that nobody sees
any of them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from msgspec import structs

from windowpane.accounting import fork_record
from windowpane.agent.totals import spent
from windowpane.deletions import DeletedChat, Deletion
from windowpane.errors import ChatBusy, ToolsWaiting
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Part, ToolResult
from windowpane.projects import Chat, ForkOrigin
from windowpane.records import FORKED, Accounting, Place
from windowpane.storage.base import Change
from windowpane.storage.deletions import put_unfinished, take_back
from windowpane.storage.history import (
    contents_of,
    put_chat,
    put_message,
    put_new_turn,
    put_output,
)
from windowpane.storage.lineage import line_to
from windowpane.storage.shelves import OUTPUTS, ToolOutput, outputs_of
from windowpane.storage.specials import put_special
from windowpane.storage.turn_pages import SETTLED
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Turn, TurnContent

# So many turns are sealed and stored before others get their turn.
BATCH_TURNS = 50
# The largest chat is copied in minutes; a fork that is not there by now never will be.
MOST_FORKING = timedelta(hours=1)


async def fork(vault: Vault, origin: Chat, turn: Stored[Turn], *, at: datetime) -> Chat:
    """A chat in the same project with everything up to a turn, on its path or left of it."""
    line = await line_to(vault, turn)
    if any(one.state == "waiting" for one in line):
        raise ToolsWaiting
    if any(one.state not in SETTLED for one in line):
        raise ChatBusy
    chat_id = new_id("chat")
    copies = _copies(line, chat_id=chat_id)
    record = await _inherited(vault, origin, copies, at=at)
    chat = structs.replace(
        origin,
        id=chat_id,
        created_at=at,
        active_at=at,
        head_id=copies[-1].id,
        turn_count=len(copies),
        deleted_turns=0,
        deleted_tip_id=None,
        floor=None,
        accounting_id=record.id,
        forked_from=ForkOrigin(chat_id=origin.id, turn_id=turn.id),
    )
    unfinished = _unfinished(chat)
    await vault.commit([put_unfinished(vault, unfinished)])
    async for batch in _batches(vault, line, copies):
        await vault.commit(batch)
    await vault.commit(
        [
            put_special(vault, record, chat_id=chat_id),
            put_chat(vault, chat, expected_version=0),
            take_back(unfinished),
        ]
    )
    return chat


def _unfinished(chat: Chat) -> Deletion:
    """A fork that never gets its chat is carried away like a chat that was deleted."""
    return Deletion(
        id=new_id("deletion"),
        deleted=DeletedChat(chat=chat),
        deleted_at=chat.created_at,
        due_at=chat.created_at + MOST_FORKING,
        is_final=True,
    )


def _copies(line: Sequence[Turn], *, chat_id: str) -> list[Turn]:
    """The same turns one after another, without the places of deleted ones."""
    ids = [new_id("turn") for _ in line]
    parents = {child: parent for parent, child in pairwise(ids)}
    return [
        structs.replace(turn, id=id, chat_id=chat_id, parent_id=parents.get(id), depth=depth)
        for depth, (turn, id) in enumerate(zip(line, ids, strict=True))
    ]


async def _inherited(
    vault: Vault, origin: Chat, copies: Sequence[Turn], *, at: datetime
) -> Accounting:
    history = (await spent(vault, origin)).history
    return Accounting(
        id=new_id("record"),
        place=Place(depth=len(copies), after_id=copies[-1].id),
        account=fork_record(history, reason=FORKED, created_at=at),
        next_depth=len(copies),
    )


async def _batches(
    vault: Vault, line: Sequence[Turn], copies: Sequence[Turn]
) -> AsyncGenerator[list[Change], None]:
    for start in range(0, len(line), BATCH_TURNS):
        some = line[start : start + BATCH_TURNS]
        contents = (await contents_of(vault, some)).turns
        outputs = await vault.all_children(OUTPUTS, [outputs_of(turn.id) for turn in some])
        changes: list[Change] = []
        for content, copy in zip(contents, copies[start:], strict=False):
            own = [one for one in outputs.items if one.value.turn_id == content.turn.id]
            changes += _copied(vault, content, copy, outputs=own)
        yield changes


def _copied(
    vault: Vault, content: TurnContent, copy: Turn, *, outputs: Sequence[Stored[ToolOutput]]
) -> list[Change]:
    handles = {output.id: new_id("output") for output in outputs}
    messages = (_copied_message(message, handles) for message in content.messages)
    return [
        put_new_turn(vault, copy),
        *(
            put_message(vault, message, turn_id=copy.id, position=position)
            for position, message in enumerate(messages)
        ),
        *(
            put_output(vault, structs.replace(output.value, turn_id=copy.id), id=handles[output.id])
            for output in outputs
        ),
    ]


def _copied_message(message: Message, handles: Mapping[str, str]) -> Message:
    """The same message, whose results name the outputs that were copied with it."""
    parts = tuple(_renamed(part, handles) for part in message.parts)
    return structs.replace(message, id=new_id("record"), parts=parts)


def _renamed(part: Part, handles: Mapping[str, str]) -> Part:
    if not isinstance(part, ToolResult) or part.output_id not in handles:
        return part
    handle = handles[part.output_id]
    return structs.replace(part, output_id=handle, text=part.text.replace(part.output_id, handle))
