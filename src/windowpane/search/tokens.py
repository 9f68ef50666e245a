"""Words as the index knows them: made plain here, cut and stemmed by SQLite's own tokenizers.

What is indexed, what is asked and what is marked in a text go through the same functions. Chinese
and Japanese have no spaces, so their signs are cut into overlapping pairs; a name such as
``maxTrimAttempts`` is also findable by its parts.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence
from functools import cached_property
from sqlite3 import Connection
from unicodedata import normalize
from weakref import finalize

TOKENIZER = "unicode61 remove_diacritics 2"
# Longer than a hash or a key: a picture or a file in letters, which nobody types.
BLOB = re.compile(r"[A-Za-z0-9+/=_-]{90,}")
UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"
)
MIXED_CASE = re.compile(r"\b(?=[A-Za-z0-9]*[a-z0-9][A-Z])[A-Za-z0-9]+")
HAS_MIXED_CASE = re.compile("[a-z0-9][A-Z]")
CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# How many words one statement stems: more would not be faster.
STEMMED_AT_ONCE = 500


def plain(text: str) -> str:
    """A text as it is handed to the tokenizer."""
    if not text.isascii():
        text = UNSPACED.sub(_pairs, normalize("NFKC", text))
    return BLOB.sub(" ", text).replace("\0", " ")  # a NUL would end the text for SQLite


def parts_of(text: str) -> str:
    """The parts of names in mixed case."""
    if not HAS_MIXED_CASE.search(text):
        return ""
    return " ".join(part for name in MIXED_CASE.findall(text) for part in CASE_CHANGE.split(name))


def tokens(text: str) -> list[str]:
    """The words of a text in order, without case and accents."""
    return _of_thread.tables.tokens(plain(text))


def asked_tokens(text: str) -> list[str]:
    """The words of something that is looked for: its last sign has been looked for in its pair."""
    found = tokens(text)
    has_tail = len(found) > 1 and UNSPACED.fullmatch(found[-1]) and len(found[-1]) == 1
    return found[:-1] if has_tail and found[-2].endswith(found[-1]) else found


def stems(words: Sequence[str]) -> list[str]:
    """What is left of each word without its ending."""
    return [
        stem
        for start in range(0, len(words), STEMMED_AT_ONCE)
        for stem in _of_thread.tables.stems(words[start : start + STEMMED_AT_ONCE])
    ]


def connected() -> Connection:
    """A database in memory. What it sorts stays there, too: a temporary file would be readable."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _pairs(run: re.Match[str]) -> str:
    """Every sign with the one behind it; the last stands alone, so that it is found, too."""
    signs = run[0]
    return f" {' '.join(signs[at : at + 2] for at in range(len(signs)))} "


class _Tables:
    """A tokenizer can be reached only through a table."""

    def __init__(self) -> None:
        self._connection = connected()
        finalize(self, self._connection.close)
        for name, tokenizer in (("cut", TOKENIZER), ("stemmed", f"porter {TOKENIZER}")):
            self._connection.execute(
                f"CREATE VIRTUAL TABLE {name} USING fts5(text, content='', tokenize='{tokenizer}')"
            )
            self._connection.execute(
                f"CREATE VIRTUAL TABLE {name}_words USING fts5vocab({name}, instance)"
            )

    def tokens(self, text: str) -> list[str]:
        self._fill("cut", [text])
        found = self._connection.execute("SELECT term FROM cut_words ORDER BY offset")
        return [term for (term,) in found]

    def stems(self, words: Sequence[str]) -> list[str]:
        self._fill("stemmed", words)
        found = dict(self._connection.execute("SELECT doc, term FROM stemmed_words"))
        return [found.get(number, word) for number, word in enumerate(words)]

    def _fill(self, table: str, texts: Sequence[str]) -> None:
        connection = self._connection
        connection.execute("BEGIN")
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")
        connection.executemany(f"INSERT INTO {table}(rowid, text) VALUES (?, ?)", enumerate(texts))
        connection.execute("COMMIT")


class _OfThread(threading.local):
    """Each thread has its own tables, made when it first needs them."""

    @cached_property
    def tables(self) -> _Tables:
        return _Tables()


_of_thread = _OfThread()
