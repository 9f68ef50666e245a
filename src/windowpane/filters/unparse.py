"""A syntax tree back to text, in the one form that the language would choose itself."""

from __future__ import annotations

from windowpane.filters.dates import Age, Day
from windowpane.filters.syntax import (
    MARKS,
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

_LETTERS: dict[Mark, str] = {mark: letter for letter, mark in MARKS.items()}


def unparse(tree: Filter) -> str:
    """Text that ``parse`` reads as an equal tree."""
    match tree:
        case Everything():
            return ""
        case Term(predicate=predicate):
            return _predicate(predicate)
        case Not(operand=operand):
            return f"!{_inner(operand)}"
        case And(operands=operands):
            return " & ".join(_inner(operand) for operand in operands)
        case Or(operands=operands):
            return " | ".join(unparse(operand) for operand in operands)


def _inner(tree: Filter) -> str:
    return f"({unparse(tree)})" if isinstance(tree, And | Or) else unparse(tree)


def _predicate(predicate: Predicate) -> str:  # noqa: C901 - a flat table
    match predicate:
        case Stars(compare=compare, stars=stars):
            return f"s{compare}{stars}"
        case Last(turns=turns):
            return f"r{turns}"
        case Flagged(flag=flag):
            return "b" if flag == "blue" else "g"
        case CurrentModel():
            return "m"
        case ModelNamed(name=name):
            return f"m'{''.join(name.units)}'"
        case CurrentTopic(newest=newest):
            return "t" if newest is None else f"t{newest}"
        case InTopic(topic=topic):
            return f"t'{topic.written}'"
        case Age(compare=compare, amount=amount, unit=unit):
            return f"d{compare}{amount}{unit}"
        case Day(compare=compare, day=day):
            return f"d{compare}{day}"
        case Contains(text=text):
            return f"c'{''.join(text.units)}'"
        case Marked(mark=mark):
            return _LETTERS[mark]
        case InContext(beyond=beyond):
            return f"o{beyond}" if beyond else "o"
