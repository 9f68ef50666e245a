"""What Chat Completions servers want to get back, gathered from an answer and put into a message.

A native block of this family is a JSON object. For reasoning it holds the message's fields
(``reasoning_content``, ``reasoning``, ``reasoning_details``, ``extra_content``) or is a part of its
content, for a tool call it holds the fields beside the usual ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from windowpane.parts import Native
from windowpane.providers.assembly import Draft

FAMILY = "openai_chat"

Fields = dict[str, object]
_decode = msgspec.json.Decoder(Fields).decode
# The fields of a detail that arrive in pieces.
PIECES = ("text", "summary", "data")
# A detail with one of these is whole; what follows belongs to another.
SEALS = ("signature", "data")


def native_of(fields: Fields) -> Native:
    return Native(family=FAMILY, block=msgspec.json.encode(fields).decode())


def native_fields(native: Native | None) -> Fields:
    """Nothing, for the blocks of another family."""
    if native is None or native.family != FAMILY:
        return {}
    return _decode(native.block)


def is_content_part(fields: Fields) -> bool:
    """A block that stands in the content; the others are fields of the message."""
    return "type" in fields


class Thought:
    """One piece of reasoning while it arrives, with what goes back to the server for it."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._field = ""
        self._details: list[Fields] = []
        self._content_part: Fields = {}
        self._extra: Fields = {}

    @property
    def is_closed(self) -> bool:
        return self._content_part.get("closed") is True

    def write(self, field: str, text: str) -> None:
        """Text that came in this field of the message."""
        self._field = field
        self._draft.fresh.append(text)

    def add_details(self, details: Iterable[Fields]) -> None:
        for detail in details:
            add_detail(detail, to=self._details)

    def add_content_part(self, part: Fields, *, text: str) -> None:
        """Mistral: a piece of the reasoning as a part of the content."""
        self._content_part |= part
        self._draft.fresh.append(text)

    def add_extra(self, extra: object) -> None:
        self._extra = {"extra_content": extra}

    def seal(self) -> None:
        """Nothing more comes: the draft gets its native block."""
        if fields := self._content_fields() or self._message_fields():
            self._draft.native = native_of(fields)

    def _content_fields(self) -> Fields:
        if not self._content_part:
            return {}
        thinking = [{"type": "text", "text": self._draft.content}]
        return self._content_part | {"thinking": thinking}

    def _message_fields(self) -> Fields:
        # Details hold the text as well: with both, the server would get it twice.
        if self._details:
            return {"reasoning_details": self._details} | self._extra
        if self._field:
            return {self._field: self._draft.content} | self._extra
        return self._extra


def add_detail(detail: Fields, *, to: list[Fields]) -> None:
    """OpenRouter sends details in pieces, to be joined by kind and index."""
    last = next((one for one in reversed(to) if _is_same(one, detail)), None)
    if last is None or any(last.get(seal) for seal in SEALS):
        to.append(dict(detail))
        return
    for name, value in detail.items():
        before = last.get(name)
        if name in PIECES and isinstance(before, str) and isinstance(value, str):
            last[name] = before + value
        elif value or name not in last:
            last[name] = value


def add_fields(fields: Fields, *, to: Fields) -> None:
    """Put the fields of one more thought into the message that it was a part of."""
    for name, value in fields.items():
        before = to.get(name)
        if isinstance(before, str) and isinstance(value, str):
            to[name] = before + value
        elif name == "reasoning_details":
            to[name] = _with_details(before, value)
        else:
            to[name] = value


def _with_details(before: object, more: object) -> list[Fields]:
    details = msgspec.convert(before or [], list[Fields])
    for detail in msgspec.convert(more, list[Fields]):
        add_detail(detail, to=details)
    return details


def _is_same(one: Fields, other: Fields) -> bool:
    return one.get("type") == other.get("type") and one.get("index") == other.get("index")
