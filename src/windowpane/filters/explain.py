"""A filter in words, for people who meet it on the page: "2 stars or more, or pinned"."""

from __future__ import annotations

from windowpane.filters.dates import Age, Compare, Day, Unit
from windowpane.filters.globs import Glob
from windowpane.filters.syntax import (
    And,
    Contains,
    CurrentModel,
    CurrentTopic,
    Everything,
    Filter,
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
)
from windowpane.filters.topics import TopicPattern

_MARKS: dict[Mark, str] = {
    "error": "failed",
    "image": "with an image",
    "pinned": "pinned",
    "skipped": "skipped",
    "tool_calls": "with tool calls",
    "summarised": "summarised",
}
_UNITS: dict[Unit, str] = {
    "min": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
    "mo": "month",
    "y": "year",
}
_STARS: dict[Compare, str] = {
    "<": "fewer than {}",
    "<=": "{} or fewer",
    "=": "{}",
    ">=": "{} or more",
    ">": "more than {}",
}
_AGES: dict[Compare, str] = {
    "<": "less than {} old",
    "<=": "at most {} old",
    "=": "{} old",
    ">=": "at least {} old",
    ">": "more than {} old",
}
_DAYS: dict[Compare, str] = {
    "<": "before {}",
    "<=": "on or before {}",
    "=": "on {}",
    ">=": "on or after {}",
    ">": "after {}",
}


def explain(tree: Filter) -> str:
    """What the chosen turns have in common."""
    match tree:
        case Everything():
            return "every turn"
        case Term(predicate=predicate):
            return _phrase(predicate)
        case Not(operand=operand):
            return _negated(operand)
        case And(operands=operands):
            return " and ".join(_inner(operand) for operand in operands)
        case Or(operands=operands):
            return ", or ".join(explain(operand) for operand in operands)


def _inner(tree: Filter) -> str:
    return f"({explain(tree)})" if isinstance(tree, And | Or) else explain(tree)


def _negated(tree: Filter) -> str:
    words = f"({explain(tree)})" if isinstance(tree, Not) else _inner(tree)
    return f"without{words.removeprefix('with')}" if words.startswith("with ") else f"not {words}"


def _phrase(predicate: Predicate) -> str:  # noqa: C901 - a flat table
    match predicate:
        case Stars(compare=">=", stars=0):
            return "any number of stars"
        case Stars(compare=compare, stars=stars):
            return _STARS[compare].format(_counted(stars, "star"))
        case Last(turns=turns):
            return f"among the last {_counted(turns, 'turn')}"
        case Flagged(flag=flag):
            return flag
        case CurrentModel():
            return "from the current model"
        case ModelNamed(name=name):
            return f"from model {_quoted(name)}"
        case CurrentTopic(newest=int(newest)):
            return f"among the last {_counted(newest, 'turn')} of the current topic"
        case CurrentTopic():
            return "in the current topic"
        case InTopic(topic=topic):
            return _topic(topic)
        case Age(compare=compare, amount=amount, unit=unit):
            return _AGES[compare].format(_counted(amount, _UNITS[unit]))
        case Day(compare=compare, day=day):
            return _DAYS[compare].format(day)
        case Contains(text=text):
            return f"containing {_quoted(text)}" if any(text.pieces) else "containing anything"
        case Marked(mark=mark):
            return _MARKS[mark]
        case InContext(beyond=0):
            return "in context"
        case InContext(beyond=beyond):
            return f"in context plus the newest {_counted(beyond, 'turn')} outside it"


def _topic(topic: TopicPattern) -> str:
    path = " > ".join("*".join(segment.pieces) for segment in topic.segments)
    return f"in topic “{path}”{' or below it' if topic.with_descendants else ''}"


def _quoted(glob: Glob) -> str:
    return f"“{'*'.join(glob.pieces)}”"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
