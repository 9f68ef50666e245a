"""The agentic loop: plan → stream → tools → again, as an async generator of events.

It decides nothing about what is sent (``context.plan`` does) and stores nothing (its reader
does). It ends with a ``LoopEnded`` or a ``LoopPaused``, or raises what the provider raised.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime

from msgspec import Struct

from windowpane.agent.accounts import Accounts
from windowpane.agent.attempts import Attempts, Means
from windowpane.agent.batch import Batch
from windowpane.agent.fold import Draft
from windowpane.agent.outlooks import Prospect
from windowpane.agent.prefill import begun_with
from windowpane.agent.results import open_calls, with_message
from windowpane.context.plan import ContextPlan
from windowpane.events import AttemptEvent, MessageDone, StreamEvent, ToolEvent
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.storage.history import put_output
from windowpane.storage.shelves import ToolOutput
from windowpane.turns import Decision, PendingCall, Turn

# Whoever declined to answer did not mean the calls that were begun.
DECLINED = frozenset[Finish]({"refusal", "filter"})


class LoopEnded(Struct, frozen=True, kw_only=True):
    """The turn is answered, with this last message unless it ended between two."""

    finish: Finish
    message: Message | None


class LoopPaused(Struct, frozen=True, kw_only=True):
    """Some calls need a person's word; ``results`` holds those that were answered already."""

    pending: tuple[PendingCall, ...]
    results: Message | None


LoopEvent = StreamEvent | AttemptEvent | ToolEvent | MessageDone | LoopEnded | LoopPaused


class Assignment(Struct, frozen=True, kw_only=True):
    """One turn to answer, from its beginning or from where it had to wait.

    ``plan`` is the one it was accepted with, used for its first request; a turn that goes on is
    planned anew. ``round`` is the number of the next request, ``decisions`` are a person's.
    """

    turn: Turn
    messages: tuple[Message, ...]
    means: Means
    prospect: Prospect
    plan: ContextPlan | None
    round: int
    decisions: dict[str, Decision]


async def run(
    assignment: Assignment, *, accounts: Accounts, is_ending: Callable[[], bool]
) -> AsyncGenerator[LoopEvent, None]:
    """``is_ending`` says whether somebody wants the turn to end after the step it is at."""
    course = _Course(assignment, accounts=accounts, is_ending=is_ending)
    while course.end is None:
        step = course.tools() if open_calls(course.messages) else course.request()
        async with aclosing(step) as events:
            async for event in events:
                yield event
    yield course.end


class _Course:
    """The steps of one turn. Each tells its events, and sets ``end`` if no step follows it."""

    def __init__(
        self, assignment: Assignment, *, accounts: Accounts, is_ending: Callable[[], bool]
    ) -> None:
        self._given = assignment
        self._accounts = accounts
        self._is_ending = is_ending
        self._ready = assignment.plan
        self._round = assignment.round
        self._decisions = assignment.decisions
        self._attempts = Attempts(
            assignment.means,
            turn=assignment.turn,
            outlook=assignment.prospect.outlook,
            provider=assignment.prospect.provider,
            accounts=accounts,
            errand=None,
        )
        self.messages: Sequence[Message] = assignment.messages
        self.end: LoopEnded | LoopPaused | None = None

    async def request(self) -> AsyncGenerator[LoopEvent, None]:
        if self._round >= self._given.means.max_iterations:
            self.end = LoopEnded(finish="max_iterations", message=None)
            return
        # A new plan each round: results weigh, too.
        ready = self._ready or await self._attempts.plan(self.messages)
        draft = Draft()
        attempts = self._attempts.stream(self.messages, ready, round=self._round)
        stream = begun_with(ready.prefill, attempts)
        async with aclosing(stream) as events:
            async for event in events:
                draft.add(event)
                yield event
        self._ready, self._round = None, self._round + 1
        finish = draft.finish or ("tool_use" if draft.tool_calls else "stop")
        reply = draft.message(
            id=new_id("record"), model=self._given.turn.model, at=self._now(), finish=finish
        )
        # A provider that paused goes on when it gets back what it said.
        if finish in DECLINED or not (draft.tool_calls or finish == "pause"):
            self.end = LoopEnded(finish=finish, message=reply)
            return
        yield self._spoken(reply)
        if not draft.tool_calls:
            self._end_if_wanted()

    async def tools(self) -> AsyncGenerator[LoopEvent, None]:
        # They are about these calls: a server may count its calls from one again next time.
        decisions, self._decisions = self._decisions, {}
        batch = Batch(
            self.messages,
            self._given.prospect.equipment,
            decisions=decisions,
            is_ending=self._is_ending(),
        )
        async with aclosing(batch.events(keep_whole=self._keep_whole)) as events:
            async for event in events:
                yield event
        results = batch.message(at=self._now())
        if batch.pending:
            self.end = LoopPaused(pending=batch.pending, results=results if results.parts else None)
            return
        yield self._spoken(results)
        self._end_if_wanted()

    def _spoken(self, message: Message) -> MessageDone:
        self.messages = with_message(self.messages, message)
        return MessageDone(message=message)

    def _end_if_wanted(self) -> None:
        if self._is_ending():
            self.end = LoopEnded(finish="stopped", message=None)

    def _keep_whole(self, name: str, text: str) -> str:
        """It goes to disk with whatever is written next."""
        id = new_id("output")
        output = ToolOutput(turn_id=self._given.turn.id, name=name, text=text)
        self._accounts.unwritten.append(put_output(self._given.means.vault, output, id=id))
        return id

    def _now(self) -> datetime:
        return self._given.means.clock()
