"""The topic tree as a filter sees it, and the expressions that choose topics from it.

``AI`` is every topic of that name, ``AI > Transformers`` or ``/AI/Transformers`` the one at that
path from the top, ``...`` at the end adds everything below. Making, moving and naming topics
happens elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from windowpane.filters.errors import TopicAmbiguous, TopicNotFound
from windowpane.filters.globs import Glob, units_of

ANY_NAME = Glob(("", ""))
AND_BELOW = [".", ".", "."]


class TopicPattern(Struct, frozen=True, kw_only=True):
    """One segment is a name anywhere in the tree; several are a full path from the top."""

    segments: tuple[Glob, ...]
    with_descendants: bool

    @staticmethod
    def of(written: str) -> TopicPattern:
        units = _trimmed(units_of(written))
        with_descendants = units[-3:] == AND_BELOW
        units = units[:-3] if with_descendants else units
        separator = "/" if units[:1] == ["/"] else ">"
        segments = tuple(Glob.of(segment) for segment in _split(units, separator) if segment)
        return TopicPattern(segments=segments or (ANY_NAME,), with_descendants=with_descendants)

    @property
    def written(self) -> str:
        """The pattern as it is written between single quotes; ``of`` reads it back."""
        path = " > ".join(_written(segment) for segment in self.segments)
        return f"{path}..." if self.with_descendants else path


class Topic(Struct, frozen=True, kw_only=True):
    """A topic at the top has no parent, or one that is not in the tree (the hidden root)."""

    id: str
    name: str
    parent_id: str | None


class TopicTree(Struct, frozen=True):
    """Topics by id. Several projects' trees may lie side by side: a path matches in each."""

    topics: dict[str, Topic]

    @staticmethod
    def of(topics: Iterable[Topic]) -> TopicTree:
        return TopicTree({topic.id: topic for topic in topics})

    def path(self, topic_id: str) -> tuple[Topic, ...]:
        """From the top down to the topic itself; empty for a topic that is not here."""
        path: dict[str, Topic] = {}
        topic = self.topics.get(topic_id)
        # A circle of parents can only come from damaged data; it is cut where it closes.
        while topic and topic.id not in path:
            path[topic.id] = topic
            topic = self.topics.get(topic.parent_id) if topic.parent_id else None
        return tuple(reversed(path.values()))

    def path_text(self, topic_id: str) -> str:
        return " > ".join(topic.name for topic in self.path(topic_id))

    def matching(self, pattern: TopicPattern) -> frozenset[str]:
        """The ids of the topics that the pattern chooses; none is no error."""
        if len(pattern.segments) == 1:
            chosen = self._named(pattern.segments[0])
        else:
            chosen = self._at(pattern.segments)
        return self._with_descendants(chosen) if pattern.with_descendants else chosen

    def only(self, pattern: TopicPattern) -> str:
        """The one topic that the pattern names, for a command that needs a target."""
        found = sorted(self.matching(pattern), key=self.path_text)
        if not found:
            raise TopicNotFound(pattern.written)
        if len(found) > 1:
            raise TopicAmbiguous(pattern.written, paths=tuple(map(self.path_text, found)))
        return found[0]

    def _named(self, name: Glob) -> frozenset[str]:
        names = name.names_among(topic.name for topic in self.topics.values())
        return frozenset(topic.id for topic in self.topics.values() if topic.name in names)

    def _at(self, segments: tuple[Glob, ...]) -> frozenset[str]:
        return frozenset(id for id in self.topics if _fits(self.path(id), segments))

    def _with_descendants(self, chosen: frozenset[str]) -> frozenset[str]:
        return frozenset(
            id for id in self.topics if any(topic.id in chosen for topic in self.path(id))
        )


def _fits(path: tuple[Topic, ...], segments: tuple[Glob, ...]) -> bool:
    return len(path) == len(segments) and all(
        segment.names_among([topic.name]) for topic, segment in zip(path, segments, strict=True)
    )


def _split(units: list[str], separator: str) -> list[list[str]]:
    segments: list[list[str]] = [[]]
    for unit in units:
        if unit == separator:
            segments.append([])
        else:
            segments[-1].append(unit)
    return [_trimmed(segment) for segment in segments]


def _trimmed(units: list[str]) -> list[str]:
    """Without white space at both ends; an escaped space is a letter like any other."""
    inked = [at for at, unit in enumerate(units) if not unit.isspace()]
    return units[inked[0] : inked[-1] + 1] if inked else []


def _written(segment: Glob) -> str:
    units = [f"\\{unit}" if unit == ">" else unit for unit in segment.units]
    # At the ends, a space would be trimmed, a slash would separate, dots would mean "and below".
    for end in (0, -1):
        if units and (units[end].isspace() or units[end] in "/."):
            units[end] = f"\\{units[end]}"
    return "".join(units)
