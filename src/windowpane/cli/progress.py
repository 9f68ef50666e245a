"""A line that tells how far long work is, where a person looks on, and leaves nothing behind."""

from __future__ import annotations

import sys
from types import TracebackType

BAR_CELLS = 24


class ProgressLine:
    def __init__(self, what: str) -> None:
        self._what = what
        self._is_shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_shown:
            self._write("")

    def show(self, done: int, *, of: int, unit: str) -> None:
        filled = BAR_CELLS * done // max(1, of)
        bar = "█" * filled + "·" * (BAR_CELLS - filled)
        self._write(f"{self._what} [{bar}] {done:,} of {of:,} {unit}")

    def _write(self, text: str) -> None:
        if sys.stderr.isatty():
            self._is_shown = True
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
