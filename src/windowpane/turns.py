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
Flag = Literal["blue", "grey"]
Decision = Literal["accept", "reject"]


class TurnDigest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a turn's contents without opening them: a cache, counted for one model.

    The sizes: the whole turn, without its reasoning, without its tool traffic, without both.
    """

    counted_for: str
    raw_tokens: int
    without_reasoning_tokens: int
    without_tools_tokens: int
    bare_tokens: int
    is_unanswered: bool = False
    has_tool_calls: bool = False
    has_image: bool = False


class PendingCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call that a person must allow; ``decision`` is None until somebody has decided."""

    call_id: str
    name: str
    decision: Decision | None = None


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Star, flag and topic serve filters and never enter a request's text.

    ``pending_calls`` are those for which a waiting turn waits.
    """

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
    topic_id: str | None = None
    star: int = 0
    flag: Flag = "blue"
    is_pinned: bool = False
    is_skipped: bool = False
    digest: TurnDigest | None = None
    pending_calls: tuple[PendingCall, ...] = ()


class TurnContent(Struct, frozen=True, kw_only=True):
    """A turn with its messages in order; what the page draws and the plan reads."""

    turn: Turn
    messages: tuple[Message, ...]
