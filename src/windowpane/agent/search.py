"""Search over history: over everything, a project or a chat, with every branch of it.

Finding catches up first, so that what was stored a moment ago, here or elsewhere, is found; what
was deleted is not, because each hit is read from the store before it is shown.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from msgspec import Struct

from windowpane.agent.corpus import SegmentBroken, SegmentedCorpus
from windowpane.agent.growing import document_of, segment_of
from windowpane.agent.hits import chat_hits, turn_hit
from windowpane.agent.indexing import Indexed, ProjectIndex
from windowpane.agent.news import Room
from windowpane.agent.open_segments import Opened, OpenSegments, new_opened
from windowpane.agent.reading import ReadTurn, read_turns
from windowpane.projects import Chat
from windowpane.search import Found, HitWords, Scored, TurnHit, Wish, wish_of
from windowpane.storage.shelves import CHATS, PROJECTS, TOP
from windowpane.storage.vault import Stored, Vault

logger = logging.getLogger(__name__)

# About half a second of work. Whoever has more to catch up with searches again.
TURNS_PER_SEARCH = 2_000
BYTES_PER_SEARCH = 4_000_000
MOST_CHAT_HITS = 5
# A search box asks many times in the same place.
KEPT_CORPORA = 2
NOTHING = Found(chats=(), turns=(), searched_turns=0, waiting_turns=0)


class SearchScope(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything, unless a project or a chat is named."""

    project_id: str | None = None
    chat_id: str | None = None


class CatchingUp(Struct, frozen=True, kw_only=True):
    """How far the index is: turns that are in it, and stored ones that are not yet."""

    indexed_turns: int
    waiting_turns: int


class _Place(Struct, frozen=True, kw_only=True):
    """The chats of a project that are searched, newest first; ``is_whole``: all there are."""

    project_id: str
    chats: Sequence[Stored[Chat]]
    is_whole: bool


class _Ground(Struct, frozen=True, kw_only=True):
    """What is searched: the chats by id, and the indexes of their projects."""

    chats: dict[str, Chat]
    indexes: Sequence[Indexed]

    @property
    def waiting_turns(self) -> int:
        return sum(index.waiting_turns for index in self.indexes)


