"""What was deleted: for a while it can come back as it was, afterwards tombstones remain.

A chat or a project is kept here while it can come back, so that nobody finds it in the meantime;
turns only move aside.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.projects import Chat, Project


class DeletedTurns(Struct, frozen=True, kw_only=True, tag="turns"):
    """``accounting_id`` is the record that marks where they were."""

    chat_id: str
    turn_ids: tuple[str, ...]
    accounting_id: str


class DeletedChat(Struct, frozen=True, kw_only=True, tag="chat"):
    chat: Chat


class DeletedProject(Struct, frozen=True, kw_only=True, tag="project"):
    """With the chats that were in it then."""

    project: Project
    chats: tuple[Chat, ...]


Deleted = DeletedTurns | DeletedChat | DeletedProject


class Deletion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """It can be undone until ``due_at``. ``is_final``: it is being carried out for good."""

    id: str
    deleted: Deleted
    deleted_at: datetime
    due_at: datetime
    is_final: bool = False

    @property
    def sentence(self) -> str:
        match self.deleted:
            case DeletedTurns(turn_ids=(_,)):
                return "1 turn deleted."
            case DeletedTurns(turn_ids=turn_ids):
                return f"{len(turn_ids):,} turns deleted."
            case DeletedChat(chat=chat):
                return f"Chat “{chat.title or 'New chat'}” deleted."
            case DeletedProject(project=project):
                return f"Project “{project.name}” deleted."


class Tombstone(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is left of a turn: enough to know that it was there, and not what it said.

    ``raw_tokens`` is None if nobody had counted it. The parent stays, so that the turns behind it
    still know the way back.
    """

    id: str
    chat_id: str
    parent_id: str | None
    depth: int
    content_sha256: str
    created_at: datetime
    deleted_at: datetime
    raw_tokens: int | None = None
