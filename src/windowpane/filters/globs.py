"""Patterns with ``*``, compared without regard to case.

A glob is the literal pieces between its stars, so a literal star is no special case and matching
is a walk through the text, never a backtracking expression. What a pattern is compared with is
a model's name, a topic's name, or a turn's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NewType

from msgspec import Struct

Folded = NewType("Folded", str)

# One written character: either itself, or a backslash and what it makes literal.
_UNIT = re.compile(r"\\.|.", re.DOTALL)


def fold(text: str) -> Folded:
    """The form in which texts are compared: upper and lower case are the same."""
    return Folded(text.casefold())


def units_of(written: str) -> list[str]:
    return _UNIT.findall(written)


def literal(units: Iterable[str]) -> str:
    """The text that the written characters stand for."""
    return "".join(unit[-1] for unit in units)


class Glob(Struct, frozen=True):
    """``gpt*mini`` is the pieces ``gpt`` and ``mini``; without a star there is one piece."""

    pieces: tuple[str, ...]

    @staticmethod
    def of(units: Iterable[str]) -> Glob:
        pieces: list[list[str]] = [[]]
        for unit in units:
            if unit == "*":
                pieces.append([])
            else:
                pieces[-1].append(unit)
        return Glob(tuple(literal(piece) for piece in pieces))

    def names_among(self, names: Iterable[str]) -> frozenset[str]:
        """The names that fit the pattern as a whole."""
        folded = self.folded
        return frozenset(name for name in names if _is_name(fold(name), folded))

    def found_in(self, texts: Iterable[Folded]) -> list[bool]:
        """For each text, whether the pieces occur somewhere in it, in their order."""
        folded = self.folded
        if len(folded) == 1:
            return [folded[0] in text for text in texts]
        return [_in_order(text, folded, start=0, end=len(text)) for text in texts]

    @property
    def units(self) -> list[str]:
        """The pattern as it is written between single quotes; ``of`` reads it back."""
        pieces = [[_unit(character) for character in piece] for piece in self.pieces]
        return [*pieces[0], *(unit for piece in pieces[1:] for unit in ("*", *piece))]

    @property
    def folded(self) -> tuple[Folded, ...]:
        """What is compared: patterns that fold to the same find the same."""
        return tuple(fold(piece) for piece in self.pieces)


def _unit(character: str) -> str:
    return f"\\{character}" if character in "\\*'" else character


def _is_name(name: Folded, pieces: tuple[Folded, ...]) -> bool:
    if len(pieces) == 1:
        return name == pieces[0]
    first, *middle, last = pieces
    end = len(name) - len(last)
    if end < len(first) or not (name.startswith(first) and name.endswith(last)):
        return False
    return _in_order(name, middle, start=len(first), end=end)


def _in_order(text: Folded, pieces: Iterable[Folded], *, start: int, end: int) -> bool:
    for piece in pieces:
        found = text.find(piece, start, end)
        if found < 0:
            return False
        start = found + len(piece)
    return True
