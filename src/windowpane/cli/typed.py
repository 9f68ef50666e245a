"""What people type or pipe in: one message, or lines of a conversation.

Bytes that are no text are refused here, before anything is opened or stored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

from windowpane.cli.terminal import whisper
from windowpane.errors import InvalidInput

STDIN = "-"
PROMPT = "> "


def message_from(given: str | None, *, limit_bytes: int) -> str:
    """The argument itself, or standard input if it is missing or ``-``."""
    if given is not None and given != STDIN:
        return _text(given.encode(errors="surrogateescape"))
    if sys.stdin.isatty():
        whisper("Write the message, then press Ctrl+D on an empty line.\n")
    # One byte more than allowed is enough to know, however much there is.
    read = sys.stdin.buffer.read(limit_bytes + 1)
    if len(read) > limit_bytes:
        raise InvalidInput(
            f"Standard input holds more than {limit_bytes:,} bytes, the most that can be sent at "
            "once. Shorten it or split it."
        )
    return _text(read)


def piped_lines() -> Iterator[str]:
    for line in sys.stdin.buffer:
        if text := _text(line).strip():
            yield text


def typed_lines() -> Iterator[str]:
    """Until Ctrl+D; Ctrl+C clears the line."""
    with suppress(ImportError):  # some Pythons are built without it: typing works all the same
        import_module("readline")  # being there is what gives input() its editing
    while True:
        try:
            line = input(PROMPT)
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            continue
        if text := _text(line.encode(errors="surrogateescape")).strip():
            yield text


def _text(given: bytes) -> str:
    try:
        return given.decode()
    except UnicodeDecodeError:
        raise InvalidInput("The message is not text in UTF-8. Convert it first.") from None
