"""Search over history: how well it ranks, how fast it answers, how much room its index takes.

Ranking: 500 planted questions over generated conversations, each searched in its own chat, beside a
reference BM25 (k1 1.2, b 0.75) over the same tokens in the same run; then with one choice after the
other taken away. Speed: 100,000 turns in a SQLite file, sealed. Seconds and milliseconds are CPU
time: other work on the machine does not count. Prints one JSON line.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

import msgspec
from msgspec import Struct

from bench.dialogues import Dialogue, Line, planted
from windowpane.agent.search import Search, SearchScope
from windowpane.ids import new_id
from windowpane.messages import Message, Role
from windowpane.parts import Text
from windowpane.projects import Chat, Project
from windowpane.search import rank, wish
from windowpane.search.tokens import stems, tokens
from windowpane.storage.base import Change
from windowpane.storage.choose import store_from
from windowpane.storage.history import put_chat, put_message, put_new_turn, put_project
from windowpane.storage.memory import MemoryStore
from windowpane.storage.sealing import new_vault_key
from windowpane.storage.vault import Vault
from windowpane.turns import Turn

SEED = 20_261_118
DIALOGUES = 10
QUESTIONS = 500
DEPTHS = (5, 10, 20)
K1, B = 1.2, 0.75
TURNS = 100_000
CHATS = 100
ROUNDS = 7
BEGAN_AT = datetime(2023, 1, 9, 18, tzinfo=UTC)

# One choice after the other taken away: what is patched, and with what.
CHOICES: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "neighbours": lambda: patch.multiple(rank, AFTER=(), BEFORE=()),
    "days": lambda: patch.dict(rank.COLUMN_WEIGHTS, days=1e-9),
    "forms": lambda: patch.object(wish, "_forms_by_stem", dict[str, tuple[str, ...]]),
    "stop_words": lambda: patch.object(wish, "STOP_WORDS", frozenset[str]()),
}

# What was asked and what was answered, and when.
Said = tuple[str, str, datetime]
Ranking = Callable[[int, str], list[int]]


class Reference:
    """BM25 as the textbooks have it, over the words of one conversation."""

    def __init__(self, texts: Sequence[str], *, is_stemmed: bool) -> None:
        self._is_stemmed = is_stemmed
        self._counts = [Counter(self._words(text)) for text in texts]
        self._lengths = [counts.total() for counts in self._counts]
        self._average = sum(self._lengths) / len(texts)
        self._frequency = Counter(word for counts in self._counts for word in counts)

    def best(self, question: str) -> list[int]:
        asked = self._words(question)
        scores = [self._score(number, asked) for number in range(len(self._counts))]
        found = [number for number, score in enumerate(scores) if score > 0]
        return sorted(found, key=lambda number: -scores[number])[: DEPTHS[-1]]

    def _score(self, number: int, asked: Sequence[str]) -> float:
        counts, length = self._counts[number], self._lengths[number] / self._average
        return sum(
            self._rarity(word)
            * counts[word]
            * (K1 + 1)
            / (counts[word] + K1 * (1 - B + B * length))
            for word in asked
            if counts[word]
        )

    def _rarity(self, word: str) -> float:
        found = self._frequency[word]
        return log(1 + (len(self._counts) - found + 0.5) / (found + 0.5))

    def _words(self, text: str) -> list[str]:
        found = tokens(text)
        return stems(found) if self._is_stemmed else found


def told(line: Line) -> str:
    return f"{line.speaker}: {line.text}"


def recall(dialogues: Sequence[Dialogue], ranking: Ranking) -> dict[str, float]:
    """How much of the evidence is among the best, on average over all questions."""
    sums = dict.fromkeys(map(str, DEPTHS), 0.0)
    for number, dialogue in enumerate(dialogues):
        for question in dialogue.questions:
            best = ranking(number, question.text)
            for depth in DEPTHS:
                hits = set(best[:depth]) & set(question.evidence)
                sums[str(depth)] += len(hits) / len(question.evidence)
    count = sum(len(dialogue.questions) for dialogue in dialogues)
    return {depth: round(total / count, 3) for depth, total in sums.items()}


class Written(Struct, frozen=True, kw_only=True):
    """A chat in a vault, and the ids of its turns in order."""

    chat_id: str
    turn_ids: list[str]


async def write_chat(vault: Vault, project_id: str, said: Sequence[Said]) -> Written:
    chat_id, ids, changes = new_id("chat"), list[str](), list[Change]()
    for depth, (asked, answered, at) in enumerate(said):
        turn = Turn(
            id=new_id("turn"),
            chat_id=chat_id,
            parent_id=ids[-1] if ids else None,
            depth=depth,
            model="a/model",
            state="complete",
            created_at=at,
        )
        ids.append(turn.id)
        changes.append(put_new_turn(vault, turn))
        roles: tuple[tuple[Role, str], ...] = (("user", asked), ("assistant", answered))
        for position, (role, text) in enumerate(roles):
            message = Message(
                id=new_id("record"), role=role, parts=(Text(text=text),), created_at=at
            )
            changes.append(put_message(vault, message, turn_id=turn.id, position=position))
    chat = Chat(
        id=chat_id,
        project_id=project_id,
        title="A talk",
        created_at=said[0][2],
        active_at=said[-1][2],
        head_id=ids[-1],
        turn_count=len(ids),
    )
    await vault.commit([*changes, put_chat(vault, chat, expected_version=0)])
    return Written(chat_id=chat_id, turn_ids=ids)


async def new_project(vault: Vault) -> str:
    project = Project(id=new_id("project"), name="Bench", created_at=BEGAN_AT)
    await vault.commit([put_project(vault, project, expected_version=0)])
    return project.id


async def catch_up(search: Search) -> None:
    while (await search.catch_up(SearchScope())).waiting_turns:
        pass


async def our_rankings(dialogues: Sequence[Dialogue]) -> dict[str, dict[str, float]]:
    """Through the product's own road: stored, indexed, searched in one chat."""
    vault = Vault(MemoryStore(), key=new_vault_key())
    project_id = await new_project(vault)
    chats = [
        await write_chat(vault, project_id, [(told(line), "", line.at) for line in dialogue.lines])
        for dialogue in dialogues
    ]
    search = Search(vault)
    await catch_up(search)

    async def recalled() -> dict[str, float]:
        answers = {
            (number, question.text): await best(number, question.text)
            for number, dialogue in enumerate(dialogues)
            for question in dialogue.questions
        }
        return recall(dialogues, lambda number, text: answers[number, text])

    async def best(number: int, text: str) -> list[int]:
        chat = chats[number]
        found = await search.find(
            text,
            scope=SearchScope(chat_id=chat.chat_id),
            limit=DEPTHS[-1],
            at=dialogues[number].lines[-1].at,
        )
        return [chat.turn_ids.index(hit.turn_id) for hit in found.turns]

    rankings: dict[str, dict[str, float]] = {}
    for name, choice in {"ours": nullcontext, **CHOICES}.items():
        with choice():
            rankings[name] = await recalled()
    return rankings


