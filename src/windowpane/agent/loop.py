"""The agentic loop: plan → stream → tools → again, as an async generator of events.

It decides nothing about what is sent (``context.plan`` does) and stores nothing (its reader
does). It ends with a ``LoopEnded``, or raises what the provider raised.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime

from msgspec import Struct

from windowpane.agent.accounts import Accounts
from windowpane.agent.attempts import Attempts, Means
from windowpane.agent.fold import Draft
from windowpane.agent.planner import Outlook
from windowpane.agent.prefill import begun_with
from windowpane.context.plan import ContextPlan
from windowpane.events import AttemptEvent, MessageDone, StreamEvent
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.providers.base import Provider
from windowpane.turns import Turn


class LoopEnded(Struct, frozen=True, kw_only=True):
    """The turn is answered, with this last message unless the rounds ran out."""

    finish: Finish
    message: Message | None


LoopEvent = StreamEvent | AttemptEvent | MessageDone | LoopEnded


class Assignment(Struct, frozen=True, kw_only=True):
    """One turn to answer; ``plan`` is the one it was accepted with, used for the first round."""

    turn: Turn
    message: Message
    means: Means
    outlook: Outlook
    plan: ContextPlan
    provider: Provider
    max_iterations: int


async def run(assignment: Assignment, *, accounts: Accounts) -> AsyncGenerator[LoopEvent, None]:
    turn, clock = assignment.turn, assignment.means.clock
    messages = [assignment.message]
    ready = assignment.plan
    attempts = Attempts(
        assignment.means,
        turn=turn,
        outlook=assignment.outlook,
        provider=assignment.provider,
        accounts=accounts,
    )
    for round in range(assignment.max_iterations):
        draft = Draft()
        stream = begun_with(ready.prefill, attempts.stream(messages, ready, round=round))
        async with aclosing(stream) as events:
            async for event in events:
                draft.add(event)
                yield event
        finish = draft.finish or ("tool_use" if draft.tool_calls else "stop")
        reply = draft.message(id=new_id("record"), model=turn.model, at=clock(), finish=finish)
        if not draft.tool_calls and finish != "pause":
            yield LoopEnded(finish=finish, message=reply)
            return
        messages.append(reply)
        yield MessageDone(message=reply)
        if draft.tool_calls:
            results = _results(draft.tool_calls, at=clock())
            messages.append(results)
            yield MessageDone(message=results)
        # A provider that paused goes on when it gets back what it said. A new plan each round:
        # results weigh, too.
        ready = await attempts.plan(messages)
    yield LoopEnded(finish="max_iterations", message=None)


def _results(calls: Sequence[ToolCall], *, at: datetime) -> Message:
    """No tool is installed yet, and a model that calls one is told so, in call order."""
    results = tuple(
        ToolResult(
            call_id=call.call_id,
            name=call.name,
            text=f"There is no tool called {call.name}.",
            is_error=True,
        )
        for call in calls
    )
    return Message(id=new_id("record"), role="tool", parts=results, created_at=at)
