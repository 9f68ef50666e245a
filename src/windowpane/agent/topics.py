"""A project's topic tree: made, renamed, moved and deleted under rules that keep it a tree."""

from __future__ import annotations

from datetime import datetime

from msgspec import structs

from windowpane.errors import InvalidInput
from windowpane.filters import Topic, TopicTree
from windowpane.ids import new_id
from windowpane.projects import checked_name
from windowpane.storage.shelves import TOPICS, micros
from windowpane.storage.vault import Vault
from windowpane.topics import ProjectTopic


class Topics:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def of(self, project_id: str) -> list[ProjectTopic]:
        return (await self._vault.all_children(TOPICS, [project_id])).values

    async def tree(self, project_id: str) -> TopicTree:
        """As filters see it."""
        return TopicTree.of(
            Topic(id=topic.id, name=topic.name, parent_id=topic.parent_id)
            for topic in await self.of(project_id)
        )

    async def get(self, topic_id: str) -> ProjectTopic:
        return (await self._vault.get(TOPICS, topic_id)).value

    async def create(
        self, project_id: str, *, name: str, parent_id: str | None, at: datetime
    ) -> ProjectTopic:
        topic = ProjectTopic(
            id=new_id("topic"),
            project_id=project_id,
            name=checked_name(name),
            parent_id=parent_id,
            created_at=at,
        )
        return await self._put(topic)

    async def rename(self, topic_id: str, *, name: str) -> ProjectTopic:
        return await self._put(structs.replace(await self.get(topic_id), name=checked_name(name)))

    async def move(self, topic_id: str, *, parent_id: str | None) -> ProjectTopic:
        return await self._put(structs.replace(await self.get(topic_id), parent_id=parent_id))

    async def delete(self, topic_id: str, *, has_turns: bool) -> None:
        topic = await self.get(topic_id)
        others = await self.of(topic.project_id)
        if has_turns or any(other.parent_id == topic_id for other in others):
            raise InvalidInput(
                f"The topic {topic.name} still has turns or topics below it. "
                "Move them elsewhere first."
            )
        await self._vault.commit([self._vault.delete(TOPICS, topic_id)])

    async def _put(self, topic: ProjectTopic) -> ProjectTopic:
        _check(topic, await self.of(topic.project_id))
        put = self._vault.put(
            TOPICS,
            topic,
            id=topic.id,
            parent_id=topic.project_id,
            position=micros(topic.created_at),
            expected_version=None,
        )
        await self._vault.commit([put])
        return topic


def _check(topic: ProjectTopic, known: list[ProjectTopic]) -> None:
    others = {other.id: other for other in known if other.id != topic.id}
    if topic.parent_id is not None and topic.parent_id not in {*others, topic.id}:
        raise InvalidInput(f"There is no topic {topic.parent_id} in this project.")
    for other in others.values():
        is_sibling = other.parent_id == topic.parent_id
        if is_sibling and other.name.casefold() == topic.name.casefold():
            raise InvalidInput(f"There is a topic called {other.name} there already.")
    parent_id = topic.parent_id
    while parent_id is not None:
        if parent_id == topic.id:
            raise InvalidInput(f"The topic {topic.name} cannot lie below itself.")
        parent_id = others[parent_id].parent_id
