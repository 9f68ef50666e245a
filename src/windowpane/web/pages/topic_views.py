"""The topic tree as the page shows it: in order, each topic below its own, with what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from windowpane.agent.topics import topic_tree
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
        for level, topic in _walk(topics)
    ]


def places_for(topic: ProjectTopic | None, topics: Sequence[ProjectTopic]) -> list[TopicPlace]:
    """Where a topic may go: anywhere but below itself."""
    own = {topic.id} | _below(topic, topics) if topic else set[str]()
    tree = topic_tree(topics)
    return [
        TopicPlace(id=other.id, path=tree.path_text(other.id))
        for _, other in _walk(topics)
        if other.id not in own
    ]


def _walk(topics: Sequence[ProjectTopic]) -> Iterator[tuple[int, ProjectTopic]]:
    by_name = sorted(topics, key=lambda one: one.name.casefold())
    known = {topic.id for topic in topics}
    tops = [topic for topic in by_name if topic.parent_id not in known]
    seen: set[str] = set()
    # Topics in a circle lie below no top; they are shown all the same, to be moved out of it.
    for topic in (*tops, *by_name):
        yield from _from(topic, by_name, level=1, seen=seen)


def _from(
    topic: ProjectTopic, topics: Sequence[ProjectTopic], *, level: int, seen: set[str]
) -> Iterator[tuple[int, ProjectTopic]]:
    """A topic and all below it; ``seen`` keeps those that were shown from coming again."""
    if topic.id in seen:
        return
    seen.add(topic.id)
    yield level, topic
    for other in topics:
        if other.parent_id == topic.id:
            yield from _from(other, topics, level=level + 1, seen=seen)


def _below(topic: ProjectTopic, topics: Sequence[ProjectTopic]) -> set[str]:
    return {other.id for _, other in _from(topic, topics, level=0, seen=set())} - {topic.id}


def _facts(
    topic: ProjectTopic, topics: Sequence[ProjectTopic], counts: Mapping[str, int]
) -> Iterator[str]:
    direct = counts.get(topic.id, 0)
    total = direct + sum(counts.get(id, 0) for id in _below(topic, topics))
    yield counted(direct, "turn") + (f", {total:,} with those below" if total > direct else "")
    if topic.system_message.strip():
        yield "a message of its own"
    for name in chosen_names(topic.choices):
        yield f"{SPECS[name].label.lower()}: {value_words(name, getattr(topic.choices, name))}"
