"""What a person does to turns that are there: mark them, go back to those that were left.

Marks may be set at any time, also while a chat answers. What changes the path waits for that:
until then it is refused with ``ChatBusy``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from windowpane.accounting import Totals, totals_of
from windowpane.agent.branching import Step, neighbour, return_to
from windowpane.agent.clock import Clock
from windowpane.agent.contending import contended
from windowpane.agent.topics import Topics
from windowpane.context.changes import TurnMark, effect_of, mark_change
from windowpane.errors import InvalidInput, NotFound
from windowpane.filters import Everything
from windowpane.ids import new_revision
from windowpane.projects import Chat
from windowpane.storage.accounts import receipts_of
from windowpane.storage.branches import siblings
from windowpane.storage.history import contents_of, put_chat, put_turn
from windowpane.storage.shelves import CHATS, TURNS, deleted_of, left_of
from windowpane.storage.turn_pages import drop_pages
from windowpane.storage.vault import Stored, Vault
from windowpane.turns import Flag, Turn, TurnContent


class TurnMarks(Struct, frozen=True, kw_only=True):
    """What is left out stays as it is; ``topic_id`` null takes the topic away."""

    star: Annotated[int, Meta(ge=0, le=3)] | None = None
    flag: Flag | None = None
    is_pinned: bool | None = None
    is_skipped: bool | None = None
    topic_id: str | UnsetType | None = UNSET


class Swapped(Struct, frozen=True, kw_only=True):
    """``turn_id`` stands in the place now."""

    chat: Chat
    turn_id: str


class FoundTurn(Struct, frozen=True, kw_only=True):
    """A turn, and whether it is not on its chat's path any more."""

    content: TurnContent
    is_left: bool


class Turns:
    def __init__(
        self,
        vault: Vault,
        *,
        topics: Topics,
        clock: Clock,
        tell: Callable[[Chat], None],
    ) -> None:
        self._vault = vault
        self._topics = topics
        self._clock = clock
        self._tell = tell

    async def get(self, turn_id: str) -> Stored[Turn]:
        """A turn that is there, on its chat's path or left of it."""
        stored = await self._vault.get(TURNS, turn_id)
        chat_id = stored.value.chat_id
        if stored.parent_id == deleted_of(chat_id):
            raise NotFound("turn", id=turn_id)
        await self._vault.get(CHATS, chat_id)
        return stored

    async def mark(self, turn_id: str, marks: TurnMarks) -> Turn:
        """Star, flag, pin, skip a turn or give it a topic."""
        turn = (await self.get(turn_id)).value
        return (await self.mark_all(turn.chat_id, [turn_id], marks))[0]

    async def mark_all(self, chat_id: str, turn_ids: Sequence[str], marks: TurnMarks) -> list[Turn]:
        """The same marks for several turns of one chat, all or none."""
        return await contended(lambda: self._mark(chat_id, turn_ids, marks))

    async def _mark(self, chat_id: str, turn_ids: Sequence[str], marks: TurnMarks) -> list[Turn]:
        chat = await self._vault.get(CHATS, chat_id)
        if isinstance(marks.topic_id, str):
            await self._check_topic(marks.topic_id, chat.value)
        stored = await self.of_chat(chat_id, turn_ids)
        turns = [_marked(one.value, marks) for one in stored]
        revised = _revised(chat.value, marks)
        await self._vault.commit(
            [
                *(put_turn(self._vault, *pair) for pair in zip(stored, turns, strict=True)),
                put_chat(self._vault, revised, expected_version=chat.version),
                *drop_pages(self._vault, chat_id, (turn.depth for turn in turns)),
            ]
        )
        self._tell(revised)
        return turns

    async def of_chat(self, chat_id: str, turn_ids: Sequence[str]) -> list[Stored[Turn]]:
        """Those turns of a chat, in the order of their ids; each must be there."""
        found = await self._vault.get_many(TURNS, list(dict.fromkeys(turn_ids)))
        there = {one.id: one for one in found.items if one.parent_id in (chat_id, left_of(chat_id))}
        missing = [id for id in turn_ids if id not in there]
        if missing:
            raise NotFound("turn in this chat", id=missing[0])
        return list(there.values())

    async def _check_topic(self, topic_id: str, chat: Chat) -> None:
        topic = await self._topics.get(topic_id)
        if topic.project_id != chat.project_id:
            raise InvalidInput(f"The topic {topic.name} belongs to another project.")

    async def content(self, turn_id: str) -> TurnContent:
        """A turn with its messages."""
        turn = (await self.get(turn_id)).value
        return (await contents_of(self._vault, [turn])).turns[0]

    async def totals(self, turn_id: str) -> Totals:
        """What all requests of a turn used and cost, those that failed included."""
        await self.get(turn_id)
        receipts = await receipts_of(self._vault, turn_id)
        return totals_of(receipt.entry for receipt in receipts if receipt.entry is not None)

    async def find(self, turn_id: str) -> FoundTurn:
        """A turn with its messages, wherever it lies."""
        stored = await self.get(turn_id)
        [content] = (await contents_of(self._vault, [stored.value])).turns
        return FoundTurn(content=content, is_left=stored.parent_id != stored.value.chat_id)

    async def siblings(self, turn_id: str) -> list[TurnContent]:
        """A turn and those that it replaced or that replaced it, oldest first."""
        return await siblings(self._vault, (await self.get(turn_id)).value)

    async def go_to(self, turn_id: str) -> Chat:
        """Make a turn that was left part of its chat again, with what once followed it."""
        chat = await return_to(self._vault, await self.get(turn_id), at=self._clock())
        self._tell(chat)
        return chat

    async def swap(self, turn_id: str, *, step: Step) -> Swapped:
        """Put the next answer of a turn's place there, or the one before; after the last, the
        first. What followed it comes with it."""
        other_id = await neighbour(self._vault, (await self.get(turn_id)).value, step=step)
        return Swapped(chat=await self.go_to(other_id), turn_id=other_id)


def _revised(chat: Chat, marks: TurnMarks) -> Chat:
    """Marks that no request depends on leave the boundary where the last send had it.

    It is kept without a filter only, so no filter reads them here.
    """
    effect = effect_of(mark_change(mark, tree=Everything()) for mark in _given(marks))
    floor, revision = chat.floor, new_revision()
    if floor and floor.revision == chat.revision and effect == "none":
        floor = structs.replace(floor, revision=revision)
    return structs.replace(chat, revision=revision, floor=floor)


def _given(marks: TurnMarks) -> Iterator[TurnMark]:
    given: dict[TurnMark, bool] = {
        "star": marks.star is not None,
        "flag": marks.flag is not None,
        "pin": marks.is_pinned is not None,
        "skip": marks.is_skipped is not None,
        "topic": marks.topic_id is not UNSET,
    }
    return (mark for mark, is_given in given.items() if is_given)


def _marked(turn: Turn, marks: TurnMarks) -> Turn:
    changes = {name: value for name, value in structs.asdict(marks).items() if value is not None}
    changes["topic_id"] = turn.topic_id if marks.topic_id is UNSET else marks.topic_id
    return structs.replace(turn, **changes)
