"""A person's word on tool calls: a waiting turn goes on with it, or ends without its calls."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from windowpane.agent.answering import Answering
from windowpane.agent.attempts import Means
from windowpane.agent.loop import Assignment
from windowpane.agent.outlooks import Outlooks, Prospect
from windowpane.agent.results import STOPPED
from windowpane.agent.waiting import (
    WaitingTurn,
    as_begun,
    decided,
    ended_waiting,
    is_decided,
    last_receipt,
    store_change,
    store_ended,
    waiting_head,
    waiting_turn,
)
from windowpane.choices import Choices
from windowpane.context.receipt import Receipt
from windowpane.errors import NotWaiting
from windowpane.events import TurnResumed
from windowpane.messages import Finish
from windowpane.projects import Chat
from windowpane.storage.branches import before_turn
from windowpane.storage.history import put_run
from windowpane.storage.shelves import CHATS, Run
from windowpane.turns import Decision, Turn, TurnState


class Deciding:
    def __init__(self, means: Means, *, outlooks: Outlooks, answering: Answering) -> None:
        self._means = means
        self._vault = means.vault
        self._outlooks = outlooks
        self._answering = answering

    async def decide(self, turn_id: str, decisions: Mapping[str, Decision]) -> Turn:
        """Accept or reject calls by their ids; with the last of them the turn goes on here."""
        waiting = await waiting_turn(self._vault, turn_id)
        turn = decided(waiting.turn, decisions)
        if is_decided(turn):
            return await self._go_on(waiting, turn)
        await store_change(self._vault, waiting, turn, [])
        await self._answering.following.look(turn.chat_id)
        return turn

    async def stop(self, chat: Chat) -> bool:
        """End the turn for which a chat waits, if there is one."""
        waiting = await waiting_head(self._vault, chat)
        if waiting is None:
            return False
        await self.end(waiting, state="aborted", finish="stopped", sentence=STOPPED)
        return True

    async def end(
        self, waiting: WaitingTurn, *, state: TurnState, finish: Finish, sentence: str
    ) -> None:
        """End a turn without the calls that it waited for."""
        ended = ended_waiting(
            waiting,
            state=state,
            finish=finish,
            sentence=sentence,
            at=self._means.clock(),
            counter=self._means.planner.counter(waiting.turn.model),
        )
        await store_ended(self._vault, waiting, ended)
        await self._answering.following.look(waiting.turn.chat_id)

    async def _go_on(self, waiting: WaitingTurn, turn: Turn) -> Turn:
        chat = (await self._vault.get(CHATS, turn.chat_id)).value
        if chat.head_id != turn.id:
            raise NotWaiting("The chat has left this turn.")
        receipt = await last_receipt(self._vault, turn)
        prospect = await self._prospect(chat, turn, receipt)
        sending = structs.replace(turn, state="sending", pending_calls=())
        run = Run(turn_id=turn.id, process_id=self._answering.process_id)
        claim = put_run(self._vault, run, chat_id=chat.id)
        with self._answering.claiming():
            stored = await store_change(self._vault, waiting, sending, claim)
        self._answering.following.stand_in(chat)
        assignment = Assignment(
            turn=sending,
            messages=waiting.messages,
            means=self._means,
            prospect=prospect,
            plan=None,
            round=receipt.round + 1,
            decisions={call.call_id: call.decision for call in turn.pending_calls if call.decision},
        )
        began = TurnResumed(turn=sending, messages=waiting.messages)
        self._answering.start(assignment, stored=stored, began=began, requests=receipt.number)
        return sending

    async def _prospect(self, chat: Chat, turn: Turn, receipt: Receipt) -> Prospect:
        # Nothing of the turns before is another than it was.
        before = structs.replace(await before_turn(self._vault, chat, turn), revision=chat.revision)
        prospect = await self._outlooks.of(
            before,
            settings=await self._outlooks.applied(before, send=Choices(model=turn.model)),
            turn_id=turn.id,
            filter_text=receipt.filter_text,
            at=turn.created_at,
        )
        outlook = await as_begun(self._vault, prospect.outlook, receipt)
        return structs.replace(prospect, outlook=outlook)
