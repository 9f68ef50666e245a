"""Takes out of a block what Markdown must not read, and puts it back into the finished HTML.

Formulas, line breaks written as `<br>` and footnote marks leave a slot behind; every `<` that could
begin a tag is covered, because HTML is text here. Slots are written with characters that Unicode
reserves for internal use and that `clean_text` removes from everything anybody wrote: nobody can
type one, so nobody can forge or swap one. A slot that ends up inside code becomes its source again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Set
from html import escape, unescape

from msgspec import Struct

from windowpane.render.formulas import formula_at
from windowpane.render.math import math_span

_LESS, _OPEN, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
# Noncharacters, lone surrogates and NUL have no place in a text.
_FOREIGN = re.compile("[\x00\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")

_NEEDED = re.compile(r"[$<]|\\[(\[]|\[\^")
_TOKEN = re.compile(
    r"""
      (?P<code>`+)
    | (?P<formula>\$\$?|\\\(|\\\[)
    | (?P<skipped>
          \\.                                          # an escaped sign
        | (?:https?://|www\.)[^\s<>]*                  # an address
        | \]\((?:<[^<>\n]*>|[^\s()<>]*)                 # where a link leads
        | ^[ ]{0,3}\[(?!\^)[^\[\]\n]{1,200}\]:[ ]*(?:<[^<>\n]*>|\S*)
        | <(?:[a-zA-Z][\w+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>
      )
    | (?P<break><br[ ]?/?>)
    | (?P<less><(?=[a-zA-Z/!?]))
    | \[\^(?P<footnote>[^\]\s]{1,64})\]
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_RESTORED = re.compile(
    rf"""
      <pre><code(?:[ ]class="language-(?P<language>[^"]*)")?>(?P<block>[^<]*)</code></pre>
    | <code>(?P<code>[^<]*)</code>
    | <(?:[^<>"]|"[^"]*")*>
    | {_OPEN}(?P<slot>\d+){_CLOSE}
    """,
    re.VERBOSE,
)
_SLOT = re.compile(rf"{_OPEN}(\d+){_CLOSE}")
_BACKTICKS = re.compile("`+")
_CLOSING_TAGS = re.compile(r"(?:</[a-z0-9]+>)*")
_LESS_IN_ADDRESS = "%EF%B7%90"
_QUOTE_MARK = re.compile(r"\n(?:[ \t]*>)+ ?")


class Slot(Struct, frozen=True):
    source: str
    html: str


class Code(Struct, frozen=True):
    """A code block inside another block; `is_last` if nothing but closing tags follows it."""

    text: str
    language: str
    is_last: bool


class Shielded(Struct, frozen=True):
    """A block that is safe to give to the Markdown parser, and what was taken out of it."""

    source: str
    slots: tuple[Slot, ...]


def clean_text(text: str) -> str:
    """The text without the signs that slots are made of."""
    return text if text.isascii() and "\x00" not in text else _FOREIGN.sub("\ufffd", text)


def shield(source: str, *, is_quote: bool, footnotes: Set[str]) -> Shielded:
    """The source with slots; `footnotes` are the labels that have a note."""
    if not _NEEDED.search(source):
        return Shielded(source, ())
    return _Shielding(source, is_quote=is_quote, footnotes=footnotes).run()


def restore(html: str, *, slots: tuple[Slot, ...], draw_code: Callable[[Code], str]) -> str:
    """The HTML of a shielded source, with its slots filled and its code blocks drawn."""

    def restored(match: re.Match[str]) -> str:
        if (number := match["slot"]) is not None:
            return slots[int(number)].html
        if (block := match["block"]) is not None:
            language = _as_written(match["language"] or "", slots)
            is_last = _CLOSING_TAGS.fullmatch(html, match.end()) is not None
            return draw_code(Code(_as_written(block, slots), language, is_last))
        if (code := match["code"]) is not None:
            return f"<code>{escape(_as_written(code, slots), quote=False)}</code>"
        return _SLOT.sub("", match[0])

    if slots or "<pre>" in html:
        html = _RESTORED.sub(restored, html)
    if _LESS in html or _LESS_IN_ADDRESS in html:
        html = html.replace(_LESS, "&lt;").replace(_LESS_IN_ADDRESS, "%3C")
    return html


def _as_written(html: str, slots: tuple[Slot, ...]) -> str:
    text = unescape(html).replace(_LESS, "<")
    return _SLOT.sub(lambda slot: slots[int(slot[1])].source, text)


class _Shielding:
    def __init__(self, source: str, *, is_quote: bool, footnotes: Set[str]) -> None:
        self._source = source
        self._is_quote = is_quote
        self._footnotes = footnotes
        self._pieces: list[str] = []
        self._slots: list[Slot] = []
        self._backticks: dict[int, list[int]] | None = None

    def run(self) -> Shielded:
        source, taken, position = self._source, 0, 0
        while token := _TOKEN.search(source, position):
            start, position = token.span()
            match token.lastgroup:
                case "code":
                    position = self._end_of_code(token)
                    continue
                case "less":
                    put = _LESS
                case "break":
                    put = self._slot(token[0], "<br>")
                case "footnote":
                    put = self._footnote(token)
                case "formula":
                    put, position = self._formula(token)
                case _:
                    continue
            self._pieces += (source[taken:start], put)
            taken = position
        return Shielded("".join([*self._pieces, source[taken:]]), tuple(self._slots))

    def _slot(self, source: str, html: str) -> str:
        self._slots.append(Slot(source, html))
        return f"{_OPEN}{len(self._slots) - 1}{_CLOSE}"

    def _footnote(self, token: re.Match[str]) -> str:
        label = token["footnote"]
        if label not in self._footnotes:
            return token[0]
        return self._slot(token[0], f'<sup class="footnote">{escape(label)}</sup>')

    def _formula(self, token: re.Match[str]) -> tuple[str, int]:
        found = formula_at(self._source, token.start())
        if found is None:
            return token[0], token.end()
        source = self._source[token.start() : found.end]
        tex = _QUOTE_MARK.sub("\n", found.tex) if self._is_quote else found.tex
        html = math_span(tex, is_display=found.is_display, source=source)
        return self._slot(source, html), found.end

    def _end_of_code(self, token: re.Match[str]) -> int:
        """Behind the closing backticks; behind these ones if they open nothing."""
        if self._backticks is None:
            self._backticks = {}
            for run in _BACKTICKS.finditer(self._source):
                self._backticks.setdefault(len(run[0]), []).append(run.start())
        runs = self._backticks.get(len(token[0]), [])
        closing = bisect_left(runs, token.end())
        return runs[closing] + len(token[0]) if closing < len(runs) else token.end()
