"""The syntax tree of a filter: predicates, and what joins them.

A tree is a plain value: equal trees ask the same, wherever they are written. Trees are made by
``parse`` or by ``all_of`` and ``any_of``, which keep them flat; they are read by ``evaluate``,
``explain``, ``unparse`` and the refusals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from windowpane.filters.dates import Age, Compare, Day
from windowpane.filters.errors import Span
from windowpane.filters.globs import Glob
from windowpane.filters.topics import TopicPattern

ColourFlag = Literal["blue", "grey"]
Mark = Literal["error", "image", "pinned", "skipped", "tool_calls", "summarised"]
MARKS: dict[str, Mark] = {
    "e": "error",
    "i": "image",
    "p": "pinned",
    "x": "skipped",
    "k": "tool_calls",
    "z": "summarised",
}


class Stars(Struct, frozen=True, kw_only=True, tag="stars"):
    compare: Compare
    stars: int


class Last(Struct, frozen=True, kw_only=True, tag="last"):
    """The newest turns of everything the filter is given, whatever else it asks."""

    turns: int


class Flagged(Struct, frozen=True, kw_only=True, tag="flagged"):
    flag: ColourFlag


class CurrentModel(Struct, frozen=True, tag="current_model"):
    pass


class ModelNamed(Struct, frozen=True, kw_only=True, tag="model"):
    name: Glob


class CurrentTopic(Struct, frozen=True, kw_only=True, tag="current_topic"):
    """The current topic itself without those below it; ``newest`` keeps only its last turns."""

    newest: int | None


class InTopic(Struct, frozen=True, kw_only=True, tag="topic"):
    topic: TopicPattern


class Contains(Struct, frozen=True, kw_only=True, tag="contains"):
    text: Glob


class Marked(Struct, frozen=True, kw_only=True, tag="marked"):
    mark: Mark


class InContext(Struct, frozen=True, kw_only=True, tag="in_context"):
    """What would be sent, and the newest so many turns beyond it."""

    beyond: int


Predicate = (
    Stars
    | Last
    | Flagged
    | CurrentModel
    | ModelNamed
    | CurrentTopic
    | InTopic
    | Age
    | Day
    | Contains
    | Marked
    | InContext
)


class Everything(Struct, frozen=True, tag="everything"):
    """The empty filter."""


class Term(Struct, frozen=True, kw_only=True, eq=False, tag="term"):
    """A predicate and where it is written."""

    predicate: Predicate
    span: Span

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.predicate == other.predicate

    def __hash__(self) -> int:
        return hash(self.predicate)


class Not(Struct, frozen=True, kw_only=True, tag="not"):
    operand: Filter


class And(Struct, frozen=True, kw_only=True, tag="and"):
    operands: tuple[Filter, ...]


class Or(Struct, frozen=True, kw_only=True, tag="or"):
    operands: tuple[Filter, ...]


Filter = Everything | Term | Not | And | Or


def all_of(operands: Iterable[Filter]) -> Filter:
    flat = tuple(_flat(operands, And))
    return flat[0] if len(flat) == 1 else And(operands=flat)


def any_of(operands: Iterable[Filter]) -> Filter:
    flat = tuple(_flat(operands, Or))
    return flat[0] if len(flat) == 1 else Or(operands=flat)


def _flat(operands: Iterable[Filter], joint: type[And | Or]) -> Iterator[Filter]:
    for operand in operands:
        if isinstance(operand, joint):
            yield from operand.operands
        else:
            yield operand


def terms(tree: Filter) -> Iterator[Term]:
    """Every predicate of the tree, in the order in which they are written."""
    match tree:
        case Everything():
            return
        case Term():
            yield tree
        case Not(operand=operand):
            yield from terms(operand)
        case And(operands=operands) | Or(operands=operands):
            for operand in operands:
                yield from terms(operand)


def without_context(tree: Filter) -> Filter:
    """The tree as if no ``o`` were written: what loses a side becomes its other side."""
    return _without_context(tree) or Everything()


def _without_context(tree: Filter) -> Filter | None:
    match tree:
        case Everything():
            return tree
        case Term(predicate=predicate):
            return None if isinstance(predicate, InContext) else tree
        case Not(operand=operand):
            rest = _without_context(operand)
            return rest and Not(operand=rest)
        case And(operands=operands):
            rests = [rest for operand in operands if (rest := _without_context(operand))]
            return all_of(rests) if rests else None
        case Or(operands=operands):
            rests = [rest for operand in operands if (rest := _without_context(operand))]
            return any_of(rests) if rests else None
