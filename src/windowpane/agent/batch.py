"""The calls of one message on their way to results: judged first, then carried out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime

from windowpane.agent.equipment import Equipment
from windowpane.agent.fold import Work
from windowpane.agent.results import STOPPED, open_calls, refusal, results_message
from windowpane.agent.verdicts import Allowed, Asking, Refused, Verdict, verdict_on
from windowpane.agent.working import KeepWhole, carried_out
from windowpane.events import ToolEnded, ToolEvent
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.turns import Decision, PendingCall


class Batch:
    """``is_ending``: the person wants no further step, so none of the calls is made."""

    def __init__(
        self,
        messages: Sequence[Message],
        equipment: Equipment,
        *,
        decisions: Mapping[str, Decision],
        is_ending: bool,
    ) -> None:
        self._messages = messages
        self._equipment = equipment
        self._work = Work()
        self._verdicts: list[Verdict] = [
            Refused(call=call, sentence=STOPPED)
            if is_ending
            else verdict_on(call, equipment, decision=decisions.get(call.call_id))
            for call in open_calls(messages)
        ]

    @property
    def pending(self) -> tuple[PendingCall, ...]:
        """The calls that wait for a person."""
        return tuple(
            PendingCall(call_id=one.call.call_id, name=one.call.name)
            for one in self._verdicts
            if isinstance(one, Asking)
        )

    async def events(self, *, keep_whole: KeepWhole) -> AsyncGenerator[ToolEvent, None]:
        """Carry out what may be. Those that a person must allow stay as they are."""
        for verdict in self._verdicts:
            if isinstance(verdict, Refused):
                yield self._told(ToolEnded(result=refusal(verdict.call, verdict.sentence)))
        allowed = [one for one in self._verdicts if isinstance(one, Allowed)]
        work = carried_out(
            allowed, result_characters=self._equipment.result_characters, keep_whole=keep_whole
        )
        async with aclosing(work) as events:
            async for event in events:
                yield self._told(event)

    def _told(self, event: ToolEvent) -> ToolEvent:
        self._work.add(event)
        return event

    def message(self, *, at: datetime) -> Message:
        """The results that are there, in the order of the calls."""
        work = self._work
        return results_message(
            self._messages, work.results, images=work.images, id=new_id("record"), at=at
        )
