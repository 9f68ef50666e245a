"""Messages in somebody else's JSON, read field by field: what is wrong is named by its path.

Only what counts and belongs together is looked at; everything else stays as it was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from windowpane.errors import InvalidInput

Json = Mapping[str, object]


class BadMessages(InvalidInput):
    """Messages that no provider would take; ``path`` leads to what is wrong with them."""

    code = "bad_messages"

    def __init__(self, path: str, complaint: str) -> None:
        self.path = path
        super().__init__(f"{path} {complaint}")


class Field:
    """A value somewhere in the JSON, and the way to it: ``messages[3].content``.

    The way is written out only when something is wrong: there are many more fields than errors.
    """

    __slots__ = ("_parent", "_step", "value")

    def __init__(self, value: object, step: str, *, parent: Field | None) -> None:
        self.value = value
        self._step = step
        self._parent = parent

    @property
    def path(self) -> str:
        return (self._parent.path if self._parent else "") + self._step

    def wrong(self, complaint: str) -> BadMessages:
        return BadMessages(self.path, complaint)

    def _mistyped(self, wanted: str) -> BadMessages:
        if self.is_missing:
            return self.wrong(f"is missing. It must be {wanted}.")
        return self.wrong(f"must be {wanted}, not {kind_of(self.value)}.")

    @property
    def is_missing(self) -> bool:
        return self.value is None

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    def fields(self) -> Json:
        if not is_object(self.value):
            raise self._mistyped("an object")
        return self.value

    def items(self) -> list[Field]:
        return self._items("a list")

    def blocks(self) -> list[Field]:
        """The items of a content that is not plain text."""
        return self._items("text or a list of blocks")

    def _items(self, wanted: str) -> list[Field]:
        if not is_list(self.value):
            raise self._mistyped(wanted)
        return [Field(value, f"[{at}]", parent=self) for at, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self._mistyped("text")
        return self.value

    def __getitem__(self, key: str) -> Field:
        """What is under a key; a key that is not there is a missing value, not an error yet."""
        return Field(self.fields().get(key), f".{key}", parent=self)


def is_object(value: object) -> TypeGuard[Json]:
    # The first is what JSON gives, and many times as fast to ask for.
    return isinstance(value, dict) or isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def kind_of(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case Mapping():
            return "an object"
        case bytes():
            return "bytes"
        case Sequence():
            return "a list"
        case _:
            return f"a Python {type(value).__name__}"
