"""The topic tree as the page shows it: in order, each topic below its own, with what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from windowpane.choices import chosen_names
from windowpane.topics import ProjectTopic
from windowpane.web.pages.setting_views import SPECS, value_words
from windowpane.web.words import counted


class TopicRow(Struct, frozen=True, kw_only=True):
    """``facts`` tell what it holds and what it chooses; ``level`` is 1 at the top."""

    id: str
    name: str
    level: int
    facts: tuple[str, ...]


class TopicPlace(Struct, frozen=True, kw_only=True):
    """Somewhere that a topic can lie below."""

    id: str
    path: str


def topic_rows(topics: Sequence[ProjectTopic], counts: Mapping[str, int]) -> list[TopicRow]:
    """Depth first, neighbours by name."""
    return [
        TopicRow(
            id=topic.id, name=topic.name, level=level, facts=tuple(_facts(topic, topics, counts))
        )
        for level, topic in _walk(topics, parent_id=None, level=1)
    ]


def places_for(topic: ProjectTopic | None, topics: Sequence[ProjectTopic]) -> list[TopicPlace]:
    """Where a topic may go: anywhere but below itself."""
    own = {topic.id, *_below(topic.id, topics)} if topic else set[str]()
    return [
        TopicPlace(id=other.id, path=path_of(other, topics))
        for _, other in _walk(topics, parent_id=None, level=1)
        if other.id not in own
    ]


def path_of(topic: ProjectTopic, topics: Sequence[ProjectTopic]) -> str:
    by_id = {other.id: other for other in topics}
    names = [topic.name]
    while topic.parent_id in by_id:
        topic = by_id[topic.parent_id]
        names.insert(0, topic.name)
    return " > ".join(names)


def _walk(
    topics: Sequence[ProjectTopic], *, parent_id: str | None, level: int
) -> Iterator[tuple[int, ProjectTopic]]:
    here = [topic for topic in topics if topic.parent_id == parent_id]
    for topic in sorted(here, key=lambda one: one.name.casefold()):
        yield level, topic
        yield from _walk(topics, parent_id=topic.id, level=level + 1)


def _below(topic_id: str, topics: Sequence[ProjectTopic]) -> list[str]:
    return [topic.id for _, topic in _walk(topics, parent_id=topic_id, level=1)]


def _facts(
    topic: ProjectTopic, topics: Sequence[ProjectTopic], counts: Mapping[str, int]
) -> Iterator[str]:
    direct = counts.get(topic.id, 0)
    total = direct + sum(counts.get(id, 0) for id in _below(topic.id, topics))
    yield counted(direct, "turn") + (f", {total:,} with those below" if total > direct else "")
    if topic.system_message.strip():
        yield "a message of its own"
    for name in chosen_names(topic.choices):
        yield f"{SPECS[name].label.lower()}: {value_words(name, getattr(topic.choices, name))}"
