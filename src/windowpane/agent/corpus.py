"""Several segments looked at as one: every turn has one number, whichever segment it lies in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import TypeVar

from windowpane.agent.open_segments import Opened
from windowpane.search import COLUMNS, Corpus, Find, OpenSegment, Scored, Wanted, Wish, ranked

T = TypeVar("T")


class SegmentBroken(Exception):
    """A segment that was opened does not answer. Whoever searches has it made anew."""

    def __init__(self, id: str, *, why: sqlite3.DatabaseError) -> None:
        self.id = id
        super().__init__(f"{id}: {why}")


class SegmentedCorpus:
    """Made once for the same segments: its lists take 20 MB for 100,000 turns."""

    def __init__(self, segments: Sequence[Opened]) -> None:
        sizes = [len(one.turns.ids) for one in segments]
        self._segments = segments
        self._firsts = list(accumulate(sizes, initial=0))[:-1]
        self.ids = list(chain.from_iterable(one.turns.ids for one in segments))
        self._numbers = {id: number for number, id in enumerate(self.ids)}
        self._newest = list(chain.from_iterable(one.turns.at_micros for one in segments))
        self._corpus = Corpus.of(
            parents=list(self._parents()),
            lengths={
                name: list(chain.from_iterable(one.turns.lengths[name] for one in segments))
                for name in COLUMNS
            },
        )

    def live(self, chat_ids: set[str], *, gone_ids: Iterable[str]) -> bytearray:
        """1 for every turn of these chats that there still is."""
        live = bytearray()
        for one in self._segments:
            is_in = bytes(id in chat_ids for id in one.turns.chats)
            live += bytes(map(is_in.__getitem__, one.turns.chat))
        for id in gone_ids:
            if id in self._numbers:
                live[self._numbers[id]] = 0
        return live

    def best(self, wish: Wish, *, live: bytearray, limit: int) -> list[Scored]:
        """Raises ``SegmentBroken``."""
        return ranked(
            [self._find(wanted) for wanted in wish.wanted],
            corpus=self._corpus,
            live=live,
            allowed=self._allowed(wish),
            takes_neighbours=wish.is_question,
            newest=self._newest,
            limit=limit,
        )

    def _find(self, wanted: Wanted) -> Find:
        return Find(weight=wanted.weight, places=self._each(lambda one: one.places(wanted)))

    def _allowed(self, wish: Wish) -> Callable[[int], bool]:
        required = [self._with_phrase(phrase) for phrase in wish.required]
        excluded = set[int]().union(*map(self._with_phrase, wish.excluded))
        if not required:
            return lambda turn: turn not in excluded
        inside = required[0].intersection(*required[1:]) - excluded
        return inside.__contains__

    def _with_phrase(self, phrase: Sequence[str]) -> set[int]:
        found = self._each(lambda one: one.turns_with(phrase))
        return {first + number for first, numbers in found for number in numbers}

    def _each(self, ask: Callable[[OpenSegment], T]) -> list[tuple[int, T]]:
        answers: list[tuple[int, T]] = []
        for first, one in zip(self._firsts, self._segments, strict=True):
            try:
                answers.append((first, ask(one.index)))
            except sqlite3.DatabaseError as error:
                raise SegmentBroken(one.id, why=error) from error
        return answers

    def _parents(self) -> Iterable[int]:
        for first, one in zip(self._firsts, self._segments, strict=True):
            for parent in one.turns.parents:
                is_here = isinstance(parent, int)
                yield first + parent if is_here else self._numbers.get(parent, -1)
