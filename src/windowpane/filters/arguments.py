"""The words behind a colon: ``:name one 'two words' --flag --key value --key=value``.

Knows how words, quotes and flags are written, and refuses those that a command does not take;
what they mean is decided in ``commands``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from windowpane.filters.errors import CommandError, Span
from windowpane.filters.globs import literal, units_of
from windowpane.filters.lex import QUOTED

_WORD = re.compile(rf"(?:{QUOTED}|\\.|[^\s'\"\\])*", re.DOTALL)
_CHUNK = re.compile(rf"(?P<quoted>{QUOTED})|\\.|[^'\"\\]+", re.DOTALL)
_FLAG = re.compile(r"(?P<name>-[^=]*)(?:=(?P<value>.*))?", re.DOTALL)

FlagKind = Literal["alone", "valued"]


class Word(Struct, frozen=True, kw_only=True):
    """``body`` is without the quotes, backslashes kept; ``text`` is what it stands for."""

    body: str
    is_quoted: bool
    span: Span

    @property
    def text(self) -> str:
        return literal(units_of(self.body))

    @property
    def is_flag(self) -> bool:
        return self.body.startswith("-") and not self.is_quoted


class Shape(Struct, frozen=True, kw_only=True):
    """What a command takes: at most so many words, and these flags."""

    usage: str
    most_words: int
    flags: dict[str, FlagKind]


class Call(Struct, frozen=True, kw_only=True):
    """A command's name where it stands in the line, with what it takes."""

    line: str
    name: Word
    shape: Shape

    def error(self, reason: str, *, at: Word) -> CommandError:
        advice = f"Write {self.shape.usage}."
        return CommandError(reason, text=self.line, span=at.span, advice=advice)


class Arguments(Struct, frozen=True, kw_only=True):
    """A flag that stands alone is its own value."""

    call: Call
    words: tuple[Word, ...]
    flags: dict[str, Word]

    @property
    def first(self) -> Word | None:
        return self.words[0] if self.words else None


def words_from(line: str, *, start: int) -> list[Word]:
    words: list[Word] = []
    while start < len(line):
        if line[start].isspace():
            start += 1
        else:
            words.append(_word(line, start))
            start = words[-1].span.end
    return words


def arguments_from(words: list[Word], *, call: Call) -> Arguments:
    """Flags apart from the other words; everything the shape does not allow is an error."""
    plain: list[Word] = []
    flags: dict[str, Word] = {}
    waiting = iter(words)
    for word in waiting:
        if word.is_flag:
            name, value = _flag(word, waiting, call=call)
            flags[name] = value
        else:
            plain.append(word)
    if extra := plain[call.shape.most_words :]:
        raise call.error(f"Unexpected argument {extra[0].text}", at=extra[0])
    return Arguments(call=call, words=tuple(plain), flags=flags)


def _flag(word: Word, waiting: Iterator[Word], *, call: Call) -> tuple[str, Word]:
    found = _FLAG.fullmatch(word.body)
    name = found["name"] if found else word.body
    kind = call.shape.flags.get(name)
    if not found or not kind:
        raise call.error(f"Unknown flag {name}", at=word)
    written = found["value"]
    if kind == "alone":
        if written is not None:
            raise call.error(f"{name} takes no value", at=word)
        return name, word
    value = (
        next(waiting, None)
        if written is None
        else Word(body=written, is_quoted=True, span=word.span)
    )
    if not value or value.is_flag or not value.text:
        raise call.error(f"{name} needs a value", at=word)
    return name, value


def _word(line: str, start: int) -> Word:
    found = _WORD.match(line, start)
    end = found.end() if found else start
    if end < len(line) and not line[end].isspace():
        raise _left_open(line, end)
    written = line[start:end]
    return Word(
        body="".join(_unquoted(chunk) for chunk in _CHUNK.finditer(written)),
        is_quoted=written[0] in "'\"",
        span=Span(start, end),
    )


def _unquoted(chunk: re.Match[str]) -> str:
    return chunk[0][1:-1] if chunk["quoted"] else chunk[0]


def _left_open(line: str, at: int) -> CommandError:
    """Only a quote or backslash that is never finished ends a word before white space."""
    span = Span(at, at + 1)
    if line[at] == "\\":
        return CommandError("Nothing follows \\", text=line, span=span, advice="Remove it.")
    return CommandError(
        "Unterminated quote", text=line, span=span, advice=f"Close it with {line[at]}."
    )
