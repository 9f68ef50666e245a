"""What a running turn leaves on disk, and when.

Finished events and the open part are written together about twice a second, so a killed process
loses less than a second; a whole message and the turn's end are written before anybody sees them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from msgspec import Struct, structs

from windowpane.agent.accounts import Accounts
from windowpane.agent.digest import digest_of
from windowpane.agent.log import ChatLog
from windowpane.agent.results import with_message
from windowpane.errors import Failure, StorageError, VersionConflict
from windowpane.events import (
    AttemptEvent,
    LoggedEvent,
    MessageDone,
    StreamEvent,
    ToolEvent,
    TurnEnded,
    TurnPaused,
)
from windowpane.messages import Finish, Message
from windowpane.storage.base import Change, DeleteChildren
from windowpane.storage.history import (
    end_run,
    put_event,
    put_message,
    put_progress,
    put_turn,
)
from windowpane.storage.shelves import TURNS, Progress
from windowpane.storage.vault import Stored, Vault
from windowpane.tokens import Counter
from windowpane.turns import PendingCall, Turn, TurnContent, TurnState

logger = logging.getLogger(__name__)

# A database that is away for longer than this ends the turn; the text stays in the last flush.
STORE_RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class Ending(Struct, frozen=True, kw_only=True):
    """How a turn ends."""

    state: TurnState
    finish: Finish
    failure: Failure | None
    at: datetime


class Running:
    """A turn that this process is answering: its log, and what of it is not on disk yet."""

    def __init__(
        self,
        *,
        stored: Stored[Turn],
        messages: Sequence[Message],
        log: ChatLog,
        counter: Counter,
        accounts: Accounts,
    ) -> None:
        self.turn = stored.value
        self.accounts = accounts
        self.stored = stored
        self.log = log
        self.messages = list(messages)
        self.counter = counter
        self.run_version = 1
        self.pending: list[LoggedEvent] = []
        self.is_dirty = False
        self.is_held = False


class Journal:
    """``lost`` is told of chats whose turn another process has closed."""

    def __init__(self, vault: Vault, *, flush_seconds: float, lost: Callable[[str], None]) -> None:
        self._vault = vault
        self._flush_seconds = flush_seconds
        self._lost = lost
        self._running: set[Running] = set()
        self._flushing = asyncio.Lock()

    def begin(self, running: Running) -> None:
        self._running.add(running)

    def note(self, running: Running, event: StreamEvent | AttemptEvent | ToolEvent) -> None:
        """Show an event to readers now; the next flush takes it to disk."""
        logged = running.log.append(event)
        if logged is not None:
            running.pending.append(logged)
        running.is_dirty = True

    async def keep(self, running: Running, message: Message) -> None:
        """Store a whole message, then show it."""
        running.log.open = None
        async with self._undisturbed(running):
            # Only now: a flush that was under way has counted the version of the run up.
            accounts = tuple(running.accounts.unwritten)
            changes: list[Change] = [
                self._message_row(running, message),
                DeleteChildren(table="events", parent_id=running.turn.id),
                self._progress_row(running),
                *accounts,
            ]
            await self._commit_patiently(changes)
            running.accounts.written(len(accounts))
        running.messages = with_message(running.messages, message)
        running.run_version += 1
        running.log.append(MessageDone(message=message))

    async def end(self, running: Running, *, ending: Ending, last: Message | None) -> TurnContent:
        """Store how the turn ended, with its last message, whole or cut short, if there is one."""
        turn = await self._released(
            running, lambda turn: _ended(turn, running, ending=ending, last=last), last=last
        )
        running.log.append(TurnEnded(turn=turn))
        return TurnContent(turn=turn, messages=_messages(running, last=last))

    async def let_go(self, running: Running) -> None:
        """Somebody else has accounted for the turn; what is set aside for it here is free again."""
        release = [one for one in running.accounts.unwritten if one.table == "ledgers"]
        if running.accounts.open is not None:
            release += running.accounts.open.release
        if release:
            await self._commit_patiently(release)

    async def pause(
        self, running: Running, *, pending: tuple[PendingCall, ...], results: Message | None
    ) -> None:
        """Store that the turn waits, with the results it has; any process may go on with it."""
        turn = await self._released(
            running,
            lambda turn: structs.replace(turn, state="waiting", pending_calls=pending),
            last=results,
        )
        running.log.append(TurnPaused(turn=turn))

    async def _released(
        self, running: Running, change: Callable[[Turn], Turn], *, last: Message | None
    ) -> Turn:
        """This process lets go of the turn, as it is after a change."""
        running.log.open = None
        try:
            turn = await self._store_release(running, change, last=last)
        finally:
            self._running.discard(running)
        if last is not None:
            running.log.append(MessageDone(message=last))
        return turn

    async def _store_release(
        self, running: Running, change: Callable[[Turn], Turn], *, last: Message | None
    ) -> Turn:
        """If the turn was starred or pinned while it was answered, that is kept."""
        while True:
            turn = change(running.stored.value)
            changes: list[Change] = [put_turn(self._vault, running.stored, turn)]
            if last is not None:
                changes.append(self._message_row(running, last))
            changes.extend(end_run(self._vault, chat_id=turn.chat_id, turn_id=turn.id))
            try:
                async with self._undisturbed(running):
                    # Only now: a flush that was under way has written some of the accounts.
                    accounts = tuple(running.accounts.unwritten)
                    await self._commit_patiently([*changes, *accounts])
                    running.accounts.written(len(accounts))
            except VersionConflict as conflict:
                found = await self._vault.find(TURNS, turn.id)
                if conflict.table != "turns" or found is None or found.value.state != "sending":
                    raise
                running.stored = found
            else:
                return turn

    async def flush_forever(self) -> None:
        loop = asyncio.get_running_loop()
        due_at = loop.time()
        while True:
            # What a flush takes is not added to the pause: that would be lost text, too.
            due_at = max(due_at + self._flush_seconds, loop.time())
            await asyncio.sleep(due_at - loop.time())
            try:
                await self.flush()
            except VersionConflict:
                # One run was taken over; the others must not suffer, so write each alone.
                await self._flush_singly()
            except StorageError as error:
                logger.warning("Answers in progress could not be saved yet: %s", error)

    async def flush(self) -> None:
        async with self._flushing:
            await self._write([run for run in self._running if run.is_dirty and not run.is_held])

    async def _flush_singly(self) -> None:
        for running in list(self._running):
            try:
                async with self._flushing:
                    if running.is_dirty and not running.is_held:
                        await self._write([running])
            except VersionConflict:
                logger.warning("Turn %s was taken over by another process.", running.turn.id)
                self._running.discard(running)
                self._lost(running.turn.chat_id)

    async def _write(self, dirty: Sequence[Running]) -> None:
        if not dirty:
            return
        changes: list[Change] = []
        taken: list[tuple[Running, int, int]] = []
        for running in dirty:
            accounts = running.accounts.unwritten
            taken.append((running, len(running.pending), len(accounts)))
            changes.extend(put_event(self._vault, logged) for logged in running.pending)
            changes.append(self._progress_row(running))
            changes.extend(accounts)
            running.is_dirty = False
        try:
            await self._vault.commit(changes)
        except StorageError:
            for running in dirty:
                running.is_dirty = True
            raise
        for running, events, accounts in taken:
            del running.pending[:events]
            running.accounts.written(accounts)
            running.run_version += 1

    @asynccontextmanager
    async def _undisturbed(self, running: Running) -> AsyncGenerator[None]:
        """Keep the flusher away, so that it cannot write an older state after this."""
        running.is_held = True
        running.pending.clear()
        try:
            async with self._flushing:
                pass
            yield
        finally:
            running.is_held = False

    async def _commit_patiently(self, changes: Sequence[Change]) -> None:
        for pause_seconds in STORE_RETRY_SECONDS:
            try:
                await self._vault.commit(changes)
            except VersionConflict:
                raise
            except StorageError as error:
                logger.warning("Saving failed, trying again: %s", error)
                await asyncio.sleep(pause_seconds)
            else:
                return
        await self._vault.commit(changes)

    def _message_row(self, running: Running, message: Message) -> Change:
        position = len(with_message(running.messages, message)) - 1
        return put_message(self._vault, message, turn_id=running.turn.id, position=position)

    def _progress_row(self, running: Running) -> Change:
        part, account = running.log.open, running.accounts.open
        progress = Progress(
            open_part=part.value() if part else None,
            receipt=account.so_far() if account else None,
        )
        return put_progress(
            self._vault,
            progress,
            turn_id=running.turn.id,
            chat_id=running.turn.chat_id,
            expected_version=running.run_version,
        )


def _ended(turn: Turn, running: Running, *, ending: Ending, last: Message | None) -> Turn:
    ended = structs.replace(
        turn,
        state=ending.state,
        finish=ending.finish,
        failure=ending.failure,
        ended_at=ending.at,
    )
    content = TurnContent(turn=ended, messages=_messages(running, last=last))
    return structs.replace(ended, digest=digest_of(content, counter=running.counter))


def _messages(running: Running, *, last: Message | None) -> tuple[Message, ...]:
    return tuple(running.messages if last is None else with_message(running.messages, last))
