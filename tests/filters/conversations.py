"""Conversations for the tests of filters: turns with few words, and where their reader stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from windowpane.filters import (
    ColourFlag,
    Folded,
    History,
    Selection,
    Topic,
    TopicTree,
    TurnFacts,
    Viewpoint,
    evaluate,
    fold,
    no_boundary,
    parse,
)

NOW = datetime(2026, 3, 20, 11, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
AI = Topic(id="ai", name="AI", parent_id="root")
TRANSFORMERS = Topic(id="transformers", name="Transformers", parent_id="ai")
GPT = Topic(id="gpt", name="GPT", parent_id="transformers")
COOKING = Topic(id="cooking", name="Cooking", parent_id="root")
TOPICS = TopicTree.of([AI, TRANSFORMERS, GPT, COOKING])


def turn(
    id: str,
    *,
    days_old: float = 0,
    star: int = 0,
    flag: ColourFlag = "blue",
    model: str = "gpt-5",
    topic_id: str | None = "ai",
    marks: Collection[str] = (),
) -> TurnFacts:
    return TurnFacts(
        id=id,
        created_at=NOW - timedelta(days=days_old),
        star=star,
        flag=flag,
        model=model,
        topic_id=topic_id,
        is_error="error" in marks,
        has_image="image" in marks,
        is_pinned="pinned" in marks,
        is_skipped="skipped" in marks,
        has_tool_calls="tool_calls" in marks,
        is_summarised="summarised" in marks,
    )


def viewpoint(
    *,
    topics: TopicTree = TOPICS,
    current_topic_id: str | None = "ai",
    current_model: str | None = "gpt-5",
) -> Viewpoint:
    return Viewpoint(
        now=NOW,
        zone=BERLIN,
        topics=topics,
        current_topic_id=current_topic_id,
        current_model=current_model,
    )


def texts_from(texts: dict[str, str]) -> Callable[[Sequence[str]], Iterable[Folded]]:
    return lambda turn_ids: (fold(texts[turn_id]) for turn_id in turn_ids)


def selection(
    query: str,
    turns: Sequence[TurnFacts],
    *,
    seen_from: Viewpoint | None = None,
    texts: dict[str, str] | None = None,
    in_context: Callable[[Sequence[str]], Collection[str]] = no_boundary,
) -> Selection:
    return evaluate(
        parse(query),
        history=History.of(turns),
        viewpoint=seen_from or viewpoint(),
        texts=texts_from(texts or {}),
        in_context=in_context,
    )


def chosen(
    query: str,
    turns: Sequence[TurnFacts],
    *,
    seen_from: Viewpoint | None = None,
    texts: dict[str, str] | None = None,
    in_context: Callable[[Sequence[str]], Collection[str]] = no_boundary,
) -> str:
    """The ids that the filter chooses, written together: ``"abd"``."""
    found = selection(query, turns, seen_from=seen_from, texts=texts, in_context=in_context)
    return "".join(found.turn_ids)
