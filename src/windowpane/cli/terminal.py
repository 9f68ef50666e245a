"""What a terminal is good for: asking for secrets, dimmed asides, text made harmless.

Standard output carries answers and nothing else; asides go to standard error, and only where a
person reads them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from getpass import getpass
from unicodedata import category

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def can_ask() -> bool:
    """By their numbers: a server may be started with both closed."""
    return os.isatty(0) and os.isatty(2)


def ask_secret(prompt: str) -> str:
    return getpass(prompt, stream=sys.stderr)


def harmless(text: str) -> str:
    """Without control characters: what a model writes must not steer the terminal."""
    return "".join(c for c in text if c in "\n\t" or category(c) != "Cc")


def show(text: str) -> None:
    """Part of an answer, at once; into a pipe or a file exactly as it came."""
    sys.stdout.write(harmless(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def show_pieces(pieces: Iterable[tuple[str, bool]]) -> None:
    """Part of an answer; pieces that are told to stand out do so in a terminal."""
    is_read = sys.stdout.isatty()
    for text, is_bold in pieces:
        shown = harmless(text) if is_read else text
        sys.stdout.write(f"{BOLD}{shown}{PLAIN}" if is_read and is_bold else shown)
    sys.stdout.flush()


def whisper(text: str) -> None:
    """An aside for the person at the terminal, if there is one."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{DIM}{harmless(text)}{PLAIN}")
        sys.stderr.flush()


def complain(sentence: str) -> None:
    print(f"windowpane: {sentence}", file=sys.stderr)
