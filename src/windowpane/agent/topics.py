"""A project's topic tree: made, renamed, moved and deleted under rules that keep it a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import chain

from msgspec import Struct, structs

from windowpane.agent.contending import contended
from windowpane.agent.index import page_count
from windowpane.choices import Choices
from windowpane.context.rules import MOST_CHARACTERS
from windowpane.errors import BadChoice, InvalidInput
from windowpane.filters import Topic, TopicTree
from windowpane.ids import new_id
from windowpane.projects import Chat, checked_name
from windowpane.storage.base import Change
from windowpane.storage.history import put_chat
from windowpane.storage.shelves import (
    CHATS,
    TOPICS,
    TOPICS_CHANGED,
    TURNS,
    TopicsChanged,
    deleted_of,
    left_of,
    micros,
    topics_changed_id,
)
from windowpane.storage.turn_pages import read_page
from windowpane.storage.vault import Vault
from windowpane.topics import ProjectTopic


class _Tree(Struct, frozen=True, kw_only=True):
    """A project's topics as they were read; ``version`` grows with every change of one."""

    project_id: str
    version: int
    values: list[ProjectTopic]


class Topics:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def of(self, project_id: str) -> list[ProjectTopic]:
        return (await self._vault.all_children(TOPICS, [project_id])).values

    async def tree(self, project_id: str) -> TopicTree:
        """As filters see it."""
        return topic_tree(await self.of(project_id))

    async def get(self, topic_id: str) -> ProjectTopic:
        return (await self._vault.get(TOPICS, topic_id)).value

    async def current(self, chat: Chat) -> ProjectTopic | None:
        """What a chat's next turn lies in. A topic that is gone counts as none.

        A chat that was deleted does not keep its topic, and can come back after it.
        """
        if chat.topic_id is None:
            return None
        stored = await self._vault.find(TOPICS, chat.topic_id)
        return None if stored is None else stored.value

    async def create(
        self, project_id: str, *, name: str, parent_id: str | None, at: datetime
    ) -> ProjectTopic:
        """A topic below another begins with its system message, and goes its own way from there."""

        async def create() -> ProjectTopic:
            tree = await self._read(project_id)
            parent = None if parent_id is None else await self.get(parent_id)
            topic = ProjectTopic(
                id=new_id("topic"),
                project_id=project_id,
                name=checked_name(name),
                parent_id=parent_id,
                created_at=at,
                system_message=parent.system_message if parent else "",
            )
            _check_place(topic, tree.values)
            _check_name(topic, tree.values)
            await self._commit(tree, [self._put(topic, expected_version=0)])
            return topic

        return await contended(create)

    async def rename(self, topic_id: str, *, name: str) -> ProjectTopic:
        return await self._change(
            topic_id, lambda topic: structs.replace(topic, name=checked_name(name))
        )

    async def move(self, topic_id: str, *, parent_id: str | None) -> ProjectTopic:
        return await self._change(
            topic_id, lambda topic: structs.replace(topic, parent_id=parent_id)
        )

    async def instruct(self, topic_id: str, *, system_message: str) -> ProjectTopic:
        if len(system_message) > MOST_CHARACTERS:
            raise BadChoice(
                "system_message",
                f"The system message has {len(system_message):,} characters; "
                f"at most {MOST_CHARACTERS:,} go in one.",
            )
        return await self._change(
            topic_id, lambda topic: structs.replace(topic, system_message=system_message)
        )

    async def choose(self, topic_id: str, change: Callable[[Choices], Choices]) -> ProjectTopic:
        """``change`` is given what the topic has chosen, again if somebody else came first."""
        return await self._change(
            topic_id, lambda topic: structs.replace(topic, choices=change(topic.choices))
        )

    async def turn_counts(self, project_id: str) -> Counter[str]:
        """How many turns each topic has, on the paths of its project's chats and beside them."""
        counts: Counter[str] = Counter()
        for chat in (await self._vault.all_children(CHATS, [project_id])).values:
            # Also those that were deleted and can still come back.
            off_path = [left_of(chat.id), deleted_of(chat.id)]
            others = await self._vault.all_children(TURNS, off_path)
            pages = [
                await read_page(self._vault, chat.id, number, turn_count=chat.turn_count)
                for number in range(page_count(chat))
            ]
            turns = chain(others.values, *(page.turns for page in pages))
            counts.update(turn.topic_id for turn in turns if turn.topic_id is not None)
        return counts

    async def delete(self, topic_id: str) -> None:
        """A chat that would have given its next turn this topic then gives it none."""
        await contended(lambda: self._delete(topic_id))

    async def _delete(self, topic_id: str) -> None:
        topic = await self.get(topic_id)
        tree = await self._read(topic.project_id)
        chats = await self._vault.all_children(CHATS, [topic.project_id])
        turns = (await self.turn_counts(topic.project_id))[topic_id]
        below = sum(other.parent_id == topic_id for other in tree.values)
        if turns or below:
            raise InvalidInput(
                f"The topic {topic.name} has {_held(turns=turns, below=below)}. "
                "Move them elsewhere first."
            )
        freed = [
            put_chat(
                self._vault,
                structs.replace(stored.value, topic_id=None),
                expected_version=stored.version,
            )
            for stored in chats.items
            if stored.value.topic_id == topic_id
        ]
        await self._commit(tree, [*freed, self._vault.delete(TOPICS, topic_id)])

    async def _change(
        self, topic_id: str, change: Callable[[ProjectTopic], ProjectTopic]
    ) -> ProjectTopic:
        async def changed() -> ProjectTopic:
            project_id = (await self.get(topic_id)).project_id
            tree = await self._read(project_id)
            stored = await self._vault.get(TOPICS, topic_id)
            before, after = stored.value, change(stored.value)
            if after.parent_id != before.parent_id:
                _check_place(after, tree.values)
            if (after.name, after.parent_id) != (before.name, before.parent_id):
                _check_name(after, tree.values)
            await self._commit(tree, [self._put(after, expected_version=stored.version)])
            return after

        return await contended(changed)

    async def _read(self, project_id: str) -> _Tree:
        """The version first: whatever changes after it is noticed when something is stored."""
        version = await self._vault.version(TOPICS_CHANGED, topics_changed_id(project_id))
        return _Tree(project_id=project_id, version=version, values=await self.of(project_id))

    async def _commit(self, tree: _Tree, changes: Sequence[Change]) -> None:
        id = topics_changed_id(tree.project_id)
        changed = self._vault.put(
            TOPICS_CHANGED,
            TopicsChanged(),
            id=id,
            parent_id=id,
            position=0,
            expected_version=tree.version,
        )
        await self._vault.commit([changed, *changes])

    def _put(self, topic: ProjectTopic, *, expected_version: int) -> Change:
        return self._vault.put(
            TOPICS,
            topic,
            id=topic.id,
            parent_id=topic.project_id,
            position=micros(topic.created_at),
            expected_version=expected_version,
        )


