"""Projects and chats: where turns live, and the settings they inherit."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Project(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    name: str
    created_at: datetime
    system_prompt: str = ""
    model: str | None = None


class ContextFloor(Struct, frozen=True, kw_only=True):
    """Where the context began in the last send, and what that place depended on."""

    index: int
    model: str
    revision: int


class Chat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``model`` overrides the project's; ``head_id`` is the last turn of the chat's path.

    ``revision`` grows when something about older turns changes: a star, a pin, a branch.
    """

    id: str
    project_id: str
    title: str
    created_at: datetime
    active_at: datetime
    head_id: str | None = None
    turn_count: int = 0
    model: str | None = None
    topic_id: str | None = None
    revision: int = 0
    floor: ContextFloor | None = None
