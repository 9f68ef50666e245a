"""What to look for in an index, made of what a person typed.

A wanted word stands for every word with its stem and for the forms that no stemmer knows. What says
nothing in a question is left out, unless nothing else was typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

from msgspec import Struct

from windowpane.search.dates import asked_marks
from windowpane.search.query import Term, parse_query
from windowpane.search.tokens import UNSPACED, asked_tokens, parts_of, stems, tokens
from windowpane.search.words import SAME_WORDS, STOP_WORDS, is_question, without_question

# Days are told beside the words, not instead of them.
DAY_WEIGHT = 0.7
# What was typed as one word and is several, such as a path: side by side they count once more.
COMPOUND_WEIGHT = 1.0


class Wanted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing to look for. Whatever of it stands in a turn counts as the same word."""

    stems: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    prefix: str = ""
    phrase: tuple[str, ...] = ()
    weight: float = 1.0


class Wish(Struct, frozen=True, kw_only=True):
    """Turns with any of ``wanted``, with every ``required`` and with no ``excluded`` phrase.

    The last word of an excluded phrase may be the beginning of one: then it ends in ``*``. Who asks
    a question also wants the turns beside those with its words; who types a word wants the word.
    """

    wanted: tuple[Wanted, ...]
    required: tuple[tuple[str, ...], ...]
    excluded: tuple[tuple[str, ...], ...]
    is_question: bool


def wish_of(text: str, *, at: datetime) -> Wish:
    query = parse_query(text)
    phrases = [asked_tokens(term.text) for term in query.wanted if term.kind == "phrase"]
    required = tuple(tuple(words) for words in phrases if words)
    typed = [term.text for term in query.wanted if term.kind == "word"]
    beginnings = [asked_tokens(term.text) for term in query.wanted if term.kind == "prefix"]
    wanted = [
        *_grouped(_telling(typed, beside=[*phrases, *(words[:-1] for words in beginnings)])),
        *(Wanted(prefix=words[-1]) for words in beginnings if words),
        *_compounds(typed),
        *(Wanted(words=marks, weight=DAY_WEIGHT) for marks in asked_marks(" ".join(typed), at=at)),
    ]
    return Wish(
        wanted=tuple(dict.fromkeys(wanted)),
        required=required,
        excluded=tuple(_excluded(query.excluded)),
        is_question=is_question(" ".join(typed)),
    )


def _telling(typed: Sequence[str], *, beside: Iterable[Sequence[str]]) -> list[str]:
    """The words that tell what is looked for; all words, where none does."""
    spoken = without_question(" ".join(typed))
    words = [*asked_tokens(spoken), *tokens(parts_of(spoken))]
    words += [word for others in beside for word in others]
    return [word for word in words if word not in STOP_WORDS] or words


def _grouped(words: Sequence[str]) -> Iterable[Wanted]:
    """Words that are forms of each other are one; a lone sign is the beginning of its pairs."""
    alone = [word for word in words if len(word) == 1 and UNSPACED.match(word)]
    forms = _forms_by_stem()
    found = (forms.get(stem, (stem,)) for stem in stems([w for w in words if w not in alone]))
    yield from (Wanted(stems=group) for group in dict.fromkeys(found))
    yield from (Wanted(prefix=sign) for sign in dict.fromkeys(alone))


def _compounds(typed: Iterable[str]) -> Iterable[Wanted]:
    for text in typed:
        words = asked_tokens(text)
        if len([word for word in words if word not in STOP_WORDS]) > 1:
            yield Wanted(phrase=tuple(words), weight=COMPOUND_WEIGHT)


def _excluded(terms: Iterable[Term]) -> Iterable[tuple[str, ...]]:
    for term in terms:
        words = asked_tokens(term.text)
        if words and term.kind == "prefix":
            words[-1] += "*"
        if words:
            yield tuple(words)


@cache
def _forms_by_stem() -> dict[str, tuple[str, ...]]:
    groups = [tuple(dict.fromkeys(stems(forms))) for forms in SAME_WORDS]
    return {stem: group for group in groups for stem in group}
