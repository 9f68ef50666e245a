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

from msgspec import Struct, structs

from windowpane.agent.fold import Draft
from windowpane.agent.journal import Journal, Running
from windowpane.agent.loop import Assignment, Clock, run
from windowpane.errors import Failure, ProviderFailed, VersionConflict, WindowpaneError
from windowpane.events import MessageDone, TurnEnded
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.turns import TurnState

logger = logging.getLogger(__name__)


class Ending(Struct, frozen=True, kw_only=True):
    """How a turn ends when it does not end by itself."""

    state: TurnState
    finish: Finish
    failure: Failure | None


class Stop:
    """Ends a running answer: at once while it waits for the model, never while it is storing."""

    def __init__(self) -> None:
        self.is_by_user = False
        self._is_requested = False
        self._is_held = False
        self._task: asyncio.Task[None] | None = None

    def bind(self, task: asyncio.Task[None]) -> None:
        self._task = task

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


async def answer(
    assignment: Assignment, *, running: Running, journal: Journal, stop: Stop, clock: Clock
) -> None:
    draft = Draft()
    try:
        async with aclosing(run(assignment, clock=clock)) as events:
            async for event in events:
                match event:
                    case MessageDone():
                        with stop.held():
                            await journal.keep(running, event.message)
                        draft = Draft()
                        stop.check()
                    case TurnEnded():
                        with stop.held():
                            await journal.end(running, turn=event.turn, partial=None)
                        return
                    case _:
                        draft.add(event)
                        journal.note(running, event)
        raise AssertionError("the loop ended without an end")
    except VersionConflict:
        logger.warning("Turn %s was taken over by another process.", running.turn.id)
        return
    except asyncio.CancelledError:
        ending = _cancelled(stop)
    except ProviderFailed as error:
        ending = Ending(state="error", finish="error", failure=error.failure)
    except WindowpaneError as error:
        ending = _failed(str(error))
    except Exception as error:  # the boundary of a turn: a bug must not leave it hanging
        logger.exception("The answer to turn %s broke", running.turn.id)
        ending = _failed(f"Something went wrong inside Windowpane: {error!r}.")
    with stop.held():
        await _end(assignment, running, journal=journal, draft=draft, ending=ending, at=clock())


def _cancelled(stop: Stop) -> Ending:
    state: TurnState = "aborted" if stop.is_by_user else "interrupted"
    return Ending(state=state, finish="stopped", failure=None)


def _failed(message: str) -> Ending:
    failure = Failure(kind="unknown", message=message)
    return Ending(state="error", finish="error", failure=failure)


async def _end(
    assignment: Assignment,
    running: Running,
    *,
    journal: Journal,
    draft: Draft,
    ending: Ending,
    at: datetime,
) -> None:
    if running.log.open is not None:
        draft.add_open(running.log.open.value())
        running.log.open = None
    partial: Message | None = None
    if not draft.is_empty:
        partial = draft.message(
            id=new_id("record"), model=assignment.turn.model, at=at, finish=ending.finish
        )
    turn = structs.replace(
        assignment.turn,
        state=ending.state,
        finish=ending.finish,
        failure=ending.failure,
        ended_at=at,
    )
    await journal.end(running, turn=turn, partial=partial)
