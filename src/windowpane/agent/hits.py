"""What is shown of the turns and chats that a search found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from windowpane.agent.reading import ReadTurn
from windowpane.projects import Chat
from windowpane.search import (
    ROLES,
    ChatHit,
    Excerpt,
    HitWords,
    Mark,
    Scored,
    TurnHit,
    Wish,
    excerpt,
    merged,
    texts_of,
)
from windowpane.search.tokens import tokens
from windowpane.storage.shelves import left_of

Marked = Sequence[tuple[Mark, frozenset[int]]]


def turn_hit(read: ReadTurn, *, scored: Scored, chat: Chat, words: HitWords) -> TurnHit:
    turn = read.content.turn
    texts = texts_of(read.content)
    marked = {role: words.marks(texts.of(role)) for role in ROLES}
    # Of the same number of different words, what was asked tells most and a tool's result least.
    role = max(ROLES, key=lambda role: (_kinds(marked[role]), bool(texts.of(role))))
    return TurnHit(
        turn_id=turn.id,
        chat_id=chat.id,
        project_id=chat.project_id,
        chat_title=chat.title,
        depth=turn.depth,
        role=role,
        at=turn.created_at,
        excerpt=excerpt(texts.of(role), hits=marked[role]),
        score=scored.score,
        is_left=read.parent_id == left_of(chat.id),
        is_beside=scored.is_beside,
    )


def chat_hits(chats: Iterable[Chat], *, wish: Wish, words: HitWords, limit: int) -> list[ChatHit]:
    """Chats by their titles: the more and the rarer the words, the better."""
    marked = [(chat, words.marks(chat.title)) for chat in chats]
    fitting = [(chat, hits) for chat, hits in marked if hits and _fits(chat.title, wish)]
    counts = [0] * len(wish.wanted)
    for _, hits in fitting:
        for kind in frozenset[int]().union(*(kinds for _, kinds in hits)):
            counts[kind] += 1
    found = [_chat_hit(chat, hits, counts=counts, all=len(marked)) for chat, hits in fitting]
    found.sort(key=lambda hit: (-hit.score, hit.chat_id))
    return found[:limit]


def _chat_hit(chat: Chat, hits: Marked, *, counts: Sequence[int], all: int) -> ChatHit:
    kinds = frozenset[int]().union(*(kinds for _, kinds in hits))
    return ChatHit(
        chat_id=chat.id,
        project_id=chat.project_id,
        title=Excerpt(text=chat.title, marks=tuple(merged(mark for mark, _ in hits))),
        score=round(sum(log(1 + all / counts[kind]) for kind in sorted(kinds)), 9),
    )


def _fits(title: str, wish: Wish) -> bool:
    if not wish.required and not wish.excluded:
        return True
    words = tokens(title)
    has_all = all(_stands_in(words, phrase) for phrase in wish.required)
    return has_all and not any(_stands_in(words, phrase) for phrase in wish.excluded)


def _stands_in(words: Sequence[str], phrase: Sequence[str]) -> bool:
    *whole, last = phrase
    beginning = last.removesuffix("*")
    return any(
        list(words[at : at + len(whole)]) == whole
        and (
            words[at + len(whole)].startswith(beginning)
            if last != beginning
            else words[at + len(whole)] == last
        )
        for at in range(len(words) - len(whole))
    )


def _kinds(hits: Marked) -> int:
    return len(frozenset[int]().union(*(kinds for _, kinds in hits)))
