"""The logs of this process's chats, kept up to date with what other processes store.

A chat that is answered here writes its log itself. Any other is looked up in the store: when it
is asked for, and, while somebody reads it, whenever another process tells of a change.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Container
from itertools import count

from msgspec import Struct, structs

from windowpane.agent.log import ChatLog, LogReader
from windowpane.agent.mirror import (
    TurnNews,
    begin,
    go_on,
    is_new,
    is_resumed,
    read_news,
    read_rest,
    resume,
)
from windowpane.errors import NotFound, RecordDamaged, StorageError
from windowpane.events import EventId, TurnsChanged
from windowpane.projects import Chat
from windowpane.storage.base import Notice
from windowpane.storage.shelves import CHATS, RUNS, TURNS
from windowpane.storage.vault import Vault

logger = logging.getLogger(__name__)

# Logs are small, but a server that runs for months opens many chats.
KEPT_LOGS = 500
RETRY_SECONDS = 0.5


class Step(Struct, frozen=True, kw_only=True):
    """The next thing that a log lacks: news of its turn, another turn, or a change of older ones.

    ``head_id`` and ``revision`` are where the chat stands. Without news, its readers have to load
    it anew.
    """

    head_id: str | None
    revision: int
    news: TurnNews | None


class Following:
    """``answered_here`` are the chats whose log is written by this process's own answers."""

    def __init__(self, vault: Vault, *, process_id: str, answered_here: Container[str]) -> None:
        self._vault = vault
        self._process_id = process_id
        self._answered_here = answered_here
        self._epoch = 0
        self._seq = count(1)
        self._logs: dict[str, ChatLog] = {}
        self._woken: set[str] = set()
        self._news = asyncio.Event()

    def begin(self, *, epoch: int) -> None:
        self._epoch = epoch

    def log(self, chat_id: str) -> ChatLog:
        if chat_id not in self._logs:
            if len(self._logs) >= KEPT_LOGS:
                self._forget_unread()
            self._logs[chat_id] = ChatLog(epoch=self._epoch, next_seq=lambda: next(self._seq))
        return self._logs[chat_id]

    def reader(self, chat_id: str, *, after: EventId) -> LogReader:
        self.wake(chat_id)
        return self.log(chat_id).reader(after=after)

    def reader_of_turn(self, chat_id: str) -> LogReader:
        self.wake(chat_id)
        return self.log(chat_id).reader_of_turn()

    def forget(self, chat_id: str) -> None:
        """The chat is gone: whoever reads it will see that when he loads it."""
        if chat_id in self._logs:
            self._logs.pop(chat_id).restart(None, revision=0)

    def stand_at(self, chat: Chat, *, revision: int) -> None:
        """A turn begins here in a chat as it is; who missed how it got there has to reload.

        ``revision`` is the chat's with that turn.
        """
        log = self.log(chat.id)
        if log.is_placed and not (log.is_at_rest and log.head_id == chat.head_id):
            log.restart(chat.head_id, revision=revision)
        log.place(chat.head_id, revision=revision)

    def stand_in(self, chat: Chat) -> None:
        """The newest turn goes on here: all of it is told, so only who does not know it reloads."""
        log = self.log(chat.id)
        if log.is_placed and log.head_id != chat.head_id:
            log.restart(chat.head_id, revision=chat.revision)
        log.place(chat.head_id, revision=chat.revision)

    def tell_changed(self, chat: Chat) -> None:
        """Turns of a chat were changed here: tell those who look at it, if there are any."""
        if chat.id in self._logs:
            _tell_changed(self._logs[chat.id], head_id=chat.head_id, revision=chat.revision)

    # What others do

    def hear(self, notice: Notice | None) -> None:
        if notice is None:
            for chat_id in self._logs:
                self._wake_readers_of(chat_id)
        elif notice.table == "runs":
            self._wake_readers_of(notice.parent_id or notice.id)
        elif notice.table == "turns":
            self._wake_readers_of(notice.parent_id)
        elif notice.table == "chats":
            self._wake_readers_of(notice.id)

    def wake(self, chat_id: str) -> None:
        """Look at the chat soon."""
        self._woken.add(chat_id)
        self._news.set()

    async def run_forever(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            woken, self._woken = self._woken, set()
            await asyncio.gather(*(self.look(chat_id) for chat_id in woken))

    async def sync(self, chat_id: str) -> None:
        """Write into the chat's log what the store has and it has not."""
        while chat_id not in self._answered_here:
            log = self.log(chat_id)
            before = log.position
            step = await self._next_step(chat_id, log)
            if step is None or chat_id in self._answered_here:
                return
            if self._logs.get(chat_id) is not log or log.position != before:
                continue  # somebody was faster, and what was read may be old
            _take(log, step)
            if log.is_running:
                return
            # Readers may see the end of a turn before the next one begins.
            await asyncio.sleep(0)

    async def look(self, chat_id: str) -> None:
        """Like ``sync``, but what fails is tried again while somebody reads."""
        try:
            await self.sync(chat_id)
        except StorageError as error:
            logger.info("The chat %s cannot be followed now: %s", chat_id, error)
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._wake_readers_of, chat_id)
        except Exception:  # one chat that cannot be followed must not end the following of others
            logger.exception("The chat %s cannot be followed", chat_id)

    async def _next_step(self, chat_id: str, log: ChatLog) -> Step | None:
        """None if nothing is new, or this process is itself about to write what is."""
        chat = await self._vault.find(CHATS, chat_id)
        if chat is None:
            is_told = log.is_at_rest and log.head_id is None
            return None if is_told else Step(head_id=None, revision=0, news=None)
        run = await self._vault.find(RUNS, chat_id)
        if run is not None and run.value.process_id == self._process_id:
            return None
        here = Step(head_id=chat.value.head_id, revision=chat.value.revision, news=None)
        if not log.is_at_rest:
            return await self._next_of_turn(log, here)
        if not log.is_placed:
            log.place(here.head_id, revision=here.revision)
        if here.head_id != log.head_id:
            news = None if here.head_id is None else await self._whole(here.head_id)
            is_next = (
                news is not None
                and news.turn.parent_id == log.head_id
                and here.revision == log.revision
            )
            return structs.replace(here, news=news if is_next else None)
        if here.head_id is not None and (run or await self._is_waiting_unseen(log, here.head_id)):
            news = await self._whole(here.head_id)
            if news is not None and (news.is_running or news.is_waiting):
                return structs.replace(here, news=news)
        return None if here.revision == log.revision else here

    async def _next_of_turn(self, log: ChatLog, here: Step) -> Step | None:
        """What became of the turn that runs or waits in the log."""
        try:
            news = await read_rest(self._vault, log)
        except (NotFound, RecordDamaged):
            return here
        if log.is_running or is_new(log, news):
            return structs.replace(here, news=news)
        return None if here.head_id == log.head_id else here

    async def _is_waiting_unseen(self, log: ChatLog, head_id: str) -> bool:
        """Whether the newest turn waits and the log, which knows nothing of it, should."""
        if log.turn_id == head_id:
            return False
        try:
            return (await self._vault.get(TURNS, head_id)).value.state == "waiting"
        except (NotFound, RecordDamaged):
            return False

    async def _whole(self, turn_id: str) -> TurnNews | None:
        """None if its beginning cannot be read: loading the chat says why."""
        try:
            news = await read_news(self._vault, turn_id, from_message=0, after_seq=0)
        except (NotFound, RecordDamaged):
            return None
        return news if news.messages else None

    def _wake_readers_of(self, chat_id: str) -> None:
        if chat_id in self._logs and self._logs[chat_id].has_readers:
            self.wake(chat_id)

    def _forget_unread(self) -> None:
        self._logs = {
            chat_id: log
            for chat_id, log in self._logs.items()
            if log.has_readers or chat_id in self._answered_here
        }


def _take(log: ChatLog, step: Step) -> None:
    if step.news is None and log.is_at_rest and log.head_id == step.head_id:
        _tell_changed(log, head_id=step.head_id, revision=step.revision)
    elif step.news is None:
        log.restart(step.head_id, revision=step.revision)
    elif log.is_at_rest:
        begin(log, step.news)
    elif is_resumed(log, step.news):
        resume(log, step.news)
    else:
        go_on(log, step.news)


def _tell_changed(log: ChatLog, *, head_id: str | None, revision: int) -> None:
    """A turn that runs or waits in the log stays its newest, whatever is done to others."""
    log.append(TurnsChanged())
    log.place(head_id if log.is_at_rest else log.head_id, revision=revision)
