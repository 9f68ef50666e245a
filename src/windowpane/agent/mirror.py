"""A turn that another process answers, written into this process's log as the store shows it.

A reader of the log cannot tell such a turn from one that is answered here, except that its text
comes at the pace at which the other process stores it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.agent.fold import draft_of
from windowpane.agent.log import ChatLog
from windowpane.events import (
    LoggedEvent,
    MessageDone,
    OpenPart,
    PartDelta,
    PartDone,
    PartStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from windowpane.messages import Message
from windowpane.storage.shelves import EVENTS, PROGRESS, RECORDS, TURNS
from windowpane.storage.vault import Vault
from windowpane.turns import Turn


class TurnNews(Struct, frozen=True, kw_only=True):
    """What the store has of a turn beyond so many messages and stored events."""

    turn: Turn
    messages: tuple[Message, ...]
    events: tuple[LoggedEvent, ...]
    open_part: OpenPart | None
    is_running: bool


async def read_news(vault: Vault, turn_id: str, *, from_message: int, after_seq: int) -> TurnNews:
    """One moment of the turn. Raises ``NotFound`` if it was deleted.

    Whatever a process stores of a running turn changes its progress with the same batch, so what
    was read between two equal versions of that is from one moment.
    """
    while True:
        progress = await vault.find(PROGRESS, turn_id)
        turn = (await vault.get(TURNS, turn_id)).value
        messages = await vault.children(
            RECORDS,
            [turn_id],
            from_position=from_message,
            to_position=None,
            newest_first=False,
            limit=None,
        )
        events = await vault.children(
            EVENTS,
            [turn_id],
            from_position=after_seq + 1,
            to_position=None,
            newest_first=False,
            limit=None,
        )
        version = progress.version if progress else 0
        if await vault.version(PROGRESS, turn_id) == version:
            return TurnNews(
                turn=turn,
                messages=tuple(messages.values),
                events=tuple(events.values),
                open_part=progress.value.open_part if progress else None,
                is_running=progress is not None,
            )


def begin(log: ChatLog, news: TurnNews) -> None:
    """Write a turn from its first message on."""
    first, *others = news.messages
    log.append(TurnStarted(turn=news.turn, message=first))
    _write(log, others, news)


def go_on(log: ChatLog, news: TurnNews) -> None:
    """Write what is new in the turn that the log has."""
    _write(log, news.messages, news)


def _write(log: ChatLog, messages: Sequence[Message], news: TurnNews) -> None:
    for message in messages:
        _write_message(log, message)
    for logged in news.events:
        log.append(logged.event)
        log.stored_seq = logged.id.seq
    _write_open(log, news.open_part)
    if not news.is_running:
        log.append(TurnEnded(turn=news.turn))


def _write_message(log: ChatLog, message: Message) -> None:
    """With the events that were made one with it before they were ever stored by themselves."""
    if message.role == "assistant":
        draft = draft_of(logged.event for logged in log.events)
        known = len(draft.parts)
        if message.parts[:known] == tuple(draft.parts):
            for part in message.parts[known:]:
                log.append(PartDone(part=part))
        if message.usage is not None and message.usage != draft.usage:
            log.append(UsageReported(usage=message.usage))
    log.open = None
    log.append(MessageDone(message=message))


def _write_open(log: ChatLog, part: OpenPart | None) -> None:
    if part is None:
        log.open = None
        return
    known = log.open.value() if log.open else None
    if known is None or not _is_grown(part, known):
        log.append(PartStarted(kind=part.kind, name=part.name))
        known_characters = 0
    else:
        known_characters = len(known.text)
    if text := part.text[known_characters:]:
        log.append(PartDelta(text=text))


def _is_grown(part: OpenPart, known: OpenPart) -> bool:
    is_same = (part.kind, part.name) == (known.kind, known.name)
    return is_same and part.text.startswith(known.text)
