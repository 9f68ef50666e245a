"""A filter over a scope → the view that a plan is made of.

The filter's ``o`` asks which turns are in the context; the plan itself answers, over what the
rest of the filter shows (base, then boundary). So there is no second boundary that could differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress

from msgspec import Struct
from msgspec.structs import replace

from windowpane.context.given import PlanInput, View
from windowpane.context.plan import plan
from windowpane.context.states import PREDICTED
from windowpane.filters import (
    Everything,
    Filter,
    Folded,
    History,
    Pending,
    Selection,
    Viewpoint,
    WhichAreInContext,
    WhichContain,
    select,
    unparse,
)


class FilteredInput(Struct, frozen=True, kw_only=True):
    """What a filter makes of a plan's input: the same with its view, and what was chosen.

    Turns that ``o3`` shows beyond the context are on screen and not sent: the floor of the input
    stands where the context of the base began.
    """

    given: PlanInput
    selection: Selection


class TextsWanted:
    """The filter asks for texts before it can go on."""

    def __init__(self, pending: Pending, question: WhichContain, run: _Run) -> None:
        self.question = question
        self._pending = pending
        self._run = run

    def answered(self, turn_ids: Collection[str]) -> FilteredInput | TextsWanted:
        """Go on with those turns of the question in whose text the pattern is found."""
        return self._run.advanced(self._pending.answered(turn_ids))


def begin_view(
    tree: Filter, *, given: PlanInput, history: History, viewpoint: Viewpoint
) -> FilteredInput | TextsWanted:
    """Choose what is shown; while texts are wanted, answer. ``history`` is the scope's own.

    Raises ``PageMissing`` as ``plan`` does.
    """
    if len(history.turn_ids) != given.scope.turns:
        raise ValueError("the filter looks at another history than the plan")
    run = _Run(tree, given=given, history=history)
    return run.advanced(select(tree, history=history, viewpoint=viewpoint))


def view_of(
    tree: Filter,
    *,
    given: PlanInput,
    history: History,
    viewpoint: Viewpoint,
    texts: Callable[[Sequence[str]], Iterable[Folded]],
) -> FilteredInput:
    """``begin_view`` with the texts at hand; ``texts`` as for ``filters.evaluate``."""
    result = begin_view(tree, given=given, history=history, viewpoint=viewpoint)
    while isinstance(result, TextsWanted):
        turn_ids = result.question.turn_ids
        found = result.question.text.found_in(texts(turn_ids))
        result = result.answered(tuple(compress(turn_ids, found)))
    return result


class _Run:
    """One evaluation: remembers where the context of the base began, if ``o`` asked for it."""

    def __init__(self, tree: Filter, *, given: PlanInput, history: History) -> None:
        self._tree = tree
        self._given = given
        self._history = history
        self._floor_index = given.floor_index
        self._in_context: frozenset[str] = frozenset()

    def advanced(self, result: Selection | Pending) -> FilteredInput | TextsWanted:
        while isinstance(result, Pending):
            match result.question:
                case WhichContain() as question:
                    return TextsWanted(result, question, self)
                case WhichAreInContext(turn_ids=turn_ids):
                    result = result.answered(self._context_of(turn_ids))
        return self._filtered(result)

    def _context_of(self, turn_ids: Collection[str]) -> frozenset[str]:
        base = plan(replace(self._given, view=self._view(turn_ids)))
        self._floor_index = base.floor_index
        self._in_context = frozenset(
            turn.turn_id for turn in base.turns if turn.standing in PREDICTED
        )
        return self._in_context

    def _filtered(self, selection: Selection) -> FilteredInput:
        if isinstance(self._tree, Everything):
            view = replace(self._given.view, filter_text="", visible=None)
            return FilteredInput(given=replace(self._given, view=view), selection=selection)
        # A view of nothing but what is out of the context has a context of its own.
        shows_context = not self._in_context.isdisjoint(selection.turn_ids)
        given = replace(
            self._given,
            view=self._view(selection.turn_ids),
            floor_index=self._floor_index if shows_context else self._given.floor_index,
        )
        return FilteredInput(given=given, selection=selection)

    def _view(self, turn_ids: Collection[str]) -> View:
        shown = frozenset(turn_ids)
        return replace(
            self._given.view,
            filter_text=unparse(self._tree),
            visible=bytes(map(shown.__contains__, self._history.turn_ids)),
        )
