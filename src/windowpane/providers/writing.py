"""JSON bodies that remember where each of their bytes comes from.

What an adapter composes is written here once; the lens shows these bytes and the socket gets them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from windowpane.providers.base import SourceKind, Span


class Sourced(Struct, frozen=True, kw_only=True):
    """A value with its source, to stand anywhere in a body's dicts and lists but in another."""

    kind: SourceKind
    id: str
    value: object


class Written(Struct, frozen=True, kw_only=True):
    body: bytes
    spans: tuple[Span, ...]


def from_system(value: object) -> Sourced:
    return Sourced(kind="system", id="", value=value)


def from_tool(name: str, value: object) -> Sourced:
    return Sourced(kind="tool", id=name, value=value)


def from_message(message_id: str, value: object) -> Sourced:
    return Sourced(kind="message", id=message_id, value=value)


def written(fields: Mapping[str, object]) -> Written:
    """A body of these fields in this order; those that are None are left out."""
    writer = _Writer()
    writer.write({name: value for name, value in fields.items() if value is not None})
    return Written(body=b"".join(writer.pieces), spans=tuple(writer.spans))


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.spans: list[Span] = []
        self._size = 0

    def write(self, value: object) -> None:
        match value:
            case Sourced():
                # At one stroke: a long chat is hundreds of these, and no source is inside one.
                start = self._size
                self._put(msgspec.json.encode(value.value))
                span = Span(start=start, end=self._size, kind=value.kind, id=value.id)
                self.spans.append(span)
            case dict():
                self._write_dict(value)  # pyright: ignore[reportUnknownArgumentType]
            case list() | tuple():
                self._write_list(value)  # pyright: ignore[reportUnknownArgumentType]
            case _:
                self._put(msgspec.json.encode(value))

    def _write_dict(self, value: dict[str, object]) -> None:
        lead = b"{"
        for name, inner in value.items():
            self._put(lead + msgspec.json.encode(name) + b":")
            self.write(inner)
            lead = b","
        self._put(b"}" if value else b"{}")

    def _write_list(self, value: list[object] | tuple[object, ...]) -> None:
        lead = b"["
        for inner in value:
            self._put(lead)
            self.write(inner)
            lead = b","
        self._put(b"]" if value else b"[]")

    def _put(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self._size += len(piece)
