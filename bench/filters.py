"""Filters over 100,000 turns in memory against the shortest Python that does the same.

Metadata is compared with a list comprehension over the turns, content with an ``in`` scan over the
same texts by turn id and with a ``LIKE`` scan in SQLite. Sides take turns and the best round of
each counts; prints one JSON line. Reading and opening what is stored is measured elsewhere.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from time import process_time

import msgspec

from windowpane.filters import (
    Folded,
    History,
    TopicTree,
    TurnFacts,
    Viewpoint,
    evaluate,
    fold,
    no_boundary,
    parse,
)

TURNS = 100_000
ROUNDS = 9
NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
MODELS = ("gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "claude-haiku-4-5", "gemini-2.5-pro")
METADATA = "(s>=2 | p) & g & m'gpt*' & d<180d"
NEEDLE = "prediction boundary"
WORDS = (
    "Window pane model Context token budget the a of to and in is that it for was on are as with "
    "summary receipt turn filter branch topic “quoted” prediction – they be at one have this from"
).split()


def turn(number: int, chance: random.Random) -> TurnFacts:
    return TurnFacts(
        id=f"trn_{number:032d}",
        created_at=NOW - timedelta(minutes=5 * (TURNS - number)),
        star=chance.choices((0, 1, 2, 3), (70, 10, 10, 10))[0],
        flag="grey" if chance.random() < 0.3 else "blue",
        model=chance.choice(MODELS),
        topic_id=f"top_{chance.randrange(200)}",
        is_error=chance.random() < 0.02,
        has_image=chance.random() < 0.05,
        is_pinned=chance.random() < 0.01,
        is_skipped=chance.random() < 0.01,
        has_tool_calls=chance.random() < 0.3,
        is_summarised=number < TURNS // 2,
    )


def text(chance: random.Random) -> str:
    words = chance.choices(WORDS, k=100)
    return " ".join([*words, "Prediction BOUNDARY"] if chance.random() < 0.01 else words)


def plain_metadata(turns: Sequence[TurnFacts]) -> tuple[str, ...]:
    since = NOW - timedelta(days=180)
    return tuple(
        [
            turn.id
            for turn in turns
            if (turn.star >= 2 or turn.is_pinned)
            and turn.flag == "grey"
            and turn.model.casefold().startswith("gpt")
            and turn.created_at > since
        ]
    )


def best_ms(*sides: Callable[[], tuple[str, ...]]) -> list[float]:
    """The fastest round of each side; all must choose the same turns."""
    best = [float("inf")] * len(sides)
    for _ in range(ROUNDS):
        answers: set[tuple[str, ...]] = set()
        for number, side in enumerate(sides):
            start = process_time()
            answers.add(side())
            best[number] = min(best[number], (process_time() - start) * 1000)
        assert len(answers) == 1, "the sides disagree"
    return best


def main() -> None:
    chance = random.Random(20_261_118)
    turns = [turn(number, chance) for number in range(TURNS)]
    texts = {turn.id: text(chance) for turn in turns}
    folded: dict[str, Folded] = {id: fold(text) for id, text in texts.items()}
    database = sqlite3.connect(":memory:")
    database.execute("create table turns (id text, body text)")
    database.executemany("insert into turns values (?, ?)", texts.items())
    pages = [History.of(turns[start : start + 1000]) for start in range(0, TURNS, 1000)]
    history = History.joined(pages)

    def chosen(query: str) -> tuple[str, ...]:
        return evaluate(
            parse(query),
            history=history,
            viewpoint=Viewpoint(
                now=NOW,
                zone=UTC,
                topics=TopicTree.of([]),
                current_topic_id=None,
                current_model=None,
            ),
            texts=lambda turn_ids: map(folded.__getitem__, turn_ids),
            in_context=no_boundary,
        ).turn_ids

    def like() -> tuple[str, ...]:
        query = "select id from turns where body like ? order by rowid"
        return tuple([id for (id,) in database.execute(query, (f"%{NEEDLE}%",))])

    metadata_ms, plain_ms = best_ms(lambda: chosen(METADATA), lambda: plain_metadata(turns))
    content_ms, in_ms, like_ms = best_ms(
        lambda: chosen(f"c'{NEEDLE}'"),
        lambda: tuple([id for id in history.turn_ids if NEEDLE in folded[id]]),
        like,
    )
    both_ms, _ = best_ms(
        lambda: chosen(f"c'{NEEDLE}' & {METADATA}"),
        lambda: tuple([id for id in plain_metadata(turns) if NEEDLE in folded[id]]),
    )
    (columns_ms,) = best_ms(lambda: History.of(turns).turn_ids)
    (join_ms,) = best_ms(lambda: History.joined(pages).turn_ids)
    result = {
        "bench": "filters",
        "turns": TURNS,
        "text_mb": round(sum(len(text.encode()) for text in texts.values()) / 1e6, 1),
        "metadata_ms": round(metadata_ms, 1),
        "metadata_goal_ms": 80,
        "metadata_to_list_comprehension": round(metadata_ms / plain_ms, 2),
        "content_ms": round(content_ms, 1),
        "content_to_in_scan": round(content_ms / in_ms, 2),
        "content_to_like": round(content_ms / like_ms, 2),
        "content_to_like_goal": 1.5,
        "content_behind_metadata_ms": round(both_ms, 1),
        "columns_from_turns_ms": round(columns_ms, 1),
        "columns_from_pages_ms": round(join_ms, 1),
    }
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