def quality() -> dict[str, object]:
    dialogues = planted(SEED, count=DIALOGUES, questions=QUESTIONS)
    texts = [[told(line) for line in dialogue.lines] for dialogue in dialogues]
    references = {
        is_stemmed: [Reference(told_texts, is_stemmed=is_stemmed) for told_texts in texts]
        for is_stemmed in (False, True)
    }
    ours = asyncio.run(our_rankings(dialogues))
    return {
        "questions": QUESTIONS,
        "turns_of_talk": sum(map(len, texts)),
        "recall": ours.pop("ours"),
        "reference_bm25": recall(dialogues, lambda at, text: references[False][at].best(text)),
        "reference_bm25_stemmed": recall(
            dialogues, lambda at, text: references[True][at].best(text)
        ),
        "recall_10_without": {name: found["10"] for name, found in ours.items()},
    }


def prose(chance: random.Random) -> Iterator[str]:
    """Texts with few common and many rare words, as people's have them."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words = [
        "".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3, 3, 4))))
        for _ in range(40_000)
    ]
    weights = list(itertools.accumulate(1 / (place + 10) for place in range(len(words))))
    while True:
        yield " ".join(chance.choices(words, cum_weights=weights, k=chance.randrange(8, 180)))


class Speed(Struct, frozen=True, kw_only=True):
    text_mb: float
    index_seconds: float
    index_bytes: int
    cold_ms: float
    warm_ms: dict[str, float]


async def cpu_seconds(act: Callable[[], object]) -> float:
    start = process_time()
    result = act()
    if asyncio.iscoroutine(result):
        await result
    return process_time() - start


async def speed(folder: Path) -> Speed:
    chance = random.Random(SEED)
    texts = prose(chance)
    vault = Vault(store_from(str(folder / "bench.sqlite3")), key=new_vault_key())
    await vault.open()
    project_id, text_bytes, said = await new_project(vault), 0, list[Said]()
    for chat in range(CHATS):
        began_at = BEGAN_AT + timedelta(days=chat)
        said = [
            (next(texts)[:200], next(texts), began_at + timedelta(minutes=minute))
            for minute in range(TURNS // CHATS)
        ]
        text_bytes += sum(len(asked) + len(answered) for asked, answered, _ in said)
        await write_chat(vault, project_id, said)
    search = Search(vault)
    index_seconds = await cpu_seconds(lambda: catch_up(search))
    warm = {name: await warm_ms(search, query) for name, query in queries(said[0][1]).items()}
    cold = Search(vault)
    cold_ms = 1000 * await cpu_seconds(lambda: looked_for(cold, "retry limit"))
    rows = await vault.store.children(
        "segments",
        [project_id],
        from_position=None,
        to_position=None,
        newest_first=False,
        limit=None,
    )
    await vault.close()
    return Speed(
        text_mb=round(text_bytes / 1e6, 1),
        index_seconds=round(index_seconds, 1),
        index_bytes=sum(len(row.sealed) for row in rows),
        cold_ms=round(cold_ms, 1),
        warm_ms=warm,
    )


def queries(text: str) -> dict[str, str]:
    """From a text of the corpus: its rarest word, a common one, several, a phrase, a question."""
    words = sorted(set(text.split()), key=lambda word: (len(word), word))
    rare, common, some = words[-1], words[0], words[-6:]
    phrase = " ".join(text.split()[3:5])
    return {
        "rare_word": rare,
        "common_word": common,
        "six_words": " ".join(some),
        "phrase": f'"{phrase}"',
        "beginning": f"{rare[:4]}*",
        "question": f"When did {' '.join(some)}?",
    }


async def looked_for(search: Search, query: str) -> None:
    await search.find(query, scope=SearchScope(), limit=20, at=BEGAN_AT)


async def warm_ms(search: Search, query: str) -> float:
    await looked_for(search, query)
    rounds = [await cpu_seconds(lambda: looked_for(search, query)) for _ in range(ROUNDS)]
    return round(1000 * median(rounds), 1)


def main() -> None:
    ranked = quality()
    with TemporaryDirectory(prefix="windowpane-bench-") as folder:
        measured = asyncio.run(speed(Path(folder)))
    result = {
        "bench": "search",
        **ranked,
        "turns": TURNS,
        "text_mb": measured.text_mb,
        "index_seconds": measured.index_seconds,
        "index_mb_per_s": round(measured.text_mb / measured.index_seconds, 1),
        "index_to_text_bytes": round(measured.index_bytes / (measured.text_mb * 1e6), 2),
        "warm_ms": measured.warm_ms,
        "cold_ms": measured.cold_ms,
    }
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