def topic_tree(topics: Iterable[ProjectTopic]) -> TopicTree:
    return TopicTree.of(
        Topic(id=topic.id, name=topic.name, parent_id=topic.parent_id) for topic in topics
    )


def _held(*, turns: int, below: int) -> str:
    """What keeps a topic from being deleted, in words."""
    words: list[str] = []
    if turns:
        words.append(f"{turns:,} turn{'' if turns == 1 else 's'}")
    if below:
        words.append(f"{below:,} topic{'' if below == 1 else 's'} below it")
    return " and ".join(words)


def _check_place(topic: ProjectTopic, known: Sequence[ProjectTopic]) -> None:
    """Below another topic of its project, and not below itself."""
    others = {other.id: other for other in known if other.id != topic.id}
    parent_id = topic.parent_id
    if parent_id is not None and parent_id not in {*others, topic.id}:
        raise InvalidInput(f"There is no topic {parent_id} in this project.")
    # Each is taken once: those above may lie in a circle, if damage has put them there.
    while parent_id is not None and (parent_id == topic.id or parent_id in others):
        if parent_id == topic.id:
            raise InvalidInput(f"The topic {topic.name} cannot lie below itself.")
        parent_id = others.pop(parent_id).parent_id


def _check_name(topic: ProjectTopic, known: Sequence[ProjectTopic]) -> None:
    for other in known:
        is_sibling = other.id != topic.id and other.parent_id == topic.parent_id
        if is_sibling and other.name.casefold() == topic.name.casefold():
            raise InvalidInput(f"There is a topic called {other.name} there already.")
