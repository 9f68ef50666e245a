"""What chats hold that the search index does not: compared by ids, read in bounded pieces.

A chat whose row has not changed has no new turns; of one that has only grown, the turns behind the
known ones are new; any other is compared turn by turn, the left ones too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from windowpane.agent.open_segments import Opened
from windowpane.agent.reading import TURNS_AT_ONCE, ReadTurn, ReadTurns, read_piece
from windowpane.projects import Chat
from windowpane.storage.segments import IndexNote, SyncedChat
from windowpane.storage.shelves import TURNS, left_of
from windowpane.storage.turn_pages import SETTLED
from windowpane.storage.vault import Stored, Vault


class Room(Struct, frozen=True, kw_only=True):
    """How much may be read at once: turns, and what they take in the store."""

    turns: int
    size_bytes: int

    @property
    def is_left(self) -> bool:
        return self.turns > 0 and self.size_bytes > 0

    def without(self, read: ReadTurns) -> Room:
        taken = len(read.turns) + len(read.damaged_ids)
        return Room(turns=self.turns - taken, size_bytes=self.size_bytes - read.size_bytes)


class News(Struct, frozen=True, kw_only=True):
    """Turns to take in, and how far each chat is then. ``damaged`` turns have no words.

    ``waiting_turns`` are those for which there was no room, some of them by the chat's own count;
    ``room`` is what is left of it.
    """

    chats: dict[str, SyncedChat]
    turns: tuple[ReadTurn, ...]
    damaged: tuple[tuple[str, str], ...]
    waiting_turns: int
    room: Room


class _Compared(Struct, frozen=True, kw_only=True):
    """``new_ids`` oldest first; ``is_whole``: the path has as many turns as its chat says."""

    new_ids: Sequence[str]
    gone_ids: tuple[str, ...]
    is_whole: bool


async def news_of(
    vault: Vault,
    chats: Sequence[Stored[Chat]],
    *,
    note: IndexNote,
    segments: Sequence[Opened],
    room: Room,
) -> News:
    """Chats in the order in which they shall be taken in; of each its newest turns first."""
    known = _Known(segments)
    synced = dict(note.chats)
    turns: list[ReadTurn] = []
    damaged: list[tuple[str, str]] = []
    waiting = 0
    for chat in chats:
        before = note.chats.get(chat.id)
        if before is not None and before.version == chat.version and not before.open_ids:
            continue
        if not room.is_left:
            waiting += max(0, chat.value.kept_turns - known.count(chat.id))
            continue
        compared = await _compared(vault, chat, before=before, known=known.ids(chat.id))
        read, left_over = await _read_newest(vault, compared.new_ids, room=room)
        room = room.without(read)
        waiting += left_over
        turns += [turn for turn in read.turns.values() if _is_settled(turn)]
        damaged += [(id, chat.id) for id in read.damaged_ids]
        is_done = compared.is_whole and left_over == 0
        synced[chat.id] = SyncedChat(
            version=chat.version if is_done else 0,
            revision=chat.value.revision,
            turn_count=chat.value.turn_count,
            open_ids=tuple(id for id, turn in read.turns.items() if not _is_settled(turn)),
            gone_ids=compared.gone_ids,
        )
    return News(
        chats=synced,
        turns=tuple(turns),
        damaged=tuple(damaged),
        waiting_turns=waiting,
        room=room,
    )


async def _read_newest(vault: Vault, ids: Sequence[str], *, room: Room) -> tuple[ReadTurns, int]:
    """As many of the last turns as there is room for, and how many were left over."""
    turns: dict[str, ReadTurn] = {}
    damaged: list[str] = []
    size_bytes, rest = 0, list(ids)
    while rest and room.is_left:
        count = min(TURNS_AT_ONCE, room.turns)
        read = await read_piece(vault, rest[-count:])
        del rest[-count:]
        room = room.without(read)
        turns = {**read.turns, **turns}
        damaged += read.damaged_ids
        size_bytes += read.size_bytes
    whole = ReadTurns(turns=turns, damaged_ids=tuple(damaged), size_bytes=size_bytes)
    return whole, len(rest)


async def _compared(
    vault: Vault, chat: Stored[Chat], *, before: SyncedChat | None, known: set[str]
) -> _Compared:
    count = chat.value.turn_count
    has_only_grown = (
        before is not None
        and before.version > 0
        and before.revision == chat.value.revision
        and before.turn_count <= count
    )
    if before is not None and has_only_grown:
        added = await vault.store.child_ids(TURNS.table, chat.id, from_position=before.turn_count)
        return _Compared(
            new_ids=[id for id in dict.fromkeys([*before.open_ids, *added]) if id not in known],
            gone_ids=before.gone_ids,
            is_whole=before.turn_count + len(added) >= count,
        )
    path = await vault.child_ids(TURNS, chat.id)
    left = await vault.child_ids(TURNS, left_of(chat.id))
    every = {*left, *path}
    return _Compared(
        new_ids=[id for id in dict.fromkeys([*left, *path]) if id not in known],
        gone_ids=tuple(sorted(known - every)),
        is_whole=len(path) >= chat.value.kept_turns,
    )


class _Known:
    """Which turns the segments hold, by chat; looked up only for chats that changed."""

    def __init__(self, segments: Sequence[Opened]) -> None:
        self._segments = segments

    @cached_property
    def _counts(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for opened in self._segments:
            for place, count in Counter(opened.turns.chat).items():
                counts[opened.turns.chats[place]] += count
        return counts

    def count(self, chat_id: str) -> int:
        return self._counts[chat_id]

    def ids(self, chat_id: str) -> set[str]:
        found: set[str] = set()
        for turns in (opened.turns for opened in self._segments):
            if chat_id in turns.chats:
                place = turns.chats.index(chat_id)
                found.update(
                    id for id, at in zip(turns.ids, turns.chat, strict=True) if at == place
                )
        return found


def _is_settled(turn: ReadTurn) -> bool:
    return turn.content.turn.state in SETTLED
