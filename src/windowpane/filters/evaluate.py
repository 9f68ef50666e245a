"""A syntax tree over a history: which turns does it choose?

Pure: what cannot be read from the columns is asked. ``select`` gives a ``Selection``, or a
``Pending`` question whose answer leads on, so that an asynchronous caller can look things up in
between; ``evaluate`` is the same with plain functions. The text of a turn is asked for only when
the other predicates leave it open whether the turn is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from windowpane.filters.facts import History
from windowpane.filters.globs import Folded, Glob
from windowpane.filters.masks import NOTHING, Mask, chosen, everything, mask_of, newest
from windowpane.filters.predicates import Ground, Viewpoint, turns_with
from windowpane.filters.syntax import (
    And,
    Contains,
    Everything,
    Filter,
    InContext,
    Not,
    Or,
    Predicate,
    Term,
    terms,
    without_context,
)


class WhichContain(Struct, frozen=True, kw_only=True, tag="contain"):
    """In whose text does the pattern occur? ``Glob.found_in`` tells."""

    text: Glob
    turn_ids: tuple[str, ...]


class WhichAreInContext(Struct, frozen=True, kw_only=True, tag="in_context"):
    """Which of these turns would be sent if they were the view?"""

    turn_ids: tuple[str, ...]


Question = WhichContain | WhichAreInContext
Result = TypeVar("Result")
Steps = Generator[Question, Collection[str], Result]


class Selection(Struct, frozen=True, kw_only=True):
    """The chosen turns, oldest first; the base is what was chosen before ``o`` had its say."""

    turn_ids: tuple[str, ...]
    base_turn_ids: tuple[str, ...]


class Pending:
    """An evaluation that waits for one answer."""

    def __init__(self, question: Question, *, steps: Steps[Selection]) -> None:
        self.question = question
        self._steps = steps

    def answered(self, turn_ids: Collection[str]) -> Selection | Pending:
        """Go on with those ids of the question for which the answer is yes."""
        return _advanced(self._steps, answer=turn_ids)


def select(tree: Filter, *, history: History, viewpoint: Viewpoint) -> Selection | Pending:
    """Begin to choose; while the result is ``Pending``, answer its question."""
    return _advanced(_selection(tree, history, viewpoint), answer=None)


def evaluate(
    tree: Filter,
    *,
    history: History,
    viewpoint: Viewpoint,
    texts: Callable[[Sequence[str]], Iterable[Folded]],
    in_context: Callable[[Sequence[str]], Collection[str]],
) -> Selection:
    """Choose at once.

    Args:
        texts: for turn ids, the folded texts in the same order: what the user wrote, a line
            break, what was answered.
        in_context: for the ids of a view, those that would be sent; ``no_boundary`` if the
            model's limit is not known.
    """
    result = select(tree, history=history, viewpoint=viewpoint)
    while isinstance(result, Pending):
        match result.question:
            case WhichContain(text=text, turn_ids=turn_ids):
                answer = _found(turn_ids, text.found_in(texts(turn_ids)))
            case WhichAreInContext(turn_ids=turn_ids):
                answer = in_context(turn_ids)
        result = result.answered(answer)
    return result


def no_boundary(turn_ids: Sequence[str]) -> Sequence[str]:
    """Everything would be sent: no limit is known, so no boundary is drawn."""
    return turn_ids


def _found(turn_ids: Sequence[str], hits: Sequence[bool]) -> list[str]:
    return [turn_id for turn_id, is_hit in zip(turn_ids, hits, strict=True) if is_hit]


def _advanced(steps: Steps[Selection], *, answer: Collection[str] | None) -> Selection | Pending:
    try:
        question = next(steps) if answer is None else steps.send(answer)
    except StopIteration as done:
        return done.value
    return Pending(question, steps=steps)


class _Run(Struct, frozen=True, kw_only=True):
    """``searched`` remembers, for each pattern, which turns were asked about and which had it."""

    ground: Ground
    in_context: Mask
    searched: dict[tuple[Folded, ...], tuple[Mask, Mask]]


def _selection(tree: Filter, history: History, viewpoint: Viewpoint) -> Steps[Selection]:
    """Base, then boundary: what ``o`` means depends on what the rest of the filter leaves."""
    universe = everything(len(history.turn_ids))
    ground = Ground(history=history, viewpoint=viewpoint, universe=universe)
    run = _Run(ground=ground, in_context=universe, searched={})
    base = yield from _chosen(without_context(tree), run, universe)
    base_turn_ids = chosen(base, history.turn_ids)
    if not _asks(tree, InContext):
        return Selection(turn_ids=base_turn_ids, base_turn_ids=base_turn_ids)
    included = yield WhichAreInContext(turn_ids=base_turn_ids)
    run = replace(
        run,
        ground=replace(ground, universe=base),
        in_context=_members(included, history=history, within=base),
    )
    shown = yield from _chosen(tree, run, base)
    return Selection(turn_ids=chosen(shown, history.turn_ids), base_turn_ids=base_turn_ids)


def _chosen(tree: Filter, run: _Run, within: Mask) -> Steps[Mask]:
    """The turns of ``within`` that the tree chooses; others are not looked at."""
    if not within:
        return NOTHING
    match tree:
        case Everything():
            return within
        case Term(predicate=predicate):
            return (yield from _true_for(predicate, run, within))
        case Not(operand=operand):
            return within ^ (yield from _chosen(operand, run, within))
        case And(operands=operands):
            for operand in _cheapest_first(operands):
                within = yield from _chosen(operand, run, within)
            return within
        case Or(operands=operands):
            found = NOTHING
            for operand in _cheapest_first(operands):
                found |= yield from _chosen(operand, run, within ^ found)
            return found


def _true_for(predicate: Predicate, run: _Run, within: Mask) -> Steps[Mask]:
    match predicate:
        case Contains(text=text):
            return (yield from _containing(text, run, within))
        case InContext(beyond=beyond):
            return within & _context_and(beyond, run)
        case _:
            return within & turns_with(predicate, run.ground)


def _containing(text: Glob, run: _Run, within: Mask) -> Steps[Mask]:
    if not any(text.pieces):
        return within
    history = run.ground.history
    asked, found = run.searched.get(text.folded, (NOTHING, NOTHING))
    if unasked := within & ~asked:
        answer = yield WhichContain(text=text, turn_ids=chosen(unasked, history.turn_ids))
        found |= _members(answer, history=history, within=unasked)
        run.searched[text.folded] = (asked | unasked, found)
    return within & found


def _context_and(beyond: int, run: _Run) -> Mask:
    outside = run.ground.universe ^ run.in_context
    return run.in_context | newest(outside, turns=beyond, size=run.ground.size)


def _members(turn_ids: Collection[str], *, history: History, within: Mask) -> Mask:
    return within & mask_of(map(frozenset(turn_ids).__contains__, history.turn_ids))


def _cheapest_first(operands: Sequence[Filter]) -> list[Filter]:
    """Texts last: by then the other operands have decided most turns."""
    return sorted(operands, key=lambda operand: _asks(operand, Contains))


def _asks(tree: Filter, kind: type[Predicate]) -> bool:
    return any(isinstance(term.predicate, kind) for term in terms(tree))
