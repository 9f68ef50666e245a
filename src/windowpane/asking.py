"""What a person asks for: a message to send, a turn to ask again, a plan to look at."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct, structs

from windowpane.choices import NOTHING_CHOSEN, Choices
from windowpane.errors import InvalidInput, MessageEmpty, MessageTooLarge

# The lens may be looked at for a while before what it shows is sent.
MOST_AWAY = timedelta(minutes=5)
WrittenAt = Annotated[
    datetime,
    Meta(description="with a time zone, and within 5 minutes of now: the lens says which"),
]


class SendRequest(Struct, frozen=True, kw_only=True):
    """``seen_head_id`` is the last turn the sender saw; None means it does not care.

    An empty string says that the sender saw an empty chat. What the filter hides is not sent.
    With ``replaces_turn_id`` the message takes the place of an earlier turn: that one and what
    followed it are left, not lost. ``choices`` are for this send alone, and so is ``model``.
    ``written_at`` is the lens's clock: what it showed is sent. Where the chat waits for a word on
    tool calls, an empty text accepts them and a message rejects them.
    """

    text: str
    model: str | None = None
    seen_head_id: str | None = None
    filter_text: str = ""
    replaces_turn_id: str | None = None
    written_at: WrittenAt | None = None
    choices: Choices = NOTHING_CHOSEN


class AskAgain(Struct, frozen=True, kw_only=True):
    """How a turn is asked again: with another model, another text, what the filter shows.

    What is left out stays: the chat's model, the turn's own words, all of the chat.
    """

    text: str | None = None
    model: str | None = None
    seen_head_id: str | None = None
    filter_text: str = ""


class PlanRequest(Struct, frozen=True, kw_only=True):
    """The draft as it stands, and what else the plan shall assume."""

    draft: str = ""
    model: str | None = None
    filter_text: str = ""
    choices: Choices = NOTHING_CHOSEN


def chosen_for(request: SendRequest | PlanRequest) -> Choices:
    """What was chosen for one send, its model among it."""
    return structs.replace(request.choices, model=request.model or request.choices.model)


def checked_moment(written_at: datetime, *, now: datetime) -> datetime:
    """When a message says that it was written: a moment that everybody can compare with others."""
    if written_at.tzinfo is None:
        raise InvalidInput(
            f"The moment written_at {written_at.isoformat()} has no time zone. Give it one, as in "
            f"{now.isoformat(timespec='seconds')}, or leave it out."
        )
    if abs(written_at - now) > MOST_AWAY:
        raise InvalidInput(
            f"The moment written_at {written_at.isoformat()} lies more than "
            f"{MOST_AWAY // timedelta(minutes=1)} minutes from now. Look through the lens again, "
            "or leave it out."
        )
    return written_at


def checked_text(text: str, *, limit_bytes: int) -> str:
    """A message that says something and is not too long."""
    if not text.strip():
        raise MessageEmpty
    message_bytes = len(text.encode())
    if message_bytes > limit_bytes:
        raise MessageTooLarge(message_bytes=message_bytes, limit_bytes=limit_bytes)
    return text
