"""A message on its way: checked, planned, stored together with its turn, and then answered.

Everything that can be refused is refused before anything is stored, so that the text stays with
its writer. If the chat goes on meanwhile, storing is what fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from windowpane.agent.answering import Answering
from windowpane.agent.attempts import Means
from windowpane.agent.branching import asked_in, depart, reason_for
from windowpane.agent.deciding import Deciding
from windowpane.agent.loop import Assignment
from windowpane.agent.outlooks import Outlooks, Prospect
from windowpane.agent.planner import Outlook, floor_after
from windowpane.agent.results import REJECTED
from windowpane.agent.turns import Turns
from windowpane.agent.waiting import rest_accepted, waiting_head
from windowpane.asking import AskAgain, SendRequest, checked_moment, checked_text, chosen_for
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.drafts import DraftPlace
from windowpane.errors import HeadMoved, InvalidInput, PromptTooLarge, VersionConflict
from windowpane.events import TurnStarted
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Part, Text
from windowpane.projects import Chat, first_words
from windowpane.records import Place
from windowpane.storage.base import Change
from windowpane.storage.branches import before_turn
from windowpane.storage.history import (
    put_chat,
    put_message,
    put_new_turn,
    put_run,
    stored_new_turn,
)
from windowpane.storage.shelves import CHATS, DRAFTS, TURNS, Run
from windowpane.storage.vault import Stored
from windowpane.turns import Turn


class _Asked(Struct, frozen=True, kw_only=True):
    """A turn that could begin: ``before`` is the chat it would come to, less what it replaces."""

    stored: Stored[Chat]
    before: Chat
    replaced: Turn | None
    turn: Turn
    message: Message
    prospect: Prospect


class Sending:
    """``limit_bytes`` is how long a message may be."""

    def __init__(
        self,
        means: Means,
        *,
        turns: Turns,
        outlooks: Outlooks,
        answering: Answering,
        deciding: Deciding,
        limit_bytes: int,
    ) -> None:
        self._means = means
        self._turns = turns
        self._vault = means.vault
        self._outlooks = outlooks
        self._answering = answering
        self._deciding = deciding
        self._limit_bytes = limit_bytes

    async def send(self, chat_id: str, request: SendRequest) -> Turn:
        return await self._send(chat_id, request, others=(), draft=DraftPlace("chat", chat_id))

    async def ask_again(self, turn_id: str, again: AskAgain) -> Turn:
        turn = (await self._turns.get(turn_id)).value
        asked = await asked_in(self._vault, turn)
        if asked is None:
            raise InvalidInput("The message of this turn cannot be opened. Write it anew.")
        text = asked.text if again.text is None else again.text
        request = SendRequest(
            text=checked_text(text, limit_bytes=self._limit_bytes),
            model=again.model,
            seen_head_id=again.seen_head_id,
            filter_text=again.filter_text,
            replaces_turn_id=turn_id,
        )
        others = tuple(part for part in asked.parts if not isinstance(part, Text))
        draft = DraftPlace("edit", turn_id)
        return await self._send(turn.chat_id, request, others=others, draft=draft)

    async def _send(
        self, chat_id: str, request: SendRequest, *, others: Sequence[Part], draft: DraftPlace
    ) -> Turn:
        """``others`` are what the message has beside its text; ``draft`` is used up with it."""
        while True:
            stored = await self._vault.get(CHATS, chat_id)
            try:
                return await self._sent(stored, request, others=others, draft=draft)
            except HeadMoved:
                # A chat that only got another name, or a mark, is the one that the sender saw.
                now = await self._vault.get(CHATS, chat_id)
                if now.version == stored.version or now.value.head_id != stored.value.head_id:
                    raise

    async def _sent(
        self,
        stored: Stored[Chat],
        request: SendRequest,
        *,
        others: Sequence[Part],
        draft: DraftPlace,
    ) -> Turn:
        _require_seen(stored.value, request)
        waiting = await waiting_head(self._vault, stored.value)
        if waiting is not None and not request.text.strip():
            return await self._deciding.decide(waiting.turn.id, rest_accepted(waiting.turn))
        asked = await self._asked(stored, request, others=others)
        ready = await self._planned(asked)
        if waiting is not None:
            # Only now that the message can be sent; with the rejections it is planned anew.
            await self._deciding.end(
                waiting, state="complete", finish="tool_use", sentence=REJECTED
            )
            ready = await self._planned(asked)
        await self._claim(asked, ready, draft=draft)
        self._start(asked, ready)
        return asked.turn

    async def _asked(
        self, stored: Stored[Chat], request: SendRequest, *, others: Sequence[Part]
    ) -> _Asked:
        text = checked_text(request.text, limit_bytes=self._limit_bytes)
        replaced = await self._replaced(stored.value, request.replaces_turn_id)
        before = stored.value
        if replaced is not None:
            before = await before_turn(self._vault, before, replaced)
        settings = await self._outlooks.applied(before, send=chosen_for(request))
        at = now = self._means.clock()
        if request.written_at is not None:
            at = checked_moment(request.written_at, now=now)
        turn_id = new_id("turn")
        prospect = await self._outlooks.of(
            before, settings=settings, turn_id=turn_id, filter_text=request.filter_text, at=at
        )
        message = await self._outlooks.worded(text, chat=before, settings=settings, at=at)
        return _Asked(
            stored=stored,
            before=before,
            replaced=replaced,
            turn=_new_turn(before, id=turn_id, outlook=prospect.outlook, message=message),
            message=structs.replace(message, parts=(*message.parts, *others)),
            prospect=prospect,
        )

    async def _replaced(self, chat: Chat, replaced_id: str | None) -> Turn | None:
        """The turn of the path whose place a message takes."""
        if replaced_id is None:
            return None
        stored = await self._vault.get(TURNS, replaced_id)
        if stored.parent_id != chat.id:
            raise InvalidInput(f"The turn {replaced_id} is not on this chat's path.")
        return stored.value

    async def _planned(self, asked: _Asked) -> ContextPlan:
        outlook = asked.prospect.outlook
        ready = await self._means.planner.plan(outlook, [asked.message], overflow=NO_OVERFLOW)
        if ready.unsendable is not None:
            raise PromptTooLarge(ready.unsendable.message)
        if outlook.caps:
            price = await self._means.models.price(outlook.model)
            call = outlook.call(receipt_id="", input_tokens=ready.total_tokens, price=price)
            await self._means.budgets.check(outlook.caps, outlook.place, call)
        return ready

    async def _claim(self, asked: _Asked, ready: ContextPlan, *, draft: DraftPlace) -> None:
        turn, message = asked.turn, asked.message
        chat = structs.replace(
            asked.before,
            head_id=turn.id,
            deleted_tip_id=None,
            turn_count=turn.depth + 1,
            active_at=self._means.clock(),
            title=asked.before.title or first_words(message.text),
            floor=floor_after(asked.prospect.outlook, ready),
        )
        leaving: tuple[Change, ...] = ()
        if asked.replaced is not None:
            chat, leaving = await self._leaving(asked, asked.replaced, chat)
        run = Run(turn_id=turn.id, process_id=self._answering.process_id)
        changes = [
            *leaving,
            *put_run(self._vault, run, chat_id=chat.id),
            put_chat(self._vault, chat, expected_version=asked.stored.version),
            put_new_turn(self._vault, turn),
            put_message(self._vault, message, turn_id=turn.id, position=0),
            self._vault.delete(DRAFTS, str(draft)),
        ]
        try:
            with self._answering.claiming():
                await self._vault.commit(changes)
        except VersionConflict as conflict:
            if conflict.table != "runs":
                raise HeadMoved from conflict
            raise await self._answering.busy_or_moved(chat.id) from conflict

    async def _leaving(
        self, asked: _Asked, replaced: Turn, chat: Chat
    ) -> tuple[Chat, tuple[Change, ...]]:
        turn = asked.turn
        reason = await reason_for(self._vault, replaced, message=asked.message, model=turn.model)
        departure = await depart(
            self._vault,
            asked.stored.value,
            chat,
            place=Place(depth=turn.depth, after_id=turn.parent_id),
            reason=reason,
            next_depth=turn.depth,
            at=turn.created_at,
        )
        return departure.chat, departure.changes

    def _start(self, asked: _Asked, ready: ContextPlan) -> None:
        self._answering.following.stand_at(asked.stored.value, revision=asked.before.revision)
        assignment = Assignment(
            turn=asked.turn,
            messages=(asked.message,),
            means=self._means,
            prospect=asked.prospect,
            plan=ready,
            round=0,
            decisions={},
        )
        self._answering.start(
            assignment,
            stored=stored_new_turn(asked.turn),
            began=TurnStarted(turn=asked.turn, message=asked.message),
            requests=0,
        )


def _require_seen(chat: Chat, request: SendRequest) -> None:
    if request.seen_head_id is not None and request.seen_head_id != (chat.head_id or ""):
        raise HeadMoved


def _new_turn(chat: Chat, *, id: str, outlook: Outlook, message: Message) -> Turn:
    return Turn(
        id=id,
        chat_id=chat.id,
        parent_id=chat.tip_id,
        depth=chat.turn_count,
        model=outlook.model,
        state="sending",
        created_at=message.created_at,
        topic_id=outlook.view.viewpoint.current_topic_id,
    )
