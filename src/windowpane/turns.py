"""A turn: one user message and all that answers it, the unit that is shown, sent and filtered.

Turns form a tree by ``parent_id``; the path from the root to the chat's head is "the chat".
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from windowpane.errors import Failure
from windowpane.messages import Finish, Message

TurnState = Literal["idle", "sending", "waiting", "complete", "error", "aborted", "interrupted"]


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    chat_id: str
    parent_id: str | None
    depth: int
    model: str
    state: TurnState
    created_at: datetime
    ended_at: datetime | None = None
    finish: Finish | None = None
    failure: Failure | None = None


class TurnContent(Struct, frozen=True, kw_only=True):
    """A turn with its messages in order; what the page draws and the plan reads."""

    turn: Turn
    messages: tuple[Message, ...]
