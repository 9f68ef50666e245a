"""A turn that another process answers, written into this process's log as the store shows it.

A reader of the log cannot tell such a turn from one that is answered here, except that its text
comes at the pace at which the other process stores it. A turn that waits is in every log of its
chat, so that whatever becomes of it can be told.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.agent.fold import Unfinished
from windowpane.agent.log import ChatLog
from windowpane.events import (
    LoggedEvent,
    MessageDone,
    OpenPart,
    PartDelta,
    PartDone,
    PartStarted,
    TurnEnded,
    TurnPaused,
    TurnResumed,
    TurnStarted,
    UsageReported,
)
from windowpane.messages import Message
from windowpane.storage.shelves import EVENTS, PROGRESS, RECORDS, RUNS, TURNS
from windowpane.storage.vault import Vault
from windowpane.turns import Turn


class TurnNews(Struct, frozen=True, kw_only=True):
    """What the store has of a turn beyond so many messages and stored events.

    ``answered_by`` is the process that answers it, if it is running.
    """

    turn: Turn
    messages: tuple[Message, ...]
    events: tuple[LoggedEvent, ...]
    open_part: OpenPart | None
    is_running: bool
    answered_by: str

    @property
    def is_waiting(self) -> bool:
        return self.turn.state == "waiting"


async def read_news(vault: Vault, turn_id: str, *, from_message: int, after_seq: int) -> TurnNews:
    """One moment of the turn. Raises ``NotFound`` if it was deleted.

    Whatever a process stores of a running turn changes its progress with the same batch, and
    whoever pauses, resumes or ends it changes the turn itself; so what was read between two equal
    versions of both is from one moment.
    """
    while True:
        stored = await vault.get(TURNS, turn_id)
        progress = await vault.find(PROGRESS, turn_id)
        run = await vault.find(RUNS, stored.value.chat_id)
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
        is_same = await vault.version(PROGRESS, turn_id) == (progress.version if progress else 0)
        if is_same and await vault.version(TURNS, turn_id) == stored.version:
            return TurnNews(
                turn=stored.value,
                messages=tuple(messages.values),
                events=tuple(events.values),
                open_part=progress.value.open_part if progress else None,
                is_running=progress is not None,
                answered_by=run.value.process_id if run else "",
            )


async def read_rest(vault: Vault, log: ChatLog) -> TurnNews:
    """What the store has of the log's turn and the log has not; all of it, if it was resumed."""
    known = _known(log).messages
    # Results that came before a turn had to wait are filled up later and stay one message.
    may_be_fuller = known[-1].role == "tool"
    news = await read_news(
        vault,
        log.turn_id,
        from_message=len(known) - may_be_fuller,
        after_seq=log.stored_seq,
    )
    if not is_resumed(log, news):
        return news
    return await read_news(vault, log.turn_id, from_message=0, after_seq=0)


def is_resumed(log: ChatLog, news: TurnNews) -> bool:
    """Whether the turn that waits here, or waited unnoticed, is being answered."""
    return news.is_running and not (log.is_running and log.answered_by == news.answered_by)


def is_new(log: ChatLog, news: TurnNews) -> bool:
    """Whether anything has become of the turn that waits here."""
    return news.is_running or news.turn != _known(log).turn


def begin(log: ChatLog, news: TurnNews) -> None:
    """Write a turn from its first message on."""
    first, *others = news.messages
    log.append(TurnStarted(turn=news.turn, message=first))
    _write(log, others, news)


def resume(log: ChatLog, news: TurnNews) -> None:
    """Write a turn that the log has as it is now; ``news`` holds all of it."""
    log.append(TurnResumed(turn=news.turn, messages=news.messages))
    _write(log, (), news)


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
    if news.is_running:
        log.answered_by = news.answered_by
    else:
        ended = TurnPaused if news.is_waiting else TurnEnded
        log.append(ended(turn=news.turn))


def _write_message(log: ChatLog, message: Message) -> None:
    """With the events that were made one with it before they were ever stored by themselves."""
    unfinished = _known(log)
    if message in unfinished.messages:
        return
    if message.role == "assistant":
        draft = unfinished.draft
        known = len(draft.parts)
        if message.parts[:known] == tuple(draft.parts):
            for part in message.parts[known:]:
                log.append(PartDone(part=part))
        if message.usage is not None and message.usage != draft.usage:
            log.append(UsageReported(usage=message.usage))
    log.open = None
    log.append(MessageDone(message=message))


def _known(log: ChatLog) -> Unfinished:
    """The log's turn, as far as the log has it."""
    return Unfinished.of(logged.event for logged in log.events)


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
