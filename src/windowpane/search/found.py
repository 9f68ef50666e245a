"""What a search finds, for every face alike."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.messages import Role


class Mark(Struct, frozen=True, array_like=True):
    """A hit in a text: from a character up to another."""

    start: int
    end: int


class Excerpt(Struct, frozen=True, kw_only=True):
    """Some words of a text on one line, and where in them the hits are."""

    text: str
    marks: tuple[Mark, ...]


class TurnHit(Struct, frozen=True, kw_only=True):
    """``role`` says whose words the excerpt shows. ``is_left``: not on its chat's path any more.

    ``is_beside``: the words stand in the turns around it, not in it.
    """

    turn_id: str
    chat_id: str
    project_id: str
    chat_title: str
    depth: int
    role: Role
    at: datetime
    excerpt: Excerpt
    score: float
    is_left: bool
    is_beside: bool


class ChatHit(Struct, frozen=True, kw_only=True):
    """A chat whose title has the words."""

    chat_id: str
    project_id: str
    title: Excerpt
    score: float


class Found(Struct, frozen=True, kw_only=True):
    """Best first. ``waiting_turns`` are not in the index yet: search again to have more of them."""

    chats: tuple[ChatHit, ...]
    turns: tuple[TurnHit, ...]
    searched_turns: int
    waiting_turns: int
