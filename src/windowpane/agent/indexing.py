"""A project's search index, kept up with what is stored, by whichever process stored it.

The work of one call is bounded: what it leaves waits for the next. Nothing that goes wrong with a
segment is more than a reason to make it anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Container, Sequence

from msgspec import Struct, structs

from windowpane.agent.growing import document_of, segment_of, wordless
from windowpane.agent.news import News, Room, news_of
from windowpane.agent.open_segments import Opened, OpenSegments, new_opened
from windowpane.agent.reading import read_turns
from windowpane.errors import RecordDamaged, VersionConflict
from windowpane.ids import new_id
from windowpane.projects import Chat
from windowpane.search import RECIPE
from windowpane.search.merging import Placement, Size, placement
from windowpane.storage.base import Change
from windowpane.storage.segments import (
    IndexNote,
    Segment,
    SegmentNote,
    SegmentTurns,
    SyncedChat,
    drop_segments,
    find_note,
    note_id,
    put_note,
    put_segment,
)
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import TurnContent

logger = logging.getLogger(__name__)


class Indexed(Struct, frozen=True, kw_only=True):
    """The index as it stands: its segments, which turns of them are gone, which are still open.

    ``waiting_turns`` are stored and not in it yet; ``room`` is what was left for more of them.
    """

    segments: tuple[Opened, ...]
    gone_ids: frozenset[str]
    open_ids: tuple[str, ...]
    waiting_turns: int
    room: Room


class SegmentLost(Exception):
    """A segment that is open here is not stored any more, or damaged there."""

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(id)


class _Known(Struct, frozen=True, kw_only=True):
    """The note as it is stored, its row's version, and the segments that could be opened.

    ``is_mended``: something of it was lost, so the note has to be written again.
    """

    note: IndexNote
    version: int
    segments: tuple[Opened, ...]
    is_mended: bool


class _Made(Struct, frozen=True, kw_only=True):
    """A new segment: open, and as it is going to be stored."""

    opened: Opened
    put: Change


class ProjectIndex:
    def __init__(self, vault: Vault, *, project_id: str, segments: OpenSegments) -> None:
        self._vault = vault
        self._project_id = project_id
        self._segments = segments
        self._lock = asyncio.Lock()

    async def caught_up(
        self, chats: Sequence[Stored[Chat]], *, is_whole: bool, room: Room
    ) -> Indexed:
        """The index with as many new turns of these chats as there is room for, newest first.

        ``is_whole``: these are all chats of the project, so any other one was deleted.
        """
        async with self._lock:
            while True:
                known = await self._known()
                news = await news_of(
                    self._vault, chats, note=known.note, segments=known.segments, room=room
                )
                if is_whole:
                    listed = {chat.id for chat in chats}
                    kept = {id: synced for id, synced in news.chats.items() if id in listed}
                    news = structs.replace(news, chats=kept)
                try:
                    return await self._with_news(known, news)
                except VersionConflict:
                    continue  # another process was faster, and has brought some of the same
                except SegmentLost as lost:
                    self._segments.give_up(lost.id)

    async def _known(self) -> _Known:
        """A segment that is lost costs a comparison of all chats, and its own turns anew."""
        note, version = await self._note()
        opened = [await self._segments.get(segment.id) for segment in note.segments]
        segments = tuple(one for one in opened if one is not None)
        is_mended = len(segments) < len(note.segments)
        if is_mended:
            ids = {segment.id for segment in segments}
            note = IndexNote(
                recipe=RECIPE,
                segments=tuple(one for one in note.segments if one.id in ids),
                chats={id: structs.replace(synced, version=0) for id, synced in note.chats.items()},
            )
        return _Known(note=note, version=version, segments=segments, is_mended=is_mended)

    async def _note(self) -> tuple[IndexNote, int]:
        try:
            stored = await find_note(self._vault, self._project_id)
        except RecordDamaged as damage:
            logger.warning("The search index of a project is made anew. %s", damage)
            [row] = await self._vault.store.get("segments", [note_id(self._project_id)])
            return IndexNote(recipe=RECIPE), row.version
        if stored is None:
            return IndexNote(recipe=RECIPE), 0
        is_ours = stored.value.recipe == RECIPE
        return stored.value if is_ours else IndexNote(recipe=RECIPE), stored.version

    async def _with_news(self, known: _Known, news: News) -> Indexed:
        placed = placement(_sizes(known, news), new_turns=len(news.turns) + len(news.damaged))
        is_same = news.chats == known.note.chats and not (news.turns or news.damaged)
        if is_same and not known.is_mended and not placed.dissolved:
            return _indexed(news, segments=known.segments)
        made = await self._made(known, news, placed=placed)
        leaving = {*placed.dissolved, *([placed.grown] if made else [])}
        staying = [one for one in known.segments if one.id not in leaving]
        segments = (*staying, *(one.opened for one in made))
        news = structs.replace(news, chats=_tidied(news.chats, segments, is_due=bool(leaving)))
        note = IndexNote(
            recipe=RECIPE,
            segments=tuple(SegmentNote(id=one.id, turns=len(one.turns.ids)) for one in segments),
            chats=news.chats,
        )
        await self._commit(known, note, [one.put for one in made])
        for one in made:
            self._segments.keep(one.opened)
        return _indexed(news, segments=segments)

    async def _made(self, known: _Known, news: News, *, placed: Placement) -> list[_Made]:
        """The segment with the new turns and those of dissolved ones; none, if there are none."""
        gone = _gone_ids(news)
        moved = [
            id
            for one in known.segments
            if one.id in placed.dissolved
            for id in _live_ids(one.turns, chats=news.chats, gone=gone)
        ]
        contents = [turn.content for turn in news.turns]
        contents += [turn.content for turn in (await read_turns(self._vault, moved)).turns.values()]
        if not contents and not news.damaged:
            return []
        base = await self._base(placed.grown) if placed.grown else None
        return [await asyncio.to_thread(self._grown, base, contents, news.damaged)]

    def _grown(
        self,
        base: Segment | None,
        contents: Sequence[TurnContent],
        damaged: Sequence[tuple[str, str]],
    ) -> _Made:
        """In a thread: indexing and sealing take a while."""
        documents = [document_of(content) for content in contents]
        documents.sort(key=lambda document: document.at_micros)
        documents += [wordless(id, chat_id=chat_id) for id, chat_id in damaged]
        segment, id = segment_of(documents, base=base), new_id("segment")
        return _Made(
            opened=new_opened(id, segment),
            put=put_segment(self._vault, segment, id=id, project_id=self._project_id),
        )

    async def _base(self, id: str) -> Segment:
        """It was open a moment ago, but only what is stored can be grown from."""
        segment = await self._segments.stored(id)
        if segment is None:
            raise SegmentLost(id)
        return segment

    async def _commit(self, known: _Known, note: IndexNote, puts: Sequence[Change]) -> None:
        """Rows that no note names any more go with the batch that names the others."""
        named = {note_id(self._project_id), *(segment.id for segment in note.segments)}
        stored = await self._vault.store.child_ids("segments", self._project_id, from_position=None)
        changes = [
            put_note(
                self._vault, note, project_id=self._project_id, expected_version=known.version
            ),
            *drop_segments(self._vault, [id for id in stored if id not in named]),
            *puts,
        ]
        await self._vault.commit(changes)


def _sizes(known: _Known, news: News) -> list[Size]:
    gone = _gone_ids(news)
    return [
        Size(
            id=one.id,
            turns=len(one.turns.ids),
            live=len(_live_ids(one.turns, chats=news.chats, gone=gone)),
        )
        for one in known.segments
    ]


def _gone_ids(news: News) -> frozenset[str]:
    return frozenset(id for synced in news.chats.values() for id in synced.gone_ids)


def _live_ids(turns: SegmentTurns, *, chats: Container[str], gone: frozenset[str]) -> Sequence[str]:
    """The turns of a segment that there still are."""
    is_there = [id in chats for id in turns.chats]
    if all(is_there) and not gone:
        return turns.ids
    return [
        id
        for id, place in zip(turns.ids, turns.chat, strict=True)
        if is_there[place] and id not in gone
    ]


def _tidied(
    chats: dict[str, SyncedChat], segments: Sequence[Opened], *, is_due: bool
) -> dict[str, SyncedChat]:
    """Without the deleted turns that are in no segment any more."""
    if not is_due or not any(synced.gone_ids for synced in chats.values()):
        return chats
    inside = {id for one in segments for id in one.turns.ids}
    return {
        id: structs.replace(
            synced, gone_ids=tuple(gone for gone in synced.gone_ids if gone in inside)
        )
        for id, synced in chats.items()
    }


def _indexed(news: News, *, segments: Sequence[Opened]) -> Indexed:
    return Indexed(
        segments=tuple(segments),
        gone_ids=_gone_ids(news),
        open_ids=tuple(id for synced in news.chats.values() for id in synced.open_ids),
        waiting_turns=news.waiting_turns,
        room=news.room,
    )
