"""The words of a text that were looked for, and a piece of the text that shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, normalize

from windowpane.search.found import Excerpt, Mark
from windowpane.search.tokens import CASE_CHANGE, UNSPACED, stems
from windowpane.search.wish import Wanted, Wish

EXCERPT_CHARACTERS = 180
# So much of it stands before the first hit, so that the hit can be understood.
LEAD_CHARACTERS = 40
WORD = re.compile(r"[^\W_]+")
SIGNS = re.compile(r"\s+|\*\*|`+|^#+ |(?<=\n)#+ ")
ELLIPSIS = "…"


class HitWords:
    """Which words of a text are hits. Remembers what it was asked: texts repeat their words."""

    def __init__(self, wish: Wish) -> None:
        self._wanted = wish.wanted
        self._known: dict[str, frozenset[int]] = {}
        # A stem begins as its word does: most words need not be stemmed to be no hit.
        self._beginnings = tuple(
            {
                sought[:2]
                for wanted in wish.wanted
                for sought in (*wanted.stems, *wanted.phrase, wanted.prefix)
                if sought
            }
        )

    def marks(self, text: str) -> list[tuple[Mark, frozenset[int]]]:
        """Every hit in a text in order, and the numbers of the wanted things that it is."""
        words = [(found.start(), found[0]) for found in WORD.finditer(text)]
        self._learn({word for _, word in words})
        hits = [
            (Mark(start, start + len(word)), self._known[word])
            for start, word in words
            if self._known[word]
        ]
        hits += self._unspaced(text)
        return sorted(hits, key=lambda hit: (hit[0].start, hit[0].end))

    def _learn(self, words: set[str]) -> None:
        """Stemming many words at once is cheaper than one by one."""
        cut = {word: self._cut(word) for word in words if word not in self._known}
        every = sorted({piece for pieces in cut.values() for piece in pieces})
        stem_of = dict(zip(every, stems(every), strict=True))
        for word, pieces in cut.items():
            self._known[word] = frozenset(
                number
                for number, wanted in enumerate(self._wanted)
                if any(_is_hit(piece, stem_of[piece], wanted) for piece in pieces)
            )

    def _cut(self, word: str) -> list[str]:
        """The word and its parts as the index knows them, as far as they might be hits."""
        parts = CASE_CHANGE.split(word)
        pieces = [_folded(piece) for piece in (word, *(parts if len(parts) > 1 else ()))]
        return [piece for piece in pieces if piece.startswith(self._beginnings)]

    def _unspaced(self, text: str) -> Iterator[tuple[Mark, frozenset[int]]]:
        for number, wanted in enumerate(self._wanted):
            for sign in (*wanted.stems, wanted.prefix):
                if sign and UNSPACED.fullmatch(sign):
                    for at in re.finditer(re.escape(sign), text):
                        yield Mark(at.start(), at.end()), frozenset({number})


def _folded(word: str) -> str:
    """Without case and accents, as the tokenizer leaves it."""
    if word.isascii():
        return word.lower()
    return "".join(sign for sign in normalize("NFKD", word.lower()) if not combining(sign))


def _is_hit(piece: str, stem: str, wanted: Wanted) -> bool:
    if wanted.prefix:
        return piece.startswith(wanted.prefix)
    return stem in wanted.stems or piece in wanted.phrase


def excerpt(text: str, *, hits: Sequence[tuple[Mark, frozenset[int]]]) -> Excerpt:
    """The piece of a text with the most of what was wanted; its beginning, if nothing is there."""
    start = _start(hits)
    start = _word_start(text, start) if start else 0
    end = _word_end(text, start + EXCERPT_CHARACTERS)
    lead, tail = ELLIPSIS if start else "", ELLIPSIS if end < len(text) else ""

    def shown_at(place: int) -> int:
        return len(lead) + len(_one_line(text[start:place]))

    marks = (mark for mark, _ in hits if mark.start >= start and mark.end <= end)
    return Excerpt(
        text=f"{lead}{_one_line(text[start:end])}{tail}",
        marks=tuple(Mark(shown_at(mark.start), shown_at(mark.end)) for mark in merged(marks)),
    )


def _one_line(text: str) -> str:
    """Without line ends and without signs of Markdown, which only disturb where none is drawn."""
    return SIGNS.sub(lambda sign: " " if sign[0].isspace() else "", text)


def merged(marks: Iterable[Mark]) -> Iterator[Mark]:
    """Marks in order, those that touch as one."""
    last: Mark | None = None
    for mark in marks:
        if last is not None and mark.start <= last.end:
            last = Mark(last.start, max(last.end, mark.end))
            continue
        if last is not None:
            yield last
        last = mark
    if last is not None:
        yield last


def _start(hits: Sequence[tuple[Mark, frozenset[int]]]) -> int:
    """Where a piece begins that holds as many different hits as any, the first such."""
    best, most = 0, (0, 0)
    for number, (mark, _) in enumerate(hits):
        end = mark.start - LEAD_CHARACTERS + EXCERPT_CHARACTERS
        within = [kinds for other, kinds in hits[number : number + 60] if other.end <= end]
        score = (len(frozenset[int]().union(*within)), len(within))
        if score > most:
            best, most = mark.start, score
    return max(0, best - LEAD_CHARACTERS)


def _word_start(text: str, at: int) -> int:
    """The beginning of the next word, if there is one near."""
    space = text.find(" ", at, at + LEAD_CHARACTERS // 2)
    return space + 1 if space >= 0 else at


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    space = text.rfind(" ", at - LEAD_CHARACTERS // 2, at)
    return space if space >= 0 else at
