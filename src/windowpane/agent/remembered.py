"""A chat's whole past for tools: every turn it holds, on its path or left, found by words.

Ranks by how rare the words are that a turn has and how often it has them (BM25). The chat is read a
few turns at a time, so that answers which are being streamed meanwhile need not wait.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from math import log

from msgspec import Struct

from windowpane.messages import Message, Role
from windowpane.parts import Text, ToolCall, ToolResult
from windowpane.storage.history import contents_of
from windowpane.storage.shelves import OUTPUTS, TURNS, left_of
from windowpane.storage.vault import Stored, Vault
from windowpane.tools.history import Excerpt, Hit, Hits
from windowpane.turns import Turn, TurnContent

CHUNK_TURNS = 50
EXCERPT_CHARACTERS = 240
# How much a further occurrence of a word adds, and how much a long turn is discounted.
SATURATION, LENGTH_WEIGHT = 1.2, 0.75
MOST_TERMS = 32

_TERM = re.compile(r'"([^"]+)"|(\w+)')
# Writing without spaces between words begins about here.
_WITHOUT_SPACES = "\u2e80"


class _Weighed(Struct, frozen=True):
    """A turn with how often it has each term, and its length."""

    stored: Stored[Turn]
    counts: tuple[int, ...]
    characters: int


class ChatHistory:
    """What one turn's tools see of its chat; the turn itself is left out."""

    def __init__(self, vault: Vault, *, chat_id: str, asking_turn_id: str) -> None:
        self._vault = vault
        self._chat_id = chat_id
        self._asking_turn_id = asking_turn_id

    async def search(self, query: str, *, limit: int) -> Hits:
        terms = _terms(query)
        weighed: list[_Weighed] = []
        async for stored, content in self._contents():
            text = "\n".join(text for _, text in _said(content))
            counts = tuple(len(term.findall(text)) for term in terms)
            weighed.append(_Weighed(stored, counts, len(text)))
        found = _ranked(weighed)
        best = await contents_of(self._vault, [one.stored.value for one in found[:limit]])
        hits = [
            self._hit(one.stored, content, terms)
            for one, content in zip(found[:limit], best.turns, strict=True)
        ]
        return Hits(best=tuple(hits), has_more=len(found) > limit)

    async def read(self, handle: str) -> str | None:
        output = await self._vault.find(OUTPUTS, handle)
        turn_id = output.value.turn_id if output else handle
        turn = await self._vault.find(TURNS, turn_id)
        if turn is None or turn.parent_id not in (self._chat_id, left_of(self._chat_id)):
            return None
        if output is not None:
            return output.value.text
        return transcript((await contents_of(self._vault, [turn.value])).turns[0])

    async def _contents(self) -> AsyncGenerator[tuple[Stored[Turn], TurnContent], None]:
        parents = [self._chat_id, left_of(self._chat_id)]
        turns = (await self._vault.all_children(TURNS, parents)).items
        others = [stored for stored in turns if stored.id != self._asking_turn_id]
        for begin in range(0, len(others), CHUNK_TURNS):
            chunk = others[begin : begin + CHUNK_TURNS]
            contents = await contents_of(self._vault, [stored.value for stored in chunk])
            for stored, content in zip(chunk, contents.turns, strict=True):
                yield stored, content
            await asyncio.sleep(0)

    def _hit(
        self, stored: Stored[Turn], content: TurnContent, terms: Sequence[re.Pattern[str]]
    ) -> Hit:
        return Hit(
            handle=stored.id,
            number=stored.value.depth + 1,
            at=stored.value.created_at,
            is_left=stored.parent_id != self._chat_id,
            excerpts=tuple(_excerpts(content, terms)),
        )


def transcript(content: TurnContent) -> str:
    """A turn as a model reads it again: who said what, which tool was called and what it gave."""
    return "\n\n".join(f"{role}:\n{text}" for role, text in _said(content))


def _said(content: TurnContent) -> list[tuple[Role, str]]:
    return [
        (message.role, text)
        for message in content.messages
        if (text := "\n".join(_part_texts(message)).strip())
    ]


def _part_texts(message: Message) -> list[str]:
    """Thoughts are left out: they were not said."""
    texts: list[str] = []
    for part in message.parts:
        match part:
            case Text():
                texts.append(part.text)
            case ToolCall():
                texts.append(f"[called {part.name}: {part.arguments or '{}'}]")
            case ToolResult():
                whole = f" (the whole has the handle {part.output_id})" if part.output_id else ""
                texts.append(f"[{part.name}{whole}: {part.text}]")
            case _:
                pass
    return texts


def _terms(query: str) -> list[re.Pattern[str]]:
    found = [phrase or word for phrase, word in _TERM.findall(query)][:MOST_TERMS]
    return [_pattern(term) for term in dict.fromkeys(term.casefold() for term in found)]


def _pattern(term: str) -> re.Pattern[str]:
    """The term where a word begins with it; anywhere, where words do not stand apart."""
    stands_apart = term[0] < _WITHOUT_SPACES and re.match(r"\w", term)
    words = r"\s+".join(map(re.escape, term.split()))
    return re.compile(rf"\b{words}" if stands_apart else words, re.IGNORECASE)


def _ranked(weighed: Sequence[_Weighed]) -> list[_Weighed]:
    """Those that have any of the terms, the most fitting first, the newer before the older."""
    matching = [one for one in weighed if any(one.counts)]
    if not matching:
        return []
    total = len(weighed)
    average = sum(one.characters for one in weighed) / total or 1
    holders = [sum(1 for one in matching if one.counts[n]) for n in range(len(matching[0].counts))]
    rarity = [log(1 + (total - count + 0.5) / (count + 0.5)) for count in holders]

    def score(one: _Weighed) -> float:
        discount = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * one.characters / average
        return sum(
            rare * count * (SATURATION + 1) / (count + SATURATION * discount)
            for rare, count in zip(rarity, one.counts, strict=True)
        )

    return sorted(matching, key=lambda one: (-score(one), -one.stored.value.depth))


def _excerpts(content: TurnContent, terms: Sequence[re.Pattern[str]]) -> list[Excerpt]:
    """What was asked, and the places around the words that were looked for."""
    excerpts: list[Excerpt] = []
    for role, text in _said(content):
        place = min((found.start() for term in terms if (found := term.search(text))), default=None)
        if place is not None or role == "user":
            excerpts.append(Excerpt(role=role, text=_around(text, place or 0)))
    return excerpts


def _around(text: str, place: int) -> str:
    begin = max(0, place - EXCERPT_CHARACTERS // 2)
    end = begin + EXCERPT_CHARACTERS
    words = " ".join(text[begin:end].split())
    return f"{'…' if begin else ''}{words}{'…' if end < len(text) else ''}"
