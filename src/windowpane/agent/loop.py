"""The agentic loop: plan → stream → tools → again, as an async generator of events.

It decides nothing about what is sent (``context.plan`` does) and stores nothing (its reader
does). It ends with a ``LoopEnded``, or raises what the provider raised.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime

from msgspec import Struct

from windowpane.agent.fold import Draft
from windowpane.agent.planner import Outlook, Planner
from windowpane.context.request import ModelRequest
from windowpane.events import MessageDone, StreamEvent
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.parts import ToolCall, ToolResult
from windowpane.providers.base import Provider
from windowpane.turns import Turn

Clock = Callable[[], datetime]


class LoopEnded(Struct, frozen=True, kw_only=True):
    """The turn is answered."""

    finish: Finish


LoopEvent = StreamEvent | MessageDone | LoopEnded


class Assignment(Struct, frozen=True, kw_only=True):
    """One turn to answer: with what, for whom, after which history."""

    turn: Turn
    message: Message
    planner: Planner
    outlook: Outlook
    provider: Provider
    max_iterations: int


async def run(assignment: Assignment, *, clock: Clock) -> AsyncGenerator[LoopEvent, None]:
    turn = assignment.turn
    messages = [assignment.message]
    for _ in range(assignment.max_iterations):
        draft = Draft()
        request = await _request(assignment, messages)
        async with aclosing(assignment.provider.stream(request)) as events:
            async for event in events:
                draft.add(event)
                yield event
        finish = draft.finish or ("tool_use" if draft.tool_calls else "stop")
        reply = draft.message(id=new_id("record"), model=turn.model, at=clock(), finish=finish)
        messages.append(reply)
        yield MessageDone(message=reply)
        if not draft.tool_calls:
            yield LoopEnded(finish=finish)
            return
        results = _results(draft.tool_calls, at=clock())
        messages.append(results)
        yield MessageDone(message=results)
    yield LoopEnded(finish="max_iterations")


async def _request(assignment: Assignment, messages: Sequence[Message]) -> ModelRequest:
    """A new plan each round: tool results weigh, too."""
    ready = await assignment.planner.plan(assignment.outlook, messages)
    return await assignment.planner.request(assignment.outlook, ready)


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
