"""A segment of the index: some turns in a full-text index of SQLite that lives in memory.

Its words are indexed as they stand, so that phrases and beginnings are exact; which words have the
same stem is noted beside them. It is whole bytes or it is open; an open one is never changed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from sqlite3 import Connection
from typing import Any, cast
from weakref import finalize

from msgspec import Struct

from windowpane.search.fields import Fields
from windowpane.search.tokens import TOKENIZER, connected, stems
from windowpane.search.wish import Wanted

COLUMNS = ("asked", "answered", "tools", "days")
# Where phrases are looked for: days are no words.
TEXT_COLUMNS = COLUMNS[:3]
# A segment of another recipe is made anew. Count up when tokens, columns or stems change.
RECIPE = 1

_SCHEMA = (
    f"CREATE VIRTUAL TABLE turns USING fts5({', '.join(COLUMNS)}, content='',"
    f" tokenize='{TOKENIZER}')",
    "CREATE TABLE words (stem TEXT, word TEXT, PRIMARY KEY (stem, word)) WITHOUT ROWID",
)
_VOCABULARY = (
    "CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, turns, instance)",
    "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, turns, row)",
)

# A turn's number in the segment, and the name of the column in which a word stands.
Place = tuple[int, str]


class Grown(Struct, frozen=True, kw_only=True):
    """A segment's bytes, and how many words each new turn has in each column."""

    index: bytes
    lengths: list[tuple[int, ...]]


def grown(index: bytes | None, *, first: int, turns: Sequence[Fields]) -> Grown:
    """A segment with more turns, numbered from ``first`` on; the old bytes stay as they are."""
    connection = _connected(index)
    try:
        connection.execute("BEGIN")
        connection.executemany(
            f"INSERT INTO turns(rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?)",
            ((first + number, *fields) for number, fields in enumerate(turns)),
        )
        connection.execute("COMMIT")
        _note_stems(connection)
        # A fifth more time for a seventh less room; later readers have less to open.
        connection.execute("INSERT INTO turns(turns) VALUES ('optimize')")
        connection.execute("VACUUM")
        return Grown(index=connection.serialize(), lengths=_lengths(connection, first=first))
    finally:
        connection.close()


class OpenSegment:
    """Can be read from any thread. Raises ``sqlite3.DatabaseError`` when it is damaged."""

    def __init__(self, index: bytes) -> None:
        self._connection = _connected(index)
        # SQLite can be built so that two threads must not use one connection at a time.
        self._lock = threading.Lock()
        # With the last search that holds it: nobody else knows when that has ended.
        finalize(self, self._connection.close)

    def places(self, wanted: Wanted) -> list[Place]:
        """Every place at which something of what is wanted stands."""
        found: list[Place] = []
        for word in sorted({*wanted.words, *self._with_stems(wanted.stems)}):
            found += self._read("SELECT doc, col FROM places WHERE term = ?", word)
        if wanted.prefix:
            beginning = "SELECT doc, col FROM places WHERE term >= ? AND term < ?"
            found += self._read(beginning, wanted.prefix, _behind(wanted.prefix))
        if wanted.phrase:
            for column in TEXT_COLUMNS:
                with_phrase = f"SELECT rowid, '{column}' FROM turns WHERE turns MATCH ?"
                found += self._read(with_phrase, f"{column} : {_quoted(wanted.phrase)}")
        return found

    def turns_with(self, phrase: Sequence[str]) -> set[int]:
        """The turns in which words stand side by side; the last may be a beginning: ``wor*``."""
        query = f"{{{' '.join(TEXT_COLUMNS)}}} : {_quoted(phrase)}"
        found = self._read("SELECT rowid, '' FROM turns WHERE turns MATCH ?", query)
        return {number for number, _ in found}

    def _with_stems(self, wanted: Sequence[str]) -> Iterator[str]:
        for stem in wanted:
            found = self._read("SELECT stem, word FROM words WHERE stem = ?", stem)
            yield from (word for _, word in found)

    def _read(self, query: str, *values: str) -> list[tuple[Any, str]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _connected(index: bytes | None) -> Connection:
    connection = connected()
    try:
        if index is not None:
            connection.deserialize(index)
        else:
            for statement in _SCHEMA:
                connection.execute(statement)
        for statement in _VOCABULARY:
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def _note_stems(connection: Connection) -> None:
    new = "SELECT term FROM vocabulary EXCEPT SELECT word FROM words"
    words = [word for (word,) in cast(Iterator[tuple[str]], connection.execute(new))]
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO words VALUES (?, ?)", zip(stems(words), words, strict=True))
    connection.execute("COMMIT")


def _lengths(connection: Connection, *, first: int) -> list[tuple[int, ...]]:
    """FTS5 keeps them as a row of varints for each turn."""
    rows = connection.execute("SELECT sz FROM turns_docsize WHERE id >= ? ORDER BY id", [first])
    return [tuple(_numbers(sizes)) for (sizes,) in cast(Iterator[tuple[bytes]], rows)]


def _numbers(varints: bytes) -> Iterator[int]:
    number = 0
    for byte in varints:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            yield number
            number = 0


def _behind(prefix: str) -> str:
    """The first word that does not begin so any more."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _quoted(phrase: Sequence[str]) -> str:
    words = " ".join(phrase)
    return f'"{words[:-1]}" *' if words.endswith("*") else f'"{words}"'
