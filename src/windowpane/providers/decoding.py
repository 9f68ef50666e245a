"""JSON of a known shape, or nothing: a server may send anything.

Which shapes there are is each family's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
from msgspec import Raw

T = TypeVar("T")
NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError)


def reader_of(shape: type[T]) -> Callable[[bytes | str | Raw], T | None]:
    """What reads JSON of this shape; anything else is None to it."""
    decode = msgspec.json.Decoder(shape).decode

    def read(payload: bytes | str | Raw) -> T | None:
        try:
            return decode(payload)
        except NOT_JSON:
            return None

    return read
