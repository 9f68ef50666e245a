"""Moving a chat to another project: its turns keep the topics that the other project has too."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, structs

from windowpane.agent.recovery import ensure_idle
from windowpane.filters import TopicTree
from windowpane.ids import new_revision
from windowpane.projects import Chat
from windowpane.storage.base import Change
from windowpane.storage.history import put_chat, put_turn
from windowpane.storage.shelves import CHATS, TURNS, deleted_of, left_of
from windowpane.storage.turn_pages import drop_all_pages
from windowpane.storage.vault import Vault


class Moved(Struct, frozen=True, kw_only=True):
    """The chat where it is now, and what became of its topics, by their paths."""

    chat: Chat
    kept_topics: tuple[str, ...]
    dropped_topics: tuple[str, ...]
    sentence: str


async def move_chat(
    vault: Vault, chat_id: str, *, project_id: str, old: TopicTree, new: TopicTree, at: datetime
) -> Moved:
    """To a project that exists; ``old`` and ``new`` are the topics there and here."""
    stored = await vault.get(CHATS, chat_id)
    await ensure_idle(vault, stored.value, at=at)
    turns = (
        await vault.all_children(TURNS, (chat_id, left_of(chat_id), deleted_of(chat_id)))
    ).items
    same = matching_topics(old, new)
    chat = structs.replace(
        stored.value,
        project_id=project_id,
        topic_id=same.get(stored.value.topic_id or ""),
        revision=new_revision(),
    )
    rows: list[Change] = [
        put_turn(vault, one, structs.replace(one.value, topic_id=same.get(one.value.topic_id)))
        for one in turns
        if one.value.topic_id is not None
    ]
    await vault.commit(
        [
            *rows,
            put_chat(vault, chat, expected_version=stored.version),
            *drop_all_pages(vault, chat_id),
        ]
    )
    topic_ids = (stored.value.topic_id, *(one.value.topic_id for one in turns))
    used = {id for id in topic_ids if id in old.topics}
    return moved(
        chat,
        kept=sorted(old.path_text(id) for id in used if id in same),
        dropped=sorted(old.path_text(id) for id in used if id not in same),
    )


def matching_topics(old: TopicTree, new: TopicTree) -> dict[str, str]:
    """Topics of one tree that lie at the same path in the other, whatever the case."""
    by_path = {new.path_text(id).casefold(): id for id in new.topics}
    paths = {id: old.path_text(id).casefold() for id in old.topics}
    return {id: by_path[path] for id, path in paths.items() if path in by_path}


def moved(chat: Chat, *, kept: list[str], dropped: list[str]) -> Moved:
    sentence = "The chat was moved."
    if dropped:
        sentence += (
            f" The project has no topic {', '.join(dropped)}, so its turns have none any more."
        )
    return Moved(
        chat=chat, kept_topics=tuple(kept), dropped_topics=tuple(dropped), sentence=sentence
    )
