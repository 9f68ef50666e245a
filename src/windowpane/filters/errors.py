"""What can be wrong with a line: each error names the place and says how to mend it.

Every error here is the writer's to fix, so each carries the text, the span inside it and a
rendering with a caret for pages and terminals.
"""

from __future__ import annotations

from typing import ClassVar
from unicodedata import combining, east_asian_width

from msgspec import Struct

from windowpane.errors import InvalidInput


class Span(Struct, frozen=True):
    """Characters ``start`` to ``end`` of the text, counted from 0, the end not included."""

    start: int
    end: int


class FilterError(InvalidInput):
    """The filter cannot be read; ``column`` counts characters from 1."""

    code = "filter_syntax"
    lead: ClassVar[str] = "Incorrect command"

    def __init__(self, reason: str, *, text: str, span: Span, advice: str) -> None:
        self.text = text
        self.span = span
        super().__init__(_printable(f"{self.lead}: {reason} at column {self.column}. {advice}"))

    @property
    def column(self) -> int:
        return self.span.start + 1

    @property
    def caret(self) -> str:
        """The text, and below it carets under what is wrong."""
        before = self.text[: self.span.start]
        marked = self.text[self.span.start : self.span.end]
        return f"{_printable(self.text)}\n{' ' * _cells(before)}{'^' * max(1, _cells(marked))}"


class BadDate(FilterError):
    code = "filter_date"


class CommandError(FilterError):
    """The part behind the colon cannot be carried out as written."""

    code = "command_syntax"
    lead = "Command error"


class DeleteRefused(CommandError):
    """The filter in front of ``:delete`` names turns that move while you look."""

    code = "delete_refused"


class TooManyToDelete(InvalidInput):
    code = "delete_too_many"

    def __init__(self, *, turns: int, limit: int) -> None:
        super().__init__(
            f"Too many turns ({turns}). Use :delete --force to delete more than {limit} turns."
        )


class TopicNotFound(InvalidInput):
    code = "topic_not_found"

    def __init__(self, expression: str) -> None:
        super().__init__(f"Topic not found: {expression}. Check its name, or create it first.")


class TopicAmbiguous(InvalidInput):
    code = "topic_ambiguous"

    def __init__(self, expression: str, *, paths: tuple[str, ...]) -> None:
        super().__init__(
            f"Ambiguous topic expression {expression}; please specify a full path: "
            f"{', '.join(paths)}."
        )


def _printable(text: str) -> str:
    """Tabs, line breaks and what no screen or encoding can show become spaces."""
    return "".join(character if character.isprintable() else " " for character in text)


def _cells(text: str) -> int:
    """How many columns of a terminal the text fills: none, one or two for each character."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
