"""Amazon's binary event stream, as bytes come in: blocks of any size → whole frames.

Both checksums of every frame are verified: what was damaged on the way is never read as an
answer. What a frame means is the adapter's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from struct import Struct as Layout
from zlib import crc32

from msgspec import Struct

from windowpane.errors import Failure, ProviderFailed

# Whole length, length of the headers, checksum of the two.
PRELUDE = Layout(">III")
CHECKSUM = Layout(">I")
OVERHEAD_BYTES = PRELUDE.size + CHECKSUM.size
# The format's own limits: 128 kB of headers and 24 MB of payload.
FRAME_LIMIT_BYTES = OVERHEAD_BYTES + 128 * 1024 + 24 * 1024 * 1024
STRING = 7
# The bytes of a header's value by its type; bytes (6) and strings (7) say their length first.
VALUE_BYTES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
SIZED = (6, STRING)


class Frame(Struct, frozen=True, kw_only=True, gc=False):
    """``headers`` are those whose value is text; no others carry a meaning here."""

    headers: Mapping[str, str]
    payload: bytes


class FrameParser:
    def __init__(self) -> None:
        # What is no whole frame yet, in pieces: joining them at each block would be quadratic.
        self._pieces: list[bytes] = []
        self._held_bytes = 0
        self._awaited_bytes = PRELUDE.size

    def feed(self, block: bytes) -> Iterator[Frame]:
        """The frames that this block completes; go through all of them.

        Raises ``ProviderFailed`` at a damaged one, after those before it.
        """
        self._pieces.append(block)
        self._held_bytes += len(block)
        if self._held_bytes < self._awaited_bytes:
            return
        data = b"".join(self._pieces)
        start = 0
        while (size_bytes := _frame_bytes(data, start)) <= len(data) - start:
            yield _frame(data, start, start + size_bytes)
            start += size_bytes
        self._pieces = [data[start:]]
        self._held_bytes = len(data) - start
        self._awaited_bytes = size_bytes


def _frame_bytes(data: bytes, start: int) -> int:
    """The length of the frame that begins here, or of the prelude that will say it."""
    if len(data) - start < PRELUDE.size:
        return PRELUDE.size
    size_bytes, headers_bytes, checksum = PRELUDE.unpack_from(data, start)
    if crc32(data[start : start + 8]) != checksum:
        raise _damaged("the CRC of a frame's prelude does not match")
    if not headers_bytes + OVERHEAD_BYTES <= size_bytes <= FRAME_LIMIT_BYTES:
        raise _damaged(f"a frame claims to have {size_bytes:,} bytes")
    return size_bytes


def _frame(data: bytes, start: int, end: int) -> Frame:
    (checksum,) = CHECKSUM.unpack_from(data, end - CHECKSUM.size)
    if crc32(data[start : end - CHECKSUM.size]) != checksum:
        raise _damaged("the CRC of a frame does not match")
    _, headers_bytes, _ = PRELUDE.unpack_from(data, start)
    payload_start = start + PRELUDE.size + headers_bytes
    return Frame(
        headers=_headers(data[start + PRELUDE.size : payload_start]),
        payload=data[payload_start : end - CHECKSUM.size],
    )


# A stream's frames have the same few headers again and again.
@lru_cache(maxsize=64)
def _headers(block: bytes) -> Mapping[str, str]:
    try:
        return dict(_named_texts(block))
    except (IndexError, KeyError, ValueError) as error:
        raise _damaged("the headers of a frame cannot be read") from error


def _named_texts(block: bytes) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(block):
        name_end = position + 1 + block[position]
        name, kind = block[position + 1 : name_end], block[name_end]
        start, end = _value_range(block, name_end + 1, kind=kind)
        if end > len(block):
            raise IndexError(end)
        if kind == STRING:
            yield name.decode(), block[start:end].decode()
        position = end


def _value_range(block: bytes, start: int, *, kind: int) -> tuple[int, int]:
    if kind not in SIZED:
        return start, start + VALUE_BYTES[kind]
    value_start = start + 2
    return value_start, value_start + int.from_bytes(block[start:value_start])


def _damaged(why: str) -> ProviderFailed:
    message = f"The answer was damaged on the way: {why}. Try again."
    return ProviderFailed(Failure(kind="net", message=message))
