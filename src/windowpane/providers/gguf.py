"""Reads the head of a GGUF file: what a model file says of itself before it is loaded.

Only the context length is wanted, so reading stops there; weights and vocabularies are skipped.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from windowpane.errors import InvalidInput

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ARCHITECTURE = "general.architecture"
STRING = 8
ARRAY = 9
# Value type → size in bytes, for all that are not strings or arrays.
SCALAR_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
INTEGERS = {4: "<I", 10: "<Q"}
NAME_LIMIT_BYTES = 64 * 1024
# More than any vocabulary has: beyond it the head is damaged, and reading on would not end.
COUNT_LIMIT = 10_000_000


class _Damaged(Exception):
    pass


def context_length_tokens(path: Path) -> int:
    """How many tokens the model was trained for. Raises ``InvalidInput`` if it is no model."""
    try:
        with path.open("rb") as file:
            return _context_length(file)
    except OSError as error:
        raise InvalidInput(
            f"The model file {path} cannot be read: {error.strerror}. Correct the path."
        ) from error
    except _Damaged as error:
        raise InvalidInput(
            f"The file {path} is not a model that can be run: {error}. Choose a GGUF file."
        ) from error


def _context_length(file: BinaryIO) -> int:
    if file.read(4) != MAGIC:
        raise _Damaged("it does not begin as a GGUF file does")
    version, _, entries = struct.unpack("<IQQ", _exactly(file, 20))
    if version not in VERSIONS:
        raise _Damaged(f"it has version {version} of the format")
    wanted = ""
    for _ in range(_bounded(entries)):
        key = _string(file)
        (kind,) = struct.unpack("<I", _exactly(file, 4))
        if key == ARCHITECTURE and kind == STRING:
            wanted = f"{_string(file)}.context_length"
        elif key == wanted and kind in INTEGERS:
            (tokens,) = struct.unpack(INTEGERS[kind], _exactly(file, SCALAR_BYTES[kind]))
            return tokens
        else:
            _skip(file, kind)
    raise _Damaged("it names no context length")


def _string(file: BinaryIO) -> str:
    size_bytes = _size(file)
    if size_bytes > NAME_LIMIT_BYTES:
        raise _Damaged("its head is damaged")
    return _exactly(file, size_bytes).decode(errors="replace")


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == STRING:
        file.seek(_size(file), 1)
    elif kind == ARRAY:
        (item,) = struct.unpack("<I", _exactly(file, 4))
        count = _bounded(_size(file))
        if item == STRING:
            for _ in range(count):
                _skip(file, item)
        else:
            file.seek(_scalar_bytes(item) * count, 1)
    else:
        file.seek(_scalar_bytes(kind), 1)


def _scalar_bytes(kind: int) -> int:
    if kind not in SCALAR_BYTES:
        raise _Damaged("its head is damaged")
    return SCALAR_BYTES[kind]


def _size(file: BinaryIO) -> int:
    (size,) = struct.unpack("<Q", _exactly(file, 8))
    # No model is a terabyte long, and file systems refuse to seek as far as a number can say.
    if size >= 1 << 40:
        raise _Damaged("its head is damaged")
    return size


def _bounded(count: int) -> int:
    if count > COUNT_LIMIT:
        raise _Damaged("its head is damaged")
    return count


def _exactly(file: BinaryIO, size_bytes: int) -> bytes:
    data = file.read(size_bytes)
    if len(data) != size_bytes:
        raise _Damaged("it ends too early")
    return data
