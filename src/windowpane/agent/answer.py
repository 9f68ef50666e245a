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

from windowpane.agent.fold import Draft, Work
from windowpane.agent.journal import Ending, Journal, Running
from windowpane.agent.loop import Assignment, LoopEnded, LoopPaused, run
from windowpane.agent.results import (
    CLOSED,
    FAILED,
    STOPPED,
    open_calls,
    refusal,
    results_message,
)
from windowpane.context.receipt import Stage
from windowpane.errors import Failure, ProviderFailed, VersionConflict, WindowpaneError
from windowpane.events import AttemptEvent, MessageDone, StreamEvent, ToolEvent
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.turns import TurnState

logger = logging.getLogger(__name__)

# How the request on its way ends with a turn that ends before it.
STAGES: dict[TurnState, Stage] = {
    "aborted": "aborted",
    "interrupted": "interrupted",
    "error": "error",
}


class Stop:
    """Ends a running answer: at once while it waits for the model, never while it is storing.

    Or softly: after the step that it is at, a request or its tool calls.
    """

    def __init__(self) -> None:
        self.is_by_user = False
        self.is_soft = False
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

    def soften(self) -> None:
        self.is_soft = True

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


class _Unkept:
    """What would be lost if the answer broke off here: a message being written, or calls."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.work = Work()

    def add(self, event: StreamEvent | AttemptEvent | ToolEvent) -> None:
        self.draft.add(event)
        self.work.add(event)

    def clear(self) -> None:
        self.draft.clear()
        self.work.clear()


async def answer(assignment: Assignment, *, running: Running, journal: Journal, stop: Stop) -> None:
    unkept = _Unkept()
    clock = assignment.means.clock
    try:
        stop.begin()
        ended = await _played(assignment, unkept, running=running, journal=journal, stop=stop)
        with stop.held():
            if isinstance(ended, LoopPaused):
                await journal.pause(running, pending=ended.pending, results=ended.results)
            else:
                ending = Ending(state="complete", finish=ended.finish, failure=None, at=clock())
                content = await journal.end(running, ending=ending, last=ended.message)
                # The next send needs it, and would have to read it back.
                assignment.means.planner.contents.keep(content)
        return
    except VersionConflict:
        await _taken(running, journal)
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
    running.accounts.end(STAGES[ending.state], failure=ending.failure, at=ending.at)
    with stop.held():
        partial = _partial(unkept, running, ending=ending)
        try:
            await journal.end(running, ending=ending, last=partial)
        except VersionConflict:
            await _taken(running, journal)


async def _played(
    assignment: Assignment,
    unkept: _Unkept,
    *,
    running: Running,
    journal: Journal,
    stop: Stop,
) -> LoopEnded | LoopPaused:
    loop = run(assignment, accounts=running.accounts, is_ending=lambda: stop.is_soft)
    async with aclosing(loop) as events:
        async for event in events:
            match event:
                case MessageDone():
                    with stop.held():
                        await journal.keep(running, event.message)
                    unkept.clear()
                    stop.check()
                case LoopEnded() | LoopPaused():
                    return event
                case _:
                    unkept.add(event)
                    journal.note(running, event)
    raise AssertionError("a loop that ends says so")


async def _taken(running: Running, journal: Journal) -> None:
    """Another process closed the turn or deleted its chat; what it left is what counts."""
    logger.warning("Turn %s was taken over by another process.", running.turn.id)
    await journal.let_go(running)


def _failed(failure: Failure, *, at: datetime) -> Ending:
    return Ending(state="error", finish="error", failure=failure, at=at)


def _partial(unkept: _Unkept, running: Running, *, ending: Ending) -> Message | None:
    """The message that was being written, with what its open part holds."""
    if open_calls(running.messages):
        return _results(unkept.work, running, ending=ending)
    draft = unkept.draft
    if running.log.open is not None:
        draft.add_open(running.log.open.value())
        running.log.open = None
    if draft.is_empty:
        return None
    return draft.message(
        id=new_id("record"), model=running.turn.model, at=ending.at, finish=ending.finish
    )


def _results(work: Work, running: Running, *, ending: Ending) -> Message:
    """What was done is kept; of the other calls the model hears why they have no result."""
    reasons: dict[TurnState, str] = {"aborted": STOPPED, "interrupted": CLOSED}
    reason = reasons.get(ending.state, FAILED)
    ended = [result.call_id for result in work.results]
    others = [
        refusal(call, "\n\n".join(filter(None, (work.output_of(call.call_id), reason))))
        for call in open_calls(running.messages)
        if call.call_id not in ended
    ]
    return results_message(
        running.messages,
        [*work.results, *others],
        images=work.images,
        id=new_id("record"),
        at=ending.at,
    )