class Search:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._segments = OpenSegments(vault)
        self._indexes: dict[str, ProjectIndex] = {}
        self._corpora: OrderedDict[tuple[str, ...], SegmentedCorpus] = OrderedDict()

    async def find(self, text: str, *, scope: SearchScope, limit: int, at: datetime) -> Found:
        """``at`` is now: what "yesterday" means in the question."""
        wish = wish_of(text, at=at)
        if not wish.wanted:
            return NOTHING
        while True:
            ground = await self._ground(scope)
            try:
                return await self._found(wish, ground, limit=limit)
            except SegmentBroken as broken:
                logger.warning("A search segment is made anew. %s", broken)
                self._segments.give_up(broken.id)

    async def catch_up(self, scope: SearchScope) -> CatchingUp:
        """As much as one search would do; to be called until nothing waits."""
        ground = await self._ground(scope)
        indexed = sum(len(one.turns.ids) for index in ground.indexes for one in index.segments)
        return CatchingUp(indexed_turns=indexed, waiting_turns=ground.waiting_turns)

    async def _ground(self, scope: SearchScope) -> _Ground:
        chats: dict[str, Chat] = {}
        indexes: list[Indexed] = []
        room = Room(turns=TURNS_PER_SEARCH, size_bytes=BYTES_PER_SEARCH)
        for place in await self._places(scope):
            index = self._indexes.get(place.project_id)
            if index is None:
                index = ProjectIndex(
                    self._vault, project_id=place.project_id, segments=self._segments
                )
                self._indexes[place.project_id] = index
            caught_up = await index.caught_up(place.chats, is_whole=place.is_whole, room=room)
            room = caught_up.room
            indexes.append(caught_up)
            chats.update((chat.id, chat.value) for chat in place.chats)
        return _Ground(chats=chats, indexes=indexes)

    async def _places(self, scope: SearchScope) -> list[_Place]:
        if scope.chat_id is not None:
            chat = await self._vault.get(CHATS, scope.chat_id)
            return [_Place(project_id=chat.parent_id, chats=[chat], is_whole=False)]
        if scope.project_id is not None:
            project_ids = [(await self._vault.get(PROJECTS, scope.project_id)).id]
        else:
            project_ids = await self._vault.child_ids(PROJECTS, TOP)
        return [await self._whole(project_id) for project_id in project_ids]

    async def _whole(self, project_id: str) -> _Place:
        chats = await self._vault.children(
            CHATS,
            [project_id],
            from_position=None,
            to_position=None,
            newest_first=True,
            limit=None,
        )
        return _Place(project_id=project_id, chats=chats.items, is_whole=True)

    async def _found(self, wish: Wish, ground: _Ground, *, limit: int) -> Found:
        corpus = await self._corpus(await self._segments_of(ground))
        gone = chain.from_iterable(index.gone_ids for index in ground.indexes)
        live = corpus.live(set(ground.chats), gone_ids=gone)
        best = await self._best(wish, corpus=corpus, live=live, limit=limit)
        words = HitWords(wish)
        titled = chat_hits(ground.chats.values(), wish=wish, words=words, limit=MOST_CHAT_HITS)
        turns = await asyncio.to_thread(_hits, best, chats=ground.chats, words=words)
        return Found(
            chats=tuple(titled),
            turns=tuple(turns),
            searched_turns=sum(live),
            waiting_turns=ground.waiting_turns,
        )

    async def _best(
        self, wish: Wish, *, corpus: SegmentedCorpus, live: bytearray, limit: int
    ) -> list[tuple[Scored, ReadTurn]]:
        """The best turns that there are: one that has vanished makes room for the next."""
        while True:
            scored = await asyncio.to_thread(corpus.best, wish, live=live, limit=limit)
            read = (await read_turns(self._vault, [corpus.ids[one.turn] for one in scored])).turns
            vanished = [one.turn for one in scored if corpus.ids[one.turn] not in read]
            if not vanished:
                return [(one, read[corpus.ids[one.turn]]) for one in scored]
            for turn in vanished:
                live[turn] = 0

    async def _segments_of(self, ground: _Ground) -> list[Opened]:
        segments = list(chain.from_iterable(index.segments for index in ground.indexes))
        unfinished = await self._unfinished(ground)
        return [*segments, unfinished] if unfinished else segments

    async def _unfinished(self, ground: _Ground) -> Opened | None:
        """Turns that are being answered: searched as far as they are stored, and not kept."""
        open_ids = [id for index in ground.indexes for id in index.open_ids]
        if not open_ids:
            return None
        read = await read_turns(self._vault, open_ids)
        documents = [document_of(turn.content) for turn in read.turns.values()]
        segment = await asyncio.to_thread(segment_of, documents, base=None)
        sizes = [str(len(turn.content.messages)) for turn in read.turns.values()]
        return new_opened(" ".join([*read.turns, *sizes]), segment)

    async def _corpus(self, segments: Sequence[Opened]) -> SegmentedCorpus:
        key = tuple(one.id for one in segments)
        corpus = self._corpora.pop(key, None)
        if corpus is None:
            corpus = await asyncio.to_thread(SegmentedCorpus, segments)
        self._corpora[key] = corpus
        while len(self._corpora) > KEPT_CORPORA:
            self._corpora.popitem(last=False)
        return corpus


def _hits(
    best: Sequence[tuple[Scored, ReadTurn]], *, chats: dict[str, Chat], words: HitWords
) -> list[TurnHit]:
    return [
        turn_hit(read, scored=scored, chat=chats[read.content.turn.chat_id], words=words)
        for scored, read in best
    ]
