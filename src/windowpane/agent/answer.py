"""Answer one turn to its end, whatever the end is.

The loop makes the events, the journal keeps them; this function decides what a failure, a stop
or a shutdown makes of the turn. Text that arrived is never dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator
from contextlib import aclosing, contextmanager
from datetime import datetime

from windowpane.agent.fold import Draft
from windowpane.agent.journal import Ending, Journal, Running
from windowpane.agent.loop import Assignment, LoopEnded, run
from windowpane.errors import Failure, ProviderFailed, VersionConflict, WindowpaneError
from windowpane.events import MessageDone
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.turns import TurnState

logger = logging.getLogger(__name__)


class Stop:
    """Ends a running answer: at once while it waits for the model, never while it is storing."""

    def __init__(self) -> None:
        self.is_by_user = False
        self._is_requested = False
        # A task that is cancelled before its first step never gets to store how it ended.
        self._is_held = True
        self._task: asyncio.Task[None] | None = None

    def bind(self, task: asyncio.Task[None]) -> None:
        self._task = task

    def begin(self) -> None:
        """From here on a request acts at once; one that came earlier acts now."""
        self._is_held = False
        self.check()

    def request(self, *, is_by_user: bool) -> None:
        if self._is_requested:
            return
        self._is_requested, self.is_by_user = True, is_by_user
        if self._task is not None and not self._is_held:
            self._task.cancel()

    async def ended(self) -> None:
        if self._task is not None:
            await asyncio.wait([self._task])

    @contextmanager
    def held(self) -> Generator[None]:
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False

    def check(self) -> None:
        if self._is_requested:
            raise asyncio.CancelledError


async def answer(assignment: Assignment, *, running: Running, journal: Journal, stop: Stop) -> None:
    draft = Draft()
    clock = assignment.means.clock
    try:
        stop.begin()
        ended = await _played(assignment, draft, running=running, journal=journal, stop=stop)
        ending = Ending(state="complete", finish=ended.finish, failure=None, at=clock())
        with stop.held():
            await journal.end(running, ending=ending, last=ended.message)
        return
    except VersionConflict:
        logger.warning("Turn %s was taken over by another process.", running.turn.id)
        return
    except asyncio.CancelledError:
        state: TurnState = "aborted" if stop.is_by_user else "interrupted"
        ending = Ending(state=state, finish="stopped", failure=None, at=clock())
    except ProviderFailed as error:
        ending = _failed(error.failure, at=clock())
    except WindowpaneError as error:
        ending = _failed(Failure(kind="unknown", message=str(error)), at=clock())
    except Exception as error:  # the boundary of a turn: a bug must not leave it hanging
        logger.exception("The answer to turn %s broke", running.turn.id)
        sentence = f"Something went wrong inside Windowpane: {error!r}."
        ending = _failed(Failure(kind="unknown", message=sentence), at=clock())
    with stop.held():
        partial = _partial(draft, running, ending=ending)
        await journal.end(running, ending=ending, last=partial)


async def _played(
    assignment: Assignment,
    draft: Draft,
    *,
    running: Running,
    journal: Journal,
    stop: Stop,
) -> LoopEnded:
    """Run the loop to its end; ``draft`` holds what would be lost if it broke off here."""
    async with aclosing(run(assignment, accounts=running.accounts)) as events:
        async for event in events:
            match event:
                case MessageDone():
                    with stop.held():
                        await journal.keep(running, event.message)
                    draft.clear()
                    stop.check()
                case LoopEnded():
                    return event
                case _:
                    draft.add(event)
                    journal.note(running, event)
    raise AssertionError("a loop that ends says so")


def _failed(failure: Failure, *, at: datetime) -> Ending:
    return Ending(state="error", finish="error", failure=failure, at=at)


def _partial(draft: Draft, running: Running, *, ending: Ending) -> Message | None:
    """The message that was being written, with what its open part holds."""
    if running.log.open is not None:
        draft.add_open(running.log.open.value())
        running.log.open = None
    if draft.is_empty:
        return None
    return draft.message(
        id=new_id("record"), model=running.turn.model, at=ending.at, finish=ending.finish
    )
