"""Temml in a JavaScript engine of its own: TeX in, MathML out, with limits on memory and time.

The engine is started by the first formula and lives in one thread, because its contexts must not
be touched from two. Which formulas are worth asking for is decided in `math`.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.resources.abc import Traversable
from threading import Lock
from typing import Protocol, cast

import msgspec

from windowpane.errors import PartMissing
from windowpane.render.mathml import allowed_mathml

# The engine counts the processor time of the whole process, so this is generous.
_LIMIT_SECONDS = 2
_REMEMBERED_CHARS = 8_000_000

_BRIDGE = """
function formula(tex, isDisplay) {
  try {
    return JSON.stringify(temml.renderToString(tex, {displayMode: isDisplay, throwOnError: true}));
  } catch (error) {
    return "null";
  }
}
"""


class Formulas:
    """Asks the engine, in its thread, and remembers the answers that were used last."""

    def __init__(self, script: Traversable, *, memory_bytes: int) -> None:
        self._script = script
        self._memory_bytes = memory_bytes
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, bool], str | None] = OrderedDict()
        self._known_chars = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="formulas")
        self._engine: _Engine | None = None

    def get(self, tex: str, *, is_display: bool) -> str | None:
        """The MathML, or None if the engine cannot read the formula."""
        key = (tex, is_display)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        markup = self._thread.submit(self._ask, tex, is_display).result()
        with self._lock:
            self._remember(key, markup)
        return markup

    def _ask(self, tex: str, is_display: bool) -> str | None:
        if self._engine is None or self._engine.is_broken:
            self._engine = _Engine(self._temml(), memory_bytes=self._memory_bytes)
        return self._engine.mathml(tex, is_display=is_display)

    def _temml(self) -> str:
        if not self._script.is_file():
            raise PartMissing(
                "Formulas need Temml, which is not where the build puts it "
                f"({self._script}). Run `make install` again."
            )
        return self._script.read_text(encoding="utf-8")

    def _remember(self, key: tuple[str, bool], markup: str | None) -> None:
        if key in self._known:
            return
        self._known[key] = markup
        self._known_chars += _chars(key[0], markup)
        while self._known_chars > _REMEMBERED_CHARS:
            (tex, _), oldest = self._known.popitem(last=False)
            self._known_chars -= _chars(tex, oldest)


def _chars(tex: str, markup: str | None) -> int:
    return len(tex) + len(markup or "")


class _JsContext(Protocol):
    """As much of `quickjs.Context` as is used here; the package has no types."""

    def eval(self, code: str) -> object: ...
    def get(self, name: str) -> object: ...
    def set_memory_limit(self, limit: int) -> None: ...
    def set_time_limit(self, limit: float) -> None: ...


class _JsFunction(Protocol):
    def __call__(self, tex: str, is_display: bool) -> str: ...


class _QuickJs(Protocol):
    JSException: type[Exception]

    def Context(self) -> _JsContext: ...


class _Engine:
    """Temml, loaded. Must be made and used in one and the same thread."""

    def __init__(self, temml: str, *, memory_bytes: int) -> None:
        quickjs = cast(_QuickJs, import_module("quickjs"))
        self._failure = quickjs.JSException
        self._context = quickjs.Context()
        self._context.eval(temml)
        self._context.eval(_BRIDGE)
        self._context.set_memory_limit(memory_bytes)
        self._context.set_time_limit(_LIMIT_SECONDS)
        self._formula = cast(_JsFunction, self._context.get("formula"))
        self.is_broken = False

    def mathml(self, tex: str, *, is_display: bool) -> str | None:
        try:
            answer = self._formula(tex, is_display)
        except self._failure:
            # Out of time or memory: what is left in this context cannot be relied on.
            self.is_broken = True
            return None
        markup = msgspec.json.decode(answer, type=str | None)
        return None if markup is None else allowed_mathml(markup)
