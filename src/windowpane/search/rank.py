"""Which turns answer best: BM25 over the fields of a turn and, a little, of its neighbours.

The evidence for a question often lies beside the turn that has its words: a friend asks, the next
turn answers with "two weeks ago". So a word also counts for the turns around it, less with each
step, and before it saturates, so that a turn is not praised twice for one word. All statistics are
those of the turns that are searched, never of a segment: how turns are cut into segments changes
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import compress
from math import log

from msgspec import Struct

from windowpane.search.segment import COLUMNS, Place

K1 = 1.2
# Below the usual 0.75: in talk the long turns are the ones that tell something.
B = 0.4
COLUMN_WEIGHTS = {"asked": 1.0, "answered": 1.0, "tools": 0.3, "days": 0.6}
# What a word counts for the turns after its own and before it, one step and two steps away.
AFTER = (0.5, 0.2)
BEFORE = (0.3, 0.1)
# A word of more turns than this says nothing about the turns beside it: the speaker's name, say.
COMMON_SHARE = 0.2
# Sums of the same numbers in another order differ in their last digits, and may not in their rank.
SCORE_DIGITS = 9


class Corpus(Struct, frozen=True, kw_only=True):
    """Turns by number: the turn before each and one after it, or -1 for none; lengths by column.

    ``more_children`` are those of turns that were asked again.
    """

    parents: Sequence[int]
    children: Sequence[int]
    more_children: Mapping[int, Sequence[int]]
    lengths: Mapping[str, Sequence[int]]

    @staticmethod
    def of(*, parents: Sequence[int], lengths: Mapping[str, Sequence[int]]) -> Corpus:
        children = [-1] * len(parents)
        more: dict[int, list[int]] = {}
        for number, parent in enumerate(parents):
            if parent < 0:
                continue
            if children[parent] < 0:
                children[parent] = number
            else:
                more.setdefault(parent, []).append(number)
        return Corpus(parents=parents, children=children, more_children=more, lengths=lengths)

    def after(self, turns: Iterable[int]) -> list[int]:
        found: list[int] = []
        for turn in turns:
            if self.children[turn] >= 0:
                found.append(self.children[turn])
            if turn in self.more_children:
                found.extend(self.more_children[turn])
        return found


class Find(Struct, frozen=True, kw_only=True):
    """All the places of one wanted thing, by segment: the number of its first turn, the places."""

    weight: float
    places: Sequence[tuple[int, Sequence[Place]]]


class Scored(Struct, frozen=True, kw_only=True):
    """``is_beside``: it has none of the words itself, only its neighbours do."""

    turn: int
    score: float
    is_beside: bool


def ranked(
    finds: Sequence[Find],
    *,
    corpus: Corpus,
    live: Sequence[int],
    allowed: Callable[[int], bool],
    takes_neighbours: bool,
    newest: Sequence[int],
    limit: int,
) -> list[Scored]:
    """The best turns, best first; of equal ones the newest.

    ``live`` says with 1 which turns are searched at all and ``newest`` when each was made. With
    ``takes_neighbours`` a word counts for the turns around it, too, and they may be among the best.
    """
    statistics = _Statistics(corpus, live)
    scores: dict[int, float] = {}
    with_words: set[int] = set()
    for find in finds:
        own = statistics.own(find.places)
        with_words.update(own)
        gain = find.weight * (K1 + 1) * statistics.rarity(len(own))
        is_telling = len(own) <= max(1, statistics.count * COMMON_SHARE)
        is_spread = takes_neighbours and is_telling
        frequencies = _spread(own, corpus=corpus, live=live) if is_spread else own
        for turn, frequency in frequencies.items():
            scores[turn] = scores.get(turn, 0.0) + gain * frequency / (frequency + K1)
    best = nsmallest(
        limit,
        [
            (-round(score, SCORE_DIGITS), -newest[turn], turn)
            for turn, score in scores.items()
            if allowed(turn)
        ],
    )
    return [
        Scored(turn=turn, score=-score, is_beside=turn not in with_words) for score, _, turn in best
    ]


class _Statistics:
    """How many turns there are, and how long they are on average."""

    def __init__(self, corpus: Corpus, live: Sequence[int]) -> None:
        self._live = live
        self._lengths = corpus.lengths
        self.count = sum(live)
        self._parts = {
            name: _Parts(
                COLUMN_WEIGHTS[name],
                average=sum(compress(corpus.lengths[name], live)) / max(1, self.count),
            )
            for name in COLUMNS
        }

    def rarity(self, turns: int) -> float:
        return log(1 + (self.count - turns + 0.5) / (turns + 0.5))

    def own(self, places: Sequence[tuple[int, Sequence[Place]]]) -> dict[int, float]:
        """How often a word stands in each turn, less in a long column and in a light one."""
        found: dict[int, float] = {}
        live, lengths, parts = self._live, self._lengths, self._parts
        for first, here in places:
            for number, column in here:
                turn = first + number
                if live[turn]:
                    part = parts[column][lengths[column][turn]]
                    found[turn] = found.get(turn, 0.0) + part
        return found


class _Parts(dict[int, float]):
    """What one word of a column counts, by the column's length; computed once for each."""

    def __init__(self, weight: float, *, average: float) -> None:
        super().__init__()
        self._weight = weight
        self._average = average

    def __missing__(self, length: int) -> float:
        part = self._weight / (1 - B + B * length / self._average)
        self[length] = part
        return part


def _spread(own: Mapping[int, float], *, corpus: Corpus, live: Sequence[int]) -> dict[int, float]:
    """Frequencies with what neighbours add to them."""
    spread = dict(own)
    parents = corpus.parents
    for turn, frequency in own.items():
        before = turn
        for share in BEFORE:
            before = parents[before]
            if before < 0 or not live[before]:
                break
            spread[before] = spread.get(before, 0.0) + share * frequency
        after = [turn]
        for share in AFTER:
            after = [child for child in corpus.after(after) if live[child]]
            for child in after:
                spread[child] = spread.get(child, 0.0) + share * frequency
    return spread
