"""Commands behind a colon, carried out on the turns that the filter before it chooses.

What a command may not do was refused when the line was read, on its syntax tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from msgspec import Struct

from windowpane.agent.deleting import Deletions
from windowpane.agent.topics import Topics
from windowpane.agent.turns import TurnMarks, Turns
from windowpane.agent.views import Views
from windowpane.deletions import Deletion
from windowpane.errors import CommandUnavailable, InvalidInput, NotFound
from windowpane.filters import (
    ChangeTopic,
    Command,
    DeleteTurns,
    Export,
    OpenView,
    SaveView,
    Selection,
    SetFlag,
    SetHud,
    SetPinned,
    SetSkipped,
    SetStar,
    check_delete_size,
)
from windowpane.projects import Chat

Marking = SetStar | SetFlag | SetPinned | SetSkipped


class CommandOutcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a command did. With a ``question`` it did nothing yet and waits to be confirmed.

    ``filter_text`` is what a page shows from now on, if the command opened a view.
    """

    sentence: str
    turns: int
    question: str = ""
    deletion: Deletion | None = None
    filter_text: str | None = None


class Order(Struct, frozen=True, kw_only=True):
    """A command with what it acts on."""

    command: Command
    chat: Chat
    filter_text: str
    chosen: Selection
    is_confirmed: bool
    at: datetime


class Commands:
    def __init__(self, *, turns: Turns, topics: Topics, views: Views, deletions: Deletions) -> None:
        self._turns = turns
        self._topics = topics
        self._views = views
        self._deletions = deletions

    async def carry_out(self, order: Order) -> CommandOutcome:
        match order.command:
            case SetStar() | SetFlag() | SetPinned() | SetSkipped() as command:
                return await self._mark(order, command)
            case ChangeTopic() as command:
                return await self._change_topic(order, command)
            case DeleteTurns(is_forced=is_forced):
                return await self._delete(order, is_forced=is_forced)
            case SaveView(name=name):
                return await self._save(order, name)
            case OpenView(name=name):
                return await self._open(order, name)
            case Export():
                raise CommandUnavailable("export", instead="Chats cannot be exported yet.")
            case SetHud():
                raise CommandUnavailable("hud", instead="It belongs to the page that shows it.")
            case _ as never:
                assert_never(never)

    async def _mark(self, order: Order, command: Marking) -> CommandOutcome:
        ids = order.chosen.turn_ids
        if not ids:
            return CommandOutcome(sentence="Nothing to change.", turns=0)
        marks, word = _marks(command)
        await self._turns.mark_all(order.chat.id, ids, marks)
        return CommandOutcome(sentence=f"{_counted(ids)} {word}.", turns=len(ids))

    async def _change_topic(self, order: Order, command: ChangeTopic) -> CommandOutcome:
        ids = order.chosen.base_turn_ids if command.takes_base else order.chosen.turn_ids
        topic_id = await self._target(order.chat, command)
        if not ids:
            return CommandOutcome(sentence="Nothing to change.", turns=0)
        if command.is_dry_run:
            return CommandOutcome(sentence=f"[dry-run] Would change {_counted(ids)}.", turns=0)
        if command.asks_first and not order.is_confirmed:
            question = f"Change the topic of {_counted(ids)}?"
            return CommandOutcome(sentence="", turns=len(ids), question=question)
        await self._turns.mark_all(order.chat.id, ids, TurnMarks(topic_id=topic_id))
        return CommandOutcome(sentence=f"Changed the topic of {_counted(ids)}.", turns=len(ids))

    async def _target(self, chat: Chat, command: ChangeTopic) -> str:
        if command.topic is not None:
            return (await self._topics.tree(chat.project_id)).only(command.topic)
        current = await self._topics.current(chat)
        if current is None:
            raise InvalidInput("This chat has no current topic. Name one: :tchange 'Topic path'.")
        return current.id

    async def _delete(self, order: Order, *, is_forced: bool) -> CommandOutcome:
        ids = order.chosen.turn_ids
        check_delete_size(len(ids), is_forced=is_forced)
        if not ids:
            return CommandOutcome(sentence="Nothing to delete.", turns=0)
        if not order.is_confirmed:
            question = f"Delete {_counted(ids)}?"
            return CommandOutcome(sentence="", turns=len(ids), question=question)
        turns = await self._turns.of_chat(order.chat.id, ids)
        deletion = await self._deletions.delete_turns(order.chat.id, turns)
        return CommandOutcome(sentence=deletion.sentence, turns=len(ids), deletion=deletion)

    async def _save(self, order: Order, name: str) -> CommandOutcome:
        view = await self._views.save(
            order.chat.project_id, name=name, filter_text=order.filter_text, at=order.at
        )
        return CommandOutcome(sentence=f"Saved as the view {view.name}.", turns=0)

    async def _open(self, order: Order, name: str) -> CommandOutcome:
        views = await self._views.of(order.chat.project_id)
        found = next((view for view in views if view.name == name), None)
        if found is None:
            raise NotFound("view called", id=name)
        sentence = f"Opened the view {found.name}."
        return CommandOutcome(sentence=sentence, turns=0, filter_text=found.filter_text)


def _marks(command: Marking) -> tuple[TurnMarks, str]:
    """What a command sets, and how one says that it did."""
    match command:
        case SetStar(star=star):
            return TurnMarks(star=star), f"given {_stars(star)}"
        case SetFlag(flag=flag):
            return TurnMarks(flag=flag), f"flagged {flag}"
        case SetPinned(is_pinned=is_pinned):
            return TurnMarks(is_pinned=is_pinned), "pinned" if is_pinned else "unpinned"
        case SetSkipped(is_skipped=is_skipped):
            word = "skipped" if is_skipped else "no longer skipped"
            return TurnMarks(is_skipped=is_skipped), word


def _stars(star: int) -> str:
    return f"{star} star{'' if star == 1 else 's'}"


def _counted(ids: Sequence[str]) -> str:
    return f"{len(ids):,} turn{'' if len(ids) == 1 else 's'}"
