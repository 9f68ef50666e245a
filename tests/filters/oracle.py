"""What a filter means, said turn by turn and without a thought for speed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from windowpane.filters import Filter, Glob, TopicPattern, TurnFacts, Viewpoint
from windowpane.filters.dates import Age, Compare, Day, Unit
from windowpane.filters.syntax import (
    And,
    Contains,
    CurrentModel,
    CurrentTopic,
    Everything,
    Flagged,
    InContext,
    InTopic,
    Last,
    Mark,
    Marked,
    ModelNamed,
    Not,
    Or,
    Predicate,
    Stars,
    Term,
    terms,
    without_context,
)

COMPARE: dict[Compare, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
UNIT: dict[Unit, timedelta] = {
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(days=7),
    "mo": timedelta(days=30),
    "y": timedelta(days=365),
}
MICROSECOND = timedelta(microseconds=1)
MARK: dict[Mark, Callable[[TurnFacts], bool]] = {
    "error": lambda turn: turn.is_error,
    "image": lambda turn: turn.has_image,
    "pinned": lambda turn: turn.is_pinned,
    "skipped": lambda turn: turn.is_skipped,
    "tool_calls": lambda turn: turn.has_tool_calls,
    "summarised": lambda turn: turn.is_summarised,
}


class World(Struct, frozen=True, kw_only=True):
    turns: Sequence[TurnFacts]
    texts: dict[str, str]
    viewpoint: Viewpoint
    sent: Collection[str]

    def chosen(self, tree: Filter) -> list[TurnFacts]:
        return [turn for turn in self.turns if is_true(tree, turn, self)]


def meant(
    tree: Filter, world: World, in_context: Callable[[Sequence[str]], Collection[str]]
) -> list[str]:
    """The ids that the filter ought to choose."""
    base = world.chosen(without_context(tree))
    if not any(isinstance(term.predicate, InContext) for term in terms(tree)):
        return [turn.id for turn in base]
    sent = in_context([turn.id for turn in base])
    return [turn.id for turn in replace(world, turns=base, sent=sent).chosen(tree)]


def is_true(tree: Filter, turn: TurnFacts, world: World) -> bool:
    match tree:
        case Everything():
            return True
        case Term(predicate=predicate):
            return holds(predicate, turn, world)
        case Not(operand=operand):
            return not is_true(operand, turn, world)
        case And(operands=operands):
            return all(is_true(operand, turn, world) for operand in operands)
        case Or(operands=operands):
            return any(is_true(operand, turn, world) for operand in operands)


def holds(predicate: Predicate, turn: TurnFacts, world: World) -> bool:  # noqa: C901 - a flat table
    match predicate:
        case Stars(compare=compare, stars=stars):
            return COMPARE[compare](turn.star, stars)
        case Last(turns=turns):
            return turn in last(world.turns, turns)
        case Flagged(flag=flag):
            return turn.flag == flag
        case CurrentModel():
            return world.viewpoint.current_model in (None, turn.model)
        case ModelNamed(name=name):
            return bool(pattern(name).fullmatch(turn.model.casefold()))
        case CurrentTopic(newest=newest):
            here = [turn for turn in world.turns if is_current(turn, world)]
            return turn in (here if newest is None else last(here, newest))
        case InTopic(topic=topic):
            return in_topic(turn, topic, world)
        case Age(compare=compare, amount=amount, unit=unit):
            age = world.viewpoint.now - turn.created_at
            if compare == "=":
                return age // UNIT[unit] == amount
            return COMPARE[compare](age // MICROSECOND, amount * UNIT[unit] // MICROSECOND)
        case Day(compare=compare, day=day):
            local = turn.created_at.astimezone(world.viewpoint.zone)
            return COMPARE[compare](local.toordinal(), day.toordinal())
        case Contains(text=text):
            return bool(pattern(text).search(world.texts[turn.id].casefold()))
        case Marked(mark=mark):
            return MARK[mark](turn)
        case InContext(beyond=beyond):
            outside = [turn for turn in world.turns if turn.id not in world.sent]
            return turn.id in world.sent or turn in last(outside, beyond)


def last(turns: Sequence[TurnFacts], count: int) -> Sequence[TurnFacts]:
    return turns[max(0, len(turns) - count) :]


def is_current(turn: TurnFacts, world: World) -> bool:
    return turn.topic_id is not None and turn.topic_id == world.viewpoint.current_topic_id


def pattern(glob: Glob) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(piece.casefold()) for piece in glob.pieces), re.DOTALL)


def in_topic(turn: TurnFacts, wanted: TopicPattern, world: World) -> bool:
    path = [topic.name.casefold() for topic in world.viewpoint.topics.path(turn.topic_id or "")]
    above = [path[:depth] for depth in range(1, len(path) + 1)]
    return any(is_at(place, wanted) for place in (above if wanted.with_descendants else above[-1:]))


def is_at(path: list[str], wanted: TopicPattern) -> bool:
    names = path[-1:] if len(wanted.segments) == 1 else path
    return len(names) == len(wanted.segments) and all(
        pattern(segment).fullmatch(name)
        for segment, name in zip(wanted.segments, names, strict=True)
    )
