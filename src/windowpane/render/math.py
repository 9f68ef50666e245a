"""Formulas: TeX in, MathML out, made by Temml in a JavaScript engine of its own.

The engine is started by the first formula and lives in one thread, with limits on memory and time.
Commands that would let a short formula grow without bound are refused before it sees them. Where
formulas begin and end in a text is decided in `formulas`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from threading import Lock
from typing import Protocol, cast

import msgspec

from windowpane.errors import PartMissing
from windowpane.render.mathml import allowed_mathml

MAX_TEX_CHARS = 4_000
_MEMORY_BYTES = 64 * 1024 * 1024
# The engine counts the processor time of the whole process, so this is generous.
_LIMIT_SECONDS = 2
_CACHE_CHARS = 8_000_000

_DEFINITION = re.compile(r"\\(?:[egx]?def|let|futurelet|(?:new|renew|provide)command|global)\b")
# Temml writes the argument of these more than once: nested, they double with every level.
_DOUBLING = re.compile(r"\\(?:cancelto|equilibrium(?:Left|Right)|(?:math)?llap)\b")
_MAX_DOUBLING = 4

_BRIDGE = """
function formula(tex, isDisplay) {
  try {
    return JSON.stringify(temml.renderToString(tex, {displayMode: isDisplay, throwOnError: true}));
  } catch (error) {
    return "null";
  }
}
"""


def math_block(tex: str, *, source: str) -> str:
    """A formula that stands alone, as one element; if it cannot be read, its source."""
    markup = formula(tex, is_display=True)
    if markup is None:
        return f'<pre class="math-error">{escape(source, quote=False)}</pre>'
    return f'<div class="math display" data-tex="{escape(tex.strip())}" tabindex="0">{markup}</div>'


def math_span(tex: str, *, is_display: bool, source: str) -> str:
    """A formula inside a text, as one element; if it cannot be read, its source."""
    markup = formula(tex, is_display=is_display)
    if markup is None:
        return f'<code class="math-error">{escape(source, quote=False)}</code>'
    classes = "math display" if is_display else "math"
    return f'<span class="{classes}" data-tex="{escape(tex.strip())}">{markup}</span>'


def formula(tex: str, *, is_display: bool) -> str | None:
    """The MathML of a formula; None if it is none, or too large to be one."""
    tex = tex.strip()
    if not tex or len(tex) > MAX_TEX_CHARS or _DEFINITION.search(tex):
        return None
    if len(_DOUBLING.findall(tex)) > _MAX_DOUBLING:
        return None
    return _formulas.get(tex, is_display=is_display)


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

    def __init__(self) -> None:
        quickjs = cast(_QuickJs, import_module("quickjs"))
        self._failure = quickjs.JSException
        self._context = quickjs.Context()
        self._context.set_memory_limit(_MEMORY_BYTES)
        self._context.eval(_temml())
        self._context.eval(_BRIDGE)
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


class _Formulas:
    """Asks the engine, in its thread, and remembers the answers that were used last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, bool], str | None] = OrderedDict()
        self._known_chars = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="formulas")
        self._engine: _Engine | None = None

    def get(self, tex: str, *, is_display: bool) -> str | None:
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
            self._engine = _Engine()
        return self._engine.mathml(tex, is_display=is_display)

    def _remember(self, key: tuple[str, bool], markup: str | None) -> None:
        if key in self._known:
            return
        self._known[key] = markup
        self._known_chars += _chars(key[0], markup)
        while self._known_chars > _CACHE_CHARS:
            (tex, _), oldest = self._known.popitem(last=False)
            self._known_chars -= _chars(tex, oldest)


_formulas = _Formulas()


def _chars(tex: str, markup: str | None) -> int:
    return len(tex) + len(markup or "")


@cache
def _temml() -> str:
    script = files("windowpane").joinpath("web", "static", "lib", "temml.min.js")
    if not script.is_file():
        raise PartMissing(
            "Formulas need Temml, which is not where the build puts it "
            f"({script}). Run `make install` again."
        )
    return script.read_text(encoding="utf-8")
