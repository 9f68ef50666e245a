"""Code blocks: a header with the language and a copy button, and the code in classes.

Colours are the page's: a token gets one of `TOKEN_CLASSES`, and nothing but these classes. The time
grows with the length of the code only; the lexers of the well-known libraries need minutes for a
few hundred kilobytes of blank lines, and a page that draws what strangers wrote cannot wait.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from msgspec import Struct

from windowpane.render.languages import SYNTAXES, Syntax

TOKEN_CLASSES = (
    "tok-comment",
    "tok-string",
    "tok-number",
    "tok-keyword",
    "tok-constant",
    "tok-function",
    "tok-type",
    "tok-name",
    "tok-meta",
    "tok-added",
    "tok-removed",
)

# Beyond this, colours help nobody and only make the page heavy.
MAX_COLOURED_CHARS = 200_000
_MAX_LANGUAGE_CHARS = 40


def code_figure(code: str, *, language: str) -> str:
    """A whole code block; the end of its last line is not part of it."""
    return figure(colour(code.removesuffix("\n"), language=language), language=language)


def figure(html: str, *, language: str) -> str:
    """The frame of a code block around `html`, which is trusted."""
    name = escape(language[:_MAX_LANGUAGE_CHARS])
    return (
        f'<figure class="code" data-language="{name}"><figcaption><span>{name}</span>'
        '<button type="button" class="copy" data-copy>Copy</button></figcaption>'
        f'<pre tabindex="0"><code>{html}</code></pre></figure>'
    )


def is_known(language: str) -> bool:
    return language.lower() in SYNTAXES


def colour(code: str, *, language: str) -> str:
    """The code as HTML; an unknown language stays plain."""
    syntax = SYNTAXES.get(language.lower())
    if syntax is None or len(code) > MAX_COLOURED_CHARS:
        return plain(code)
    return _coloured(code, syntax)


class _Reader(Struct, frozen=True):
    """A syntax made ready: one pattern, the class of each group, the class of each known word."""

    tokens: re.Pattern[str]
    classes: dict[str | None, str]
    words: dict[str, str]
    is_case_blind: bool

    def class_of(self, word: re.Match[str]) -> str | None:
        text = word[0].lower() if self.is_case_blind else word[0]
        if known := self.words.get(text):
            return known
        if word.string.startswith("(", word.end()):
            return "tok-function"
        return "tok-type" if text[0].isupper() and not text.isupper() else None


@lru_cache(maxsize=64)
def _reader(syntax: Syntax) -> _Reader:
    groups = {
        "comment": "|".join(syntax.comments),
        "meta": "|".join(syntax.meta),
        "added": syntax.added,
        "removed": syntax.removed,
        "name": "|".join(syntax.names),
        "string": "|".join(syntax.strings),
        "number": syntax.number,
        "word": syntax.word,
    }
    pattern = "|".join(f"(?P<{name}>{one})" for name, one in groups.items() if one)
    keywords = dict.fromkeys(syntax.keywords.split(), "tok-keyword")
    constants = dict.fromkeys(syntax.constants.split(), "tok-constant")
    return _Reader(
        tokens=re.compile(pattern, re.MULTILINE),
        classes={name: f"tok-{name}" for name in groups if name != "word"},
        words=keywords | constants,
        is_case_blind=syntax.is_case_blind,
    )


def _coloured(code: str, syntax: Syntax) -> str:
    reader = _reader(syntax)
    pieces: list[str] = []
    end = 0
    for token in reader.tokens.finditer(code):
        if token_class := reader.classes.get(token.lastgroup) or reader.class_of(token):
            start, stop = token.span()
            pieces.append(plain(code[end:start]))
            pieces.append(f'<span class="{token_class}">{plain(token[0])}</span>')
            end = stop
    pieces.append(plain(code[end:]))
    return "".join(pieces)


def plain(code: str) -> str:
    """The code as HTML without colours."""
    return code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
