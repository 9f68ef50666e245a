"""When ``:delete`` says no.

A filter whose answer moves by itself (the last three, what is in context, the current topic)
must not choose what is deleted: between looking and confirming it may choose other turns. That
is decided on the syntax tree, so a letter inside quotes refuses nothing.
"""

from __future__ import annotations

from windowpane.filters.errors import DeleteRefused, TooManyToDelete
from windowpane.filters.syntax import CurrentTopic, Filter, InContext, Last, Predicate, terms

# As many as one can still look over before saying yes.
MOST_UNFORCED_TURNS = 50


def check_delete(tree: Filter, *, text: str) -> None:
    """Raises ``DeleteRefused`` at the first predicate whose answer moves by itself."""
    moving = [term for term in terms(tree) if _name(term.predicate)]
    if not moving:
        return
    names = list(dict.fromkeys(_name(term.predicate) for term in moving))
    raise DeleteRefused(
        f"Delete-incompatible filter (no {', '.join(names)})",
        text=text,
        span=moving[0].span,
        advice="Choose the turns by something that stays: a date, a star, a topic's name, text.",
    )


def check_delete_size(turns: int, *, is_forced: bool) -> None:
    """Raises ``TooManyToDelete`` for more turns than one can look over, unless it is forced."""
    if turns > MOST_UNFORCED_TURNS and not is_forced:
        raise TooManyToDelete(turns=turns, limit=MOST_UNFORCED_TURNS)


def _name(predicate: Predicate) -> str:
    match predicate:
        case Last():
            return "r"
        case InContext():
            return "o"
        case CurrentTopic():
            return "t/tN"
        case _:
            return ""
