"""Formulas as elements of the page, or their source if they cannot be read.

Commands that would let a short formula grow without bound are refused before the engine sees them.
Where formulas begin and end in a text is decided in `formulas`.
"""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files

from windowpane.render.engine import Formulas

_MAX_TEX_CHARS = 4_000
_MEMORY_BYTES = 64 * 1024 * 1024

_DEFINITION = re.compile(r"\\(?:[egx]?def|let|futurelet|(?:new|renew|provide)command|global)\b")
# Temml writes the argument of these more than once: nested, they double with every level.
_DOUBLING = re.compile(r"\\(?:cancelto|equilibrium(?:Left|Right)|(?:math)?llap)\b")
_MAX_DOUBLING = 4


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
    if not tex or len(tex) > _MAX_TEX_CHARS or _DEFINITION.search(tex):
        return None
    if len(_DOUBLING.findall(tex)) > _MAX_DOUBLING:
        return None
    return _formulas.get(tex, is_display=is_display)


_formulas = Formulas(
    files("windowpane").joinpath("web", "static", "lib", "temml.min.js"),
    memory_bytes=_MEMORY_BYTES,
)
