"""What a person typed into a search box, read without ever refusing it.

Words, ``"phrases"``, ``-words`` and ``prefix*``; whatever else stands there is taken as words.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

TermKind = Literal["word", "phrase", "prefix"]

# A quotation counts only when it is closed; a lone quotation mark is a sign between words.
PIECE = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
QUOTES = str.maketrans("“”„‟«»", '""""""')
# A longer query says nothing more, and each word of it costs time.
QUERY_LIMIT_CHARACTERS = 2_000


class Term(Struct, frozen=True):
    kind: TermKind
    text: str


class Query(Struct, frozen=True, kw_only=True):
    """``wanted`` in the order in which it was typed; what is excluded must not be there."""

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...]


def parse_query(text: str) -> Query:
    wanted: list[Term] = []
    excluded: list[Term] = []
    for piece in PIECE.finditer(_readable(text)):
        term = _term(piece)
        if any(map(str.isalnum, term.text)):
            (excluded if piece["minus"] else wanted).append(term)
    return Query(wanted=tuple(wanted), excluded=tuple(excluded))


def _term(piece: re.Match[str]) -> Term:
    if piece["phrase"] is not None:
        return Term("phrase", piece["phrase"])
    word = piece["word"]
    if word.endswith("*") and word.rstrip("*"):
        return Term("prefix", word.rstrip("*"))
    return Term("word", word)


def _readable(text: str) -> str:
    """Bytes of a command line that are no text, and quotation marks of all kinds, made plain."""
    return text[:QUERY_LIMIT_CHARACTERS].encode(errors="replace").decode().translate(QUOTES)
