"""One predicate over a history's columns: the set of turns for which it is true.

Everything is here that can be answered from the columns alone; texts (``c``) and the boundary
(``o``) are asked for in ``evaluate``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from datetime import datetime, tzinfo

from msgspec import Struct

from windowpane.filters.dates import Age, Compare, Day, stretch
from windowpane.filters.facts import History
from windowpane.filters.masks import NOTHING, Mask, everything, mask_of, newest
from windowpane.filters.syntax import (
    CurrentModel,
    CurrentTopic,
    Flagged,
    InTopic,
    Last,
    Mark,
    Marked,
    ModelNamed,
    Stars,
)
from windowpane.filters.topics import TopicTree

FactPredicate = (
    Stars | Last | Flagged | CurrentModel | ModelNamed | CurrentTopic | InTopic | Age | Day | Marked
)

_COMPARISONS: dict[Compare, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
_MARK_COLUMNS: dict[Mark, Callable[[History], bytes]] = {
    "error": lambda history: history.is_error,
    "image": lambda history: history.has_image,
    "pinned": lambda history: history.is_pinned,
    "skipped": lambda history: history.is_skipped,
    "tool_calls": lambda history: history.has_tool_calls,
    "summarised": lambda history: history.is_summarised,
}


class Viewpoint(Struct, frozen=True, kw_only=True):
    """Where the reader stands: what "now", "today" and "current" mean in a filter."""

    now: datetime
    zone: tzinfo
    topics: TopicTree
    current_topic_id: str | None
    current_model: str | None


class Ground(Struct, frozen=True, kw_only=True):
    """The turns a filter looks at; ``universe`` is what "last" and "newest" count in."""

    history: History
    viewpoint: Viewpoint
    universe: Mask

    @property
    def size(self) -> int:
        return len(self.history.turn_ids)


def turns_with(predicate: FactPredicate, ground: Ground) -> Mask:
    """The turns for which the predicate is true, within the universe or beyond it."""
    history, viewpoint = ground.history, ground.viewpoint
    match predicate:
        case Stars(compare=compare, stars=stars):
            return _with_stars(history.stars, is_wanted=_COMPARISONS[compare], stars=stars)
        case Last(turns=turns):
            return newest(ground.universe, turns=turns, size=ground.size)
        case Flagged(flag=flag):
            grey = mask_of(history.is_grey)
            return grey if flag == "grey" else everything(ground.size) ^ grey
        case CurrentModel():
            return _of_current_model(ground)
        case ModelNamed(name=name):
            return _among(history.models, name.names_among(set(history.models)))
        case CurrentTopic(newest=turns):
            return _of_current_topic(ground, turns=turns)
        case InTopic(topic=topic):
            return _among(history.topic_ids, viewpoint.topics.matching(topic))
        case Age() | Day():
            return _made_in(
                stretch(predicate, now=viewpoint.now, zone=viewpoint.zone), history.created_us
            )
        case Marked(mark=mark):
            return mask_of(_MARK_COLUMNS[mark](history))


def _with_stars(column: bytes, *, is_wanted: Callable[[int, int], bool], stars: int) -> Mask:
    table = bytes(is_wanted(value, stars) for value in range(256))
    return mask_of(column.translate(table))


def _made_in(stretch_us: range, created_us: Iterable[int]) -> Mask:
    # Twice as fast as asking the range, which divides.
    start_us, end_us = stretch_us.start, stretch_us.stop
    return mask_of([start_us <= at_us < end_us for at_us in created_us])


def _of_current_model(ground: Ground) -> Mask:
    model = ground.viewpoint.current_model
    # While no model is chosen there is nothing to tell turns apart by.
    if model is None:
        return ground.universe
    return _among(ground.history.models, {model})


def _of_current_topic(ground: Ground, *, turns: int | None) -> Mask:
    topic_id = ground.viewpoint.current_topic_id
    if topic_id is None:
        return NOTHING
    found = _among(ground.history.topic_ids, {topic_id})
    if turns is None:
        return found
    return newest(found & ground.universe, turns=turns, size=ground.size)


def _among(column: Iterable[str | None], wanted: set[str] | frozenset[str]) -> Mask:
    return mask_of(map(wanted.__contains__, column))
