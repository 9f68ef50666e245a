"""Projects and chats: where turns live, and the settings they inherit."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from windowpane.choices import NOTHING_CHOSEN, Choices
from windowpane.errors import InvalidInput

NAME_LIMIT_CHARACTERS = 200
TITLE_LIMIT_CHARACTERS = 60
# What the project is called that is made where there is none.
FIRST_PROJECT = "Home"


def checked_name(name: str) -> str:
    """A name on one line, for a project, a chat, a topic or a view."""
    trimmed = " ".join(name.split())
    if not trimmed:
        raise InvalidInput("The name is empty. Write one.")
    if len(trimmed) > NAME_LIMIT_CHARACTERS:
        raise InvalidInput(f"The name has more than {NAME_LIMIT_CHARACTERS} characters.")
    return trimmed


def first_words(text: str) -> str:
    """What a chat is called after its first message, on one line."""
    line = " ".join(text.split())
    if len(line) <= TITLE_LIMIT_CHARACTERS:
        return line
    cut = line[: TITLE_LIMIT_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


class Project(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    name: str
    created_at: datetime
    choices: Choices = NOTHING_CHOSEN


class ContextFloor(Struct, frozen=True, kw_only=True):
    """Where the context began in the last send, and what that place depended on.

    ``basis`` is a hash over the model, its budget, the system text and the settings.
    """

    index: int
    basis: str
    revision: int


class ForkOrigin(Struct, frozen=True, kw_only=True):
    """Where a fork came from: the chat, and the last turn that was copied."""

    chat_id: str
    turn_id: str


class Chat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``choices`` come before the project's; ``head_id`` is the last turn of the chat's path.

    ``turn_count`` counts the places of the path, ``deleted_turns`` those of them whose turn was
    deleted: places stay, so that a turn's depth never changes. If the newest place is one of
    them, ``deleted_tip_id`` is the turn that was there.
    ``revision`` is another number when something about older turns changes: a star, a pin, a
    branch. It says nothing but that, and none comes back.
    ``accounting_id`` is the newest accounting record.
    """

    id: str
    project_id: str
    title: str
    created_at: datetime
    active_at: datetime
    head_id: str | None = None
    turn_count: int = 0
    deleted_turns: int = 0
    deleted_tip_id: str | None = None
    choices: Choices = NOTHING_CHOSEN
    topic_id: str | None = None
    revision: int = 0
    floor: ContextFloor | None = None
    accounting_id: str | None = None
    forked_from: ForkOrigin | None = None

    @property
    def tip_id(self) -> str | None:
        """What the next turn follows: the newest place, also if its turn was deleted."""
        return self.deleted_tip_id or self.head_id

    @property
    def kept_turns(self) -> int:
        """How many turns the path has."""
        return self.turn_count - self.deleted_turns
