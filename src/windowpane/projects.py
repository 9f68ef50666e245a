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


class Chat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``model`` overrides the project's; ``head_id`` is the last turn of the chat's path."""

    id: str
    project_id: str
    title: str
    created_at: datetime
    active_at: datetime
    head_id: str | None = None
    turn_count: int = 0
    model: str | None = None
