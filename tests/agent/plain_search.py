"""Search the slow and plain way: every text of every turn, read and counted each time anew.

Knows nothing of segments, notes or catching up. What the formula is made of is the product's own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from math import log

from msgspec import Struct

from tests.agent.searching import NOW
from windowpane.agent.search import SearchScope
from windowpane.search import fields_of
from windowpane.search.rank import AFTER, BEFORE, COLUMN_WEIGHTS, COMMON_SHARE, K1, B
from windowpane.search.segment import COLUMNS, TEXT_COLUMNS
from windowpane.search.tokens import TOKENIZER, stems
from windowpane.search.wish import Wanted, wish_of
from windowpane.storage.history import contents_of
from windowpane.storage.shelves import CHATS, PROJECTS, TOP, TURNS, left_of
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

Words = dict[str, list[str]]


class Page(Struct, frozen=True, kw_only=True):
    turn: Turn
    words: Words
    stems: Words


async def plain_search(vault: Vault, text: str, scope: SearchScope) -> list[tuple[str, float]]:
    """Turn ids and scores, best first."""
    pages = await pages_in(vault, scope)
    wish = wish_of(text, at=NOW)
    by_id = {page.turn.id: page for page in pages}
    count = len(pages)
    average = {
        name: sum(len(page.words[name]) for page in pages) / max(1, count) for name in COLUMNS
    }
    scores: dict[str, float] = {}
    with_words: set[str] = set()
    for wanted in wish.wanted:
        own = {id: frequency(page, wanted, average) for id, page in by_id.items()}
        own = {id: value for id, value in own.items() if value}
        with_words |= set(own)
        rarity = log(1 + (count - len(own) + 0.5) / (len(own) + 0.5))
        for id in by_id:
            value = own.get(id, 0.0)
            if wish.is_question and len(own) <= max(1, COMMON_SHARE * count):
                value += sum(share * own.get(near, 0.0) for near, share in neighbours(id, by_id))
            if value:
                gain = wanted.weight * (K1 + 1) * rarity * value / (value + K1)
                scores[id] = scores.get(id, 0.0) + gain
    fitting = [
        id
        for id in scores
        if all(has_phrase(by_id[id].words, phrase) for phrase in wish.required)
        and not any(has_phrase(by_id[id].words, phrase) for phrase in wish.excluded)
    ]
    assert wish.is_question or set(scores) == with_words
    fitting.sort(key=lambda id: (-round(scores[id], 9), -by_id[id].turn.created_at.timestamp()))
    return [(id, float(f"{scores[id]:.4g}")) for id in fitting]


async def pages_in(vault: Vault, scope: SearchScope) -> list[Page]:
    turns: list[Turn] = []
    for project_id in await vault.child_ids(PROJECTS, TOP):
        for chat_id in await vault.child_ids(CHATS, project_id):
            if scope.chat_id in (None, chat_id) and scope.project_id in (None, project_id):
                turns += (await vault.all_children(TURNS, [chat_id, left_of(chat_id)])).values
    contents = (await contents_of(vault, turns)).turns
    cut: list[Words] = [
        {name: tokens(text) for name, text in zip(COLUMNS, fields_of(content), strict=True)}
        for content in contents
    ]
    return [
        Page(
            turn=content.turn,
            words=words,
            stems={name: stems(found) for name, found in words.items()},
        )
        for content, words in zip(contents, cut, strict=True)
    ]


def tokens(text: str) -> list[str]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
        connection.execute("INSERT INTO t VALUES (?)", [text])
        return [term for (term,) in connection.execute("SELECT term FROM v ORDER BY offset")]
    finally:
        connection.close()


def frequency(page: Page, wanted: Wanted, average: dict[str, float]) -> float:
    return sum(
        COLUMN_WEIGHTS[name]
        * times(page.words[name], page.stems[name], wanted, is_text=name in TEXT_COLUMNS)
        / (1 - B + B * len(page.words[name]) / average[name])
        for name in COLUMNS
        if page.words[name]
    )


def times(words: Sequence[str], stemmed: Sequence[str], wanted: Wanted, *, is_text: bool) -> int:
    if wanted.phrase:
        return int(is_text and stands_in(words, wanted.phrase))
    if wanted.prefix:
        return sum(word.startswith(wanted.prefix) for word in words)
    return sum(
        word in wanted.words or stem in wanted.stems
        for word, stem in zip(words, stemmed, strict=True)
    )


def has_phrase(words: Words, phrase: Sequence[str]) -> bool:
    return any(stands_in(words[name], phrase) for name in TEXT_COLUMNS)


def stands_in(words: Sequence[str], phrase: Sequence[str]) -> bool:
    def is_same(word: str, wanted: str) -> bool:
        return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted

    return any(
        all(map(is_same, words[at : at + len(phrase)], phrase))
        for at in range(len(words) - len(phrase) + 1)
    )


def neighbours(id: str, by_id: dict[str, Page]) -> list[tuple[str, float]]:
    """Turns whose words count for this one: those after it, and those before it."""
    found: list[tuple[str, float]] = []
    later = {id}
    for share in BEFORE:
        later = {other for other, page in by_id.items() if page.turn.parent_id in later}
        found += [(other, share) for other in later]
    earlier = by_id[id].turn.parent_id
    for share in AFTER:
        if earlier is None or earlier not in by_id:
            break
        found.append((earlier, share))
        earlier = by_id[earlier].turn.parent_id
    return found
