"""The workspace: everything the page, the command line and a program can do.

It is the only place where storage, providers and the loop meet. It draws nothing and parses no
request; each method is one act of a person, stored before it returns.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, tzinfo
from types import TracebackType

from msgspec import Struct, structs

from windowpane.accounting import ChatTotals
from windowpane.agent.accounts import Accounts
from windowpane.agent.answer import Stop, answer
from windowpane.agent.attempts import Means
from windowpane.agent.branching import asked_in, depart, reason_for
from windowpane.agent.budgets import Budgets, BudgetState, Call
from windowpane.agent.chat_page import read_page
from windowpane.agent.choices import ChosenSettings
from windowpane.agent.commanding import CommandOutcome, Commands, Order
from windowpane.agent.deleting import Deletions
from windowpane.agent.digest import short_name
from windowpane.agent.drafts import Drafts
from windowpane.agent.equipment import toolset_of
from windowpane.agent.fold import Unfinished
from windowpane.agent.following import Following
from windowpane.agent.forking import fork
from windowpane.agent.journal import Journal, Running
from windowpane.agent.lease import Lease
from windowpane.agent.lens import Lens, lens_of
from windowpane.agent.log import LogReader
from windowpane.agent.loop import Assignment
from windowpane.agent.models import ModelList, Models
from windowpane.agent.moving import Moved, move_chat
from windowpane.agent.planner import LookedAt, Outlook, Planner, Sight, floor_after
from windowpane.agent.purging import Purger
from windowpane.agent.receipts import Receipts
from windowpane.agent.recovery import interrupt_all_dead, interrupt_if_dead
from windowpane.agent.results import REJECTED, STOPPED
from windowpane.agent.retry import policy_from
from windowpane.agent.search import Search, SearchScope
from windowpane.agent.topics import Topics
from windowpane.agent.totals import chat_totals
from windowpane.agent.turns import Turns
from windowpane.agent.usage import UsageBook
from windowpane.agent.views import Views
from windowpane.agent.waiting import (
    WaitingTurn,
    as_begun,
    decided,
    ended_waiting,
    is_decided,
    last_receipt,
    rest_accepted,
    store_change,
    store_ended,
    waiting_head,
    waiting_turn,
)
from windowpane.agent.wording import Wording
from windowpane.agent.workshop import Workshop
from windowpane.choices import NOTHING_CHOSEN, Choices
from windowpane.context.applied import Applied, toolbox_of
from windowpane.context.estimate import SendEstimate, estimate
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.context.toolset import Toolset
from windowpane.deletions import Deletion
from windowpane.drafts import DraftPlace
from windowpane.errors import (
    ChatBusy,
    HeadMoved,
    InvalidInput,
    MessageEmpty,
    MessageTooLarge,
    NoModel,
    NothingRunning,
    NotWaiting,
    PromptTooLarge,
    RecordDamaged,
    StorageError,
    VersionConflict,
)
from windowpane.events import (
    EventId,
    OpenPart,
    SendHeld,
    ToolRun,
    TurnResumed,
    TurnStarted,
)
from windowpane.filters import Viewpoint, parse, parse_line
from windowpane.ids import new_id
from windowpane.messages import Finish, Message
from windowpane.parts import Part, Text
from windowpane.projects import Chat, Project, checked_name
from windowpane.records import Place, SpecialRecord
from windowpane.search import Found
from windowpane.settings import Settings
from windowpane.storage.base import Change, Notice
from windowpane.storage.branches import TurnPlace, before_turn
from windowpane.storage.history import (
    put_chat,
    put_message,
    put_new_turn,
    put_project,
    put_run,
    stored_new_turn,
)
from windowpane.storage.shelves import (
    CHATS,
    DRAFTS,
    PREFERENCES,
    PREFERENCES_ID,
    PROJECTS,
    RUNS,
    TOP,
    TURNS,
    Preferences,
    Run,
)
from windowpane.storage.specials import specials_of
from windowpane.storage.vault import Listing, Stored, Vault
from windowpane.tokens import TokenCache
from windowpane.turns import Decision, Turn, TurnContent, TurnState

logger = logging.getLogger(__name__)

TITLE_LIMIT_CHARACTERS = 60
# A chat that another process is answering may go on while it is being deleted.
DELETE_ATTEMPTS = 5
# About 100 bytes each; a message is a handful of counts.
KEPT_TOKEN_COUNTS = 50_000


class SendRequest(Struct, frozen=True, kw_only=True):
    """``seen_head_id`` is the last turn the sender saw; None means it does not care.

    An empty string says that the sender saw an empty chat. What the filter hides is not sent.
    With ``replaces_turn_id`` the message takes the place of an earlier turn: that one and what
    followed it are left, not lost. ``choices`` are for this send alone, and so is ``model``.
    ``written_at`` is the lens's clock: what it showed is sent. Where the chat waits for a word on
    tool calls, an empty text accepts them and a message rejects them.
    """

    text: str
    model: str | None = None
    seen_head_id: str | None = None
    filter_text: str = ""
    replaces_turn_id: str | None = None
    written_at: datetime | None = None
    choices: Choices = NOTHING_CHOSEN


class AskAgain(Struct, frozen=True, kw_only=True):
    """How a turn is asked again: with another model, another text, what the filter shows.

    What is left out stays: the chat's model, the turn's own words, all of the chat.
    """

    text: str | None = None
    model: str | None = None
    seen_head_id: str | None = None
    filter_text: str = ""


class PlanRequest(Struct, frozen=True, kw_only=True):
    """The draft as it stands, and what else the plan shall assume."""

    draft: str = ""
    model: str | None = None
    filter_text: str = ""
    choices: Choices = NOTHING_CHOSEN


class ChatPage(Struct, frozen=True, kw_only=True):
    """A page of a chat as it stands, and the place in the log from which to follow it.

    ``records`` stand between the turns; ``places`` are of those turns that have siblings;
    ``others`` can be gone back to where a record says that something was deleted. ``tool_runs``
    are the calls that are being carried out now.
    """

    chat: Chat
    turns: tuple[TurnContent, ...]
    records: tuple[SpecialRecord, ...]
    places: dict[str, TurnPlace]
    others: dict[str, tuple[str, ...]]
    open_part: OpenPart | None
    held: SendHeld | None
    tool_runs: tuple[ToolRun, ...]
    is_answering: bool
    has_older: bool
    position: EventId
    damaged: tuple[RecordDamaged, ...]


class Workspace:
    def __init__(self, vault: Vault, *, settings: Settings) -> None:
        self.settings = settings
        self._vault = vault
        self._process_id = new_id("process")
        self._stops: dict[str, Stop] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watches: list[asyncio.Task[None]] = []
        self._journal = Journal(
            vault, flush_seconds=settings.open_part_flush_seconds, lost=self._lost
        )
        self._following = Following(
            vault, process_id=self._process_id, answered_here=self._stops.keys()
        )
        self._lease = Lease(
            vault,
            process_id=self._process_id,
            stops=self._stops,
            tell=self._following.wake,
            clock=_now,
        )
        self.models = Models(vault, settings=settings)
        self.topics = Topics(vault)
        self.turns = Turns(vault, topics=self.topics, clock=_now, tell=self._following.tell_changed)
        self.views = Views(vault)
        self.choices = ChosenSettings(
            vault, models=self.models, topics=self.topics, default_model=self.default_model
        )
        self.searching = Search(vault)
        self.purger = Purger(vault, clock=_now)
        self.deletions = Deletions(
            vault,
            undo_seconds=settings.undo_seconds,
            clock=_now,
            tell=self._following.tell_changed,
        )
        self._commands = Commands(
            turns=self.turns, topics=self.topics, views=self.views, deletions=self.deletions
        )
        self._planner = Planner(
            vault, models=self.models, cache=TokenCache(max_entries=KEPT_TOKEN_COUNTS)
        )
        self.drafts = Drafts(vault, limit_bytes=settings.message_limit_bytes, clock=_now)
        self.usage = UsageBook(vault, clock=_now)
        self._wording = Wording(vault, usage=self.usage)
        self.budgets = Budgets(vault, usage=self.usage, process_id=self._process_id)
        self.workshop = Workshop(
            vault,
            models=self.models,
            planner=self._planner,
            search=self.searching,
            settings=settings,
        )
        self.receipts = Receipts(
            vault,
            models=self.models,
            contents=self._planner.contents,
            counter=self._planner.counter,
        )
        self._means = Means(
            vault=vault,
            models=self.models,
            planner=self._planner,
            budgets=self.budgets,
            policy=policy_from(settings),
            clock=_now,
        )

    async def __aenter__(self) -> Workspace:
        await self._vault.open()
        self._following.begin(epoch=await self._vault.store.next_epoch())
        await self._vault.store.join(self._process_id)
        await self._vault.store.listen(self._heard)
        await interrupt_all_dead(self._vault, at=_now())
        await self.models.open()
        self._lease.suspect()
        for forever in (
            self._journal.flush_forever,
            self._following.run_forever,
            self._lease.heed_forever,
            self._lease.watch_forever,
            self.purger.run_forever,
        ):
            self._watches.append(asyncio.create_task(forever()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for stop in self._stops.values():
            stop.request(is_by_user=False)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        await self.models.close()
        await self._vault.close()

    @property
    def session_key(self) -> bytes:
        """Signs the page's cookies: as lasting as the vault, and useless without it."""
        return self._vault.derived_key("web session")

    # Projects

    async def projects(self) -> Listing[Project]:
        return await self._vault.all_children(PROJECTS, [TOP])

    async def project(self, project_id: str) -> Project:
        return (await self._vault.get(PROJECTS, project_id)).value

    async def create_project(self, *, name: str) -> Project:
        project = Project(id=new_id("project"), name=checked_name(name), created_at=_now())
        await self._vault.commit([put_project(self._vault, project, expected_version=0)])
        return project

    async def rename_project(self, project_id: str, *, name: str) -> Project:
        stored = await self._vault.get(PROJECTS, project_id)
        project = structs.replace(stored.value, name=checked_name(name))
        put = put_project(self._vault, project, expected_version=stored.version)
        await self._vault.commit([put])
        return project

    async def delete_project(self, project_id: str) -> Deletion:
        """With all its chats; those that are answering are stopped first."""
        await self.project(project_id)
        chats = await self._vault.child_ids(CHATS, project_id)
        deletion = await self._deleted(chats, lambda: self.deletions.delete_project(project_id))
        for chat_id in chats:
            self._following.forget(chat_id)
        self.purger.wake()
        return deletion

    # Chats

    async def chats(self, project_id: str) -> Listing[Chat]:
        """Newest activity first."""
        return await self._vault.children(
            CHATS,
            [project_id],
            from_position=None,
            to_position=None,
            newest_first=True,
            limit=None,
        )

    async def chat(self, chat_id: str) -> Chat:
        return (await self._vault.get(CHATS, chat_id)).value

    async def create_chat(self, project_id: str) -> Chat:
        await self.project(project_id)
        now = _now()
        chat = Chat(
            id=new_id("chat"), project_id=project_id, title="", created_at=now, active_at=now
        )
        await self._vault.commit([put_chat(self._vault, chat, expected_version=0)])
        return chat

    async def rename_chat(self, chat_id: str, *, title: str) -> Chat:
        stored = await self._vault.get(CHATS, chat_id)
        chat = structs.replace(stored.value, title=checked_name(title))
        await self._vault.commit([put_chat(self._vault, chat, expected_version=stored.version)])
        return chat

    async def choose_model(self, chat_id: str, *, model: str) -> Chat:
        """The chat answers with this model from now on, and new chats begin with it."""
        await self.models.read()
        self.models.resolve(model)
        stored = await self._vault.get(CHATS, chat_id)
        choices = structs.replace(stored.value.choices, model=model)
        chat = structs.replace(stored.value, choices=choices)
        await self._vault.commit(
            [
                put_chat(self._vault, chat, expected_version=stored.version),
                self._put_preferences(Preferences(model=model)),
            ]
        )
        return chat

    async def choose_topic(self, chat_id: str, *, topic_id: str | None) -> Chat:
        """The topic of turns to come, and what a bare ``t`` means in this chat's filters."""
        stored = await self._vault.get(CHATS, chat_id)
        if topic_id is not None:
            topic = await self.topics.get(topic_id)
            if topic.project_id != stored.value.project_id:
                raise InvalidInput(f"The topic {topic.name} belongs to another project.")
        chat = structs.replace(stored.value, topic_id=topic_id)
        await self._vault.commit([put_chat(self._vault, chat, expected_version=stored.version)])
        return chat

    async def delete_chat(self, chat_id: str) -> Deletion:
        """If it is answering, the answer is stopped first."""
        await self.chat(chat_id)
        deletion = await self._deleted([chat_id], lambda: self.deletions.delete_chat(chat_id))
        self._following.forget(chat_id)
        self.purger.wake()
        return deletion

    async def move_chat(self, chat_id: str, *, project_id: str) -> Moved:
        """Topics go along as far as the other project has them at the same path."""
        chat = await self.chat(chat_id)
        await self.project(project_id)
        moved = await move_chat(
            self._vault,
            chat_id,
            project_id=project_id,
            old=await self.topics.tree(chat.project_id),
            new=await self.topics.tree(project_id),
            at=_now(),
        )
        self._following.tell_changed(moved.chat)
        return moved

    async def fork(self, chat_id: str, *, turn_id: str | None) -> Chat:
        """A new chat with copies of everything up to a turn, or of the whole path."""
        chat = await self.chat(chat_id)
        last_id = turn_id or chat.head_id
        if last_id is None:
            raise InvalidInput("This chat has no turns, so there is nothing to fork.")
        [turn] = await self.turns.of_chat(chat_id, [last_id])
        return await fork(self._vault, chat, turn, at=_now())

    async def totals(self, chat_id: str) -> ChatTotals:
        """What the chat has cost: its own requests, and what it inherited as a fork."""
        return await chat_totals(self._vault, await self.chat(chat_id))

    async def records(self, chat_id: str) -> list[SpecialRecord]:
        """Titles, summaries and accounts of a chat, on every branch."""
        await self.chat(chat_id)
        return await specials_of(self._vault, chat_id)

    async def delete_turn(self, turn_id: str) -> Deletion:
        """If the turn is being answered or waits for a person, it is stopped first."""
        turn = (await self.turns.get(turn_id)).value
        run = await self._vault.find(RUNS, turn.chat_id)
        if run is not None and run.value.turn_id == turn_id:
            await self._end_answer(turn.chat_id)
        waiting = await waiting_head(self._vault, await self.chat(turn.chat_id))
        if waiting is not None and waiting.turn.id == turn_id:
            await self._end_waiting(waiting, state="aborted", finish="stopped", sentence=STOPPED)
        stopped = await self.turns.get(turn_id)
        deletion = await self.deletions.delete_turns(turn.chat_id, [stopped])
        self.purger.wake()
        return deletion

    async def run_command(self, chat_id: str, line: str, *, is_confirmed: bool) -> CommandOutcome:
        """Carry out ``<filter> :command``. Those that ask first do nothing until confirmed."""
        parsed = parse_line(line)
        if parsed.command is None:
            raise InvalidInput("There is no command in this line. One begins with a colon.")
        at = _now()
        looked = PlanRequest(filter_text=parsed.filter_text)
        outlook, _ = await self._looked_at(chat_id, looked, at=at)
        order = Order(
            command=parsed.command,
            chat=outlook.chat,
            filter_text=parsed.filter_text,
            chosen=await self._planner.chosen(outlook),
            is_confirmed=is_confirmed,
            at=at,
        )
        outcome = await self._commands.carry_out(order)
        self.purger.wake()
        return outcome

    # Reading

    async def page(self, chat_id: str, *, before_depth: int | None, limit: int) -> ChatPage:
        """The newest turns, or those before a depth, with the running turn as it stands now."""
        chat = await self.chat(chat_id)
        await self._following.sync(chat_id)
        position = self.position(chat_id)
        page = await read_page(self._vault, chat, before_depth=before_depth, limit=limit)
        turns = page.turns
        unfinished, open_part = self._live(chat_id)
        if unfinished is not None:
            live = unfinished.content(draft_id=unfinished.turn.id)
            turns = tuple(_as_it_runs(live, old) for old in turns)
        return ChatPage(
            chat=chat,
            turns=turns,
            records=page.records,
            places=page.places,
            others=page.others,
            open_part=open_part,
            held=unfinished.held if unfinished else None,
            tool_runs=tuple(unfinished.work.runs) if unfinished else (),
            is_answering=unfinished is not None,
            has_older=page.has_older,
            position=position,
            damaged=page.damaged,
        )

    async def search(self, query: str, *, scope: SearchScope, limit: int) -> Found:
        """The turns that answer best, on every branch, and the chats whose titles do."""
        return await self.searching.find(query, scope=scope, limit=limit, at=_now())

    def position(self, chat_id: str) -> EventId:
        """The newest place in the chat's log, as far as this process has read it."""
        return self._following.log(chat_id).position

    def follow(self, chat_id: str, *, after: EventId) -> LogReader:
        """Events of the chat after a place in its log, for as long as the reader wants.

        Whichever process answers: what another one stores appears here about twice a second.
        """
        return self._following.reader(chat_id, after=after)

    def follow_turn(self, chat_id: str) -> LogReader:
        """Events of the chat's newest turn from its beginning, and what comes after."""
        return self._following.reader_of_turn(chat_id)

    def _live(self, chat_id: str) -> tuple[Unfinished | None, OpenPart | None]:
        log = self._following.log(chat_id)
        if not log.is_running:
            return None, None
        unfinished = Unfinished.of(logged.event for logged in log.events)
        return unfinished, log.open.value() if log.open else None

    # Sending

    async def send(self, chat_id: str, request: SendRequest) -> Turn:
        """Store the message and start answering; the answer is made here, whoever watches."""
        draft = DraftPlace("chat", chat_id)
        return await self._send(chat_id, request, others=(), draft=draft)

    async def ask_again(self, turn_id: str, again: AskAgain) -> Turn:
        """Edit a message, retry it, or let another model answer: a sibling takes its place.

        The turn and what followed it are left, not lost.
        """
        turn = (await self.turns.get(turn_id)).value
        asked = await asked_in(self._vault, turn)
        if asked is None:
            raise InvalidInput("The message of this turn cannot be opened. Write it anew.")
        request = SendRequest(
            text=self._checked(asked.text if again.text is None else again.text),
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
        stored = await self._vault.get(CHATS, chat_id)
        if request.seen_head_id is not None and request.seen_head_id != (
            stored.value.head_id or ""
        ):
            raise HeadMoved
        waiting = await waiting_head(self._vault, stored.value)
        if waiting is not None and not request.text.strip():
            return await self.decide(waiting.turn.id, rest_accepted(waiting.turn))
        text = self._checked(request.text)
        replaced = await self._replaced(stored.value, request.replaces_turn_id)
        before = stored.value
        if replaced is not None:
            before = await before_turn(self._vault, before, replaced)
        settings = await self.applied(before, send=_send_choices(request))
        await self.models.read()
        provider, _ = self.models.resolve(settings.model)
        at = request.written_at or _now()
        message = await self._worded(text, chat=before, settings=settings, at=at)
        message = structs.replace(message, parts=(*message.parts, *others))
        turn, chat = _begun(before, message=message, model=settings.model, at=_now())
        equipment = await self.workshop.equipment(
            chat_id=chat_id,
            depth=turn.depth,
            turn_id=turn.id,
            model=turn.model,
            toolbox=toolbox_of(settings),
        )
        toolset = await toolset_of(equipment, toolbox=toolbox_of(settings))

        # Planned before the claim: what cannot be sent is not stored, and the text stays with
        # its writer. If the chat goes on meanwhile, the claim is what fails.
        async def planned() -> tuple[Outlook, ContextPlan]:
            outlook = await self._outlook(
                before,
                settings=settings,
                filter_text=request.filter_text,
                toolset=toolset,
                at=turn.created_at,
            )
            ready = await self._planner.plan(outlook, [message], overflow=NO_OVERFLOW)
            if ready.unsendable is not None:
                raise PromptTooLarge(ready.unsendable.message)
            await self._require_budget(outlook, ready)
            return outlook, ready

        outlook, ready = await planned()
        if waiting is not None:
            # Only now that the message can be sent; with the rejections it is planned anew.
            await self._end_waiting(waiting, state="complete", finish="tool_use", sentence=REJECTED)
            outlook, ready = await planned()
        chat = structs.replace(chat, floor=floor_after(outlook, ready))
        await self._claim(
            stored, chat=chat, turn=turn, message=message, replaced=replaced, draft=draft
        )
        self._following.stand_at(stored.value, revision=chat.revision)
        assignment = Assignment(
            turn=turn,
            messages=(message,),
            means=self._means,
            outlook=outlook,
            plan=ready,
            provider=provider,
            equipment=equipment,
            round=0,
            max_iterations=self.settings.max_iterations,
            decisions={},
        )
        self._start(
            assignment,
            stored=stored_new_turn(turn),
            began=TurnStarted(turn=turn, message=message),
            requests=0,
        )
        return turn

    # Tool calls that wait for a person

    async def decide(self, turn_id: str, decisions: Mapping[str, Decision]) -> Turn:
        """Accept or reject calls by their ids; with the last of them the turn goes on here."""
        waiting = await waiting_turn(self._vault, turn_id)
        turn = decided(waiting.turn, decisions)
        if is_decided(turn):
            return await self._go_on(waiting, turn)
        await store_change(self._vault, waiting, turn, [])
        await self._following.look(turn.chat_id)
        return turn

    async def _go_on(self, waiting: WaitingTurn, turn: Turn) -> Turn:
        chat = await self.chat(turn.chat_id)
        if chat.head_id != turn.id:
            raise NotWaiting("The chat has left this turn.")
        await self.models.read()
        provider, _ = self.models.resolve(turn.model)
        receipt = await last_receipt(self._vault, turn)
        # Nothing of the turns before is another than it was.
        before = structs.replace(await before_turn(self._vault, chat, turn), revision=chat.revision)
        settings = await self.applied(before, send=Choices(model=turn.model))
        equipment = await self.workshop.equipment(
            chat_id=chat.id,
            depth=turn.depth,
            turn_id=turn.id,
            model=turn.model,
            toolbox=toolbox_of(settings),
        )
        outlook = await self._outlook(
            before,
            settings=settings,
            filter_text=receipt.filter_text,
            toolset=await toolset_of(equipment, toolbox=toolbox_of(settings)),
            at=turn.created_at,
        )
        outlook = await as_begun(self._vault, outlook, receipt)
        sending = structs.replace(turn, state="sending", pending_calls=())
        run = Run(turn_id=turn.id, process_id=self._process_id)
        claim = put_run(self._vault, run, chat_id=chat.id)
        with self._suspecting():
            stored = await store_change(self._vault, waiting, sending, claim)
        self._following.stand_in(chat)
        assignment = Assignment(
            turn=sending,
            messages=waiting.messages,
            means=self._means,
            outlook=outlook,
            plan=None,
            provider=provider,
            equipment=equipment,
            round=receipt.round + 1,
            max_iterations=self.settings.max_iterations,
            decisions={call.call_id: call.decision for call in turn.pending_calls if call.decision},
        )
        began = TurnResumed(turn=sending, messages=waiting.messages)
        self._start(assignment, stored=stored, began=began, requests=receipt.number)
        return sending

    async def _end_waiting(
        self, waiting: WaitingTurn, *, state: TurnState, finish: Finish, sentence: str
    ) -> None:
        """End a turn without the calls that it waited for."""
        ended = ended_waiting(
            waiting,
            state=state,
            finish=finish,
            sentence=sentence,
            at=_now(),
            counter=self._planner.counter(waiting.turn.model),
        )
        await store_ended(self._vault, waiting, ended)
        await self._following.look(waiting.turn.chat_id)

    # Plans

    async def plan(self, chat_id: str, request: PlanRequest) -> ContextPlan:
        """What the next request would contain if this were sent now."""
        return (await self.sight(chat_id, request, first=0, end=0)).plan

    async def sight(self, chat_id: str, request: PlanRequest, *, first: int, end: int) -> Sight:
        """The plan, and where the turns between two depths stand in it."""
        outlook, draft = await self._looked_at(chat_id, request, at=_now())
        return await self._planner.sight(outlook, draft, first=first, end=end)

    async def lens(self, chat_id: str, request: PlanRequest) -> Lens:
        """The request that would go out if this were sent now, byte by byte."""
        self._checked(request.draft)
        written_at = _now()
        outlook, draft = await self._looked_at(chat_id, request, at=written_at)
        ready = await self._planner.plan(outlook, draft, overflow=NO_OVERFLOW)
        asked = await self._planner.request(outlook, ready)
        provider, _ = self.models.resolve(outlook.model)
        return lens_of(
            provider.to_wire(asked),
            asked,
            ready,
            contents=await self._planner.contents.of(ready.sent_turn_ids),
            counter=outlook.counter,
            written_at=written_at,
        )

    async def _looked_at(
        self, chat_id: str, request: PlanRequest, *, at: datetime
    ) -> tuple[Outlook, list[Message]]:
        """What a send would look out on, and the draft as it would be worded then."""
        chat = await self.chat(chat_id)
        settings = await self.applied(chat, send=_send_choices(request))
        await self.models.read()
        self.models.resolve(settings.model)
        equipment = await self.workshop.equipment(
            chat_id=chat_id,
            depth=chat.turn_count,
            turn_id="",
            model=settings.model,
            toolbox=toolbox_of(settings),
        )
        outlook = await self._outlook(
            chat,
            settings=settings,
            filter_text=request.filter_text,
            toolset=await toolset_of(equipment, toolbox=toolbox_of(settings)),
            at=at,
        )
        draft: list[Message] = []
        if request.draft.strip():
            message = await self._worded(request.draft, chat=chat, settings=settings, at=at)
            draft = [message]
        return outlook, draft

    async def applied(self, chat: Chat, *, send: Choices) -> Applied:
        """What applies to a send in a chat, and which place chose it."""
        project = await self.project(chat.project_id)
        return await self.choices.applied(chat, project=project, send=send)

    async def _worded(self, text: str, *, chat: Chat, settings: Applied, at: datetime) -> Message:
        return await self._wording.message(text, chat=chat, settings=settings, at=at, zone=_zone())

    async def _outlook(
        self,
        chat: Chat,
        *,
        settings: Applied,
        filter_text: str,
        toolset: Toolset,
        at: datetime,
    ) -> Outlook:
        viewpoint = Viewpoint(
            now=at,
            zone=_zone(),
            topics=await self.topics.tree(chat.project_id),
            current_topic_id=chat.topic_id,
            current_model=short_name(settings.model),
        )
        view = LookedAt(tree=parse(filter_text), viewpoint=viewpoint)
        return await self._planner.outlook(
            chat, applied=settings, view=view, toolset=toolset, day_began_at=_midnight(_now())
        )

    async def _require_budget(self, outlook: Outlook, ready: ContextPlan) -> None:
        """Asked before anything is stored, so that a refused text stays with its writer."""
        if outlook.caps:
            call = Call(
                receipt_id="",
                model=outlook.model,
                input_tokens=ready.total_tokens,
                most_output_tokens=outlook.most_output_tokens,
                price=await self.models.price(outlook.model),
            )
            await self.budgets.check(outlook.caps, outlook.place, call)

    async def estimate(self, chat_id: str, request: PlanRequest) -> SendEstimate:
        """What sending this now would cost."""
        outlook, draft = await self._looked_at(chat_id, request, at=_now())
        return await self._estimate(outlook, draft)

    async def estimate_at_hand(self, chat_id: str) -> SendEstimate | None:
        """What the next send would cost; None if the price would have to be looked up first."""
        outlook, draft = await self._looked_at(chat_id, PlanRequest(), at=_now())
        if not self.models.knows_price(outlook.model):
            return None
        return await self._estimate(outlook, draft)

    async def _estimate(self, outlook: Outlook, draft: Sequence[Message]) -> SendEstimate:
        ready = await self._planner.plan(outlook, draft, overflow=NO_OVERFLOW)
        head_id = outlook.chat.head_id
        receipts = await self.receipts.of(head_id) if head_id else []
        return estimate(
            ready.total_tokens,
            model=outlook.model,
            price=await self.models.price(outlook.model),
            last=receipts[-1] if receipts else None,
            now=_now(),
        )

    async def budget_states(self, chat_id: str) -> list[BudgetState]:
        """The budgets that hold for a chat, as they stand."""
        outlook, _ = await self._looked_at(chat_id, PlanRequest(), at=_now())
        return await self.budgets.states(outlook.caps, outlook.place)

    async def last_chat_id(self) -> str:
        """The chat that was used last."""
        chats = [
            chat
            for project in (await self.projects()).values
            for chat in (await self.chats(project.id)).values
        ]
        if not chats:
            raise InvalidInput('There is no chat yet. Begin one: windowpane send "Hello"')
        return max(chats, key=lambda chat: chat.active_at).id

    async def _replaced(self, chat: Chat, replaced_id: str | None) -> Turn | None:
        """The turn of the path whose place a message takes."""
        if replaced_id is None:
            return None
        stored = await self._vault.get(TURNS, replaced_id)
        if stored.parent_id != chat.id:
            raise InvalidInput(f"The turn {replaced_id} is not on this chat's path.")
        return stored.value

    async def stop(self, chat_id: str) -> None:
        """End the answer at once, whichever process makes it. Its text is kept.

        A turn that waits for a word on tool calls ends without them.
        """
        stop = self._stops.get(chat_id)
        if stop is not None:
            stop.request(is_by_user=True)
            return
        try:
            await self._lease.stop_elsewhere(chat_id, is_soft=False)
        except NothingRunning:
            waiting = await waiting_head(self._vault, await self.chat(chat_id))
            if waiting is None:
                raise
            await self._end_waiting(waiting, state="aborted", finish="stopped", sentence=STOPPED)

    async def stop_softly(self, chat_id: str) -> None:
        """End the answer after the step it is at: a request, or the calls that came of it."""
        stop = self._stops.get(chat_id)
        if stop is None:
            await self._lease.stop_elsewhere(chat_id, is_soft=True)
        else:
            stop.soften()

    def is_answering(self, chat_id: str) -> bool:
        """Whether this very process makes an answer in the chat."""
        return chat_id in self._stops

    async def _claim(
        self,
        stored: Stored[Chat],
        *,
        chat: Chat,
        turn: Turn,
        message: Message,
        replaced: Turn | None,
        draft: DraftPlace,
    ) -> None:
        run = Run(turn_id=turn.id, process_id=self._process_id)
        leaving: tuple[Change, ...] = ()
        if replaced is not None:
            departure = await depart(
                self._vault,
                stored.value,
                chat,
                place=Place(depth=turn.depth, after_id=turn.parent_id),
                reason=await reason_for(self._vault, replaced, message=message, model=turn.model),
                next_depth=turn.depth,
                at=turn.created_at,
            )
            chat, leaving = departure.chat, departure.changes
        changes = [
            *leaving,
            *put_run(self._vault, run, chat_id=chat.id),
            put_chat(self._vault, chat, expected_version=stored.version),
            put_new_turn(self._vault, turn),
            put_message(self._vault, message, turn_id=turn.id, position=0),
            self._vault.delete(DRAFTS, str(draft)),
        ]
        try:
            with self._suspecting():
                await self._vault.commit(changes)
        except VersionConflict as conflict:
            if conflict.table != "runs":
                raise HeadMoved from conflict
            raise await self._busy_or_moved(chat.id) from conflict

    @contextmanager
    def _suspecting(self) -> Generator[None]:
        """If it is not known whether a claim was stored, nobody would answer it."""
        try:
            yield
        except VersionConflict:
            raise
        except (StorageError, asyncio.CancelledError):
            self._lease.suspect()
            raise

    async def _busy_or_moved(self, chat_id: str) -> ChatBusy | HeadMoved:
        """A run of a dead process is closed, and the sender is asked to look at what it left."""
        run = await self._vault.find(RUNS, chat_id)
        if run is not None and await interrupt_if_dead(self._vault, run, at=_now()):
            self._following.wake(chat_id)
            return HeadMoved()
        return ChatBusy()

    def _start(
        self,
        assignment: Assignment,
        *,
        stored: Stored[Turn],
        began: TurnStarted | TurnResumed,
        requests: int,
    ) -> None:
        """``requests`` of the turn went out before."""
        turn = assignment.turn
        log = self._following.log(turn.chat_id)
        log.append(began)
        running = Running(
            stored=stored,
            messages=assignment.messages,
            log=log,
            counter=self._planner.counter(turn.model),
            accounts=Accounts(self._vault, requests=requests),
        )
        stop = Stop()
        self._journal.begin(running)
        task = asyncio.create_task(
            answer(assignment, running=running, journal=self._journal, stop=stop)
        )
        stop.bind(task)
        self._stops[turn.chat_id] = stop
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finished(done, turn.chat_id, stop))

    def _finished(self, task: asyncio.Task[None], chat_id: str, stop: Stop) -> None:
        self._tasks.discard(task)
        # The chat is free as soon as the end is stored: the next answer may have begun.
        if self._stops.get(chat_id) is stop:
            del self._stops[chat_id]
        # If it was taken over, the store knows how it ended; if nothing could be stored, the
        # turn is closed as soon as something can.
        self._following.wake(chat_id)
        if error := task.exception():
            logger.error("The end of an answer in %s could not be stored: %s", chat_id, error)
            self._lease.suspect()

    def _heard(self, notice: Notice | None) -> None:
        self._following.hear(notice)
        self._lease.hear(notice)

    def _lost(self, chat_id: str) -> None:
        if chat_id in self._stops:
            self._stops[chat_id].request(is_by_user=False)

    async def _deleted(
        self, chat_ids: Sequence[str], delete: Callable[[], Awaitable[Deletion]]
    ) -> Deletion:
        """Again, if one of the chats went on meanwhile: what was added has to go with the rest."""
        for _ in range(DELETE_ATTEMPTS):
            with suppress(VersionConflict, ChatBusy):
                return await self._stopped_and(chat_ids, delete)
        return await self._stopped_and(chat_ids, delete)

    async def _stopped_and(
        self, chat_ids: Sequence[str], delete: Callable[[], Awaitable[Deletion]]
    ) -> Deletion:
        for chat_id in chat_ids:
            await self._end_answer(chat_id)
        return await delete()

    async def _end_answer(self, chat_id: str) -> None:
        """Stop the answer, or take it over from the process that makes it."""
        stop = self._stops.get(chat_id)
        if stop is not None:
            stop.request(is_by_user=True)
            await stop.ended()
        # Also one of this process whose end could not be stored.
        await self._lease.take_away(chat_id)

    def _checked(self, text: str) -> str:
        if not text.strip():
            raise MessageEmpty
        message_bytes = len(text.encode())
        if message_bytes > self.settings.message_limit_bytes:
            raise MessageTooLarge(
                message_bytes=message_bytes, limit_bytes=self.settings.message_limit_bytes
            )
        return text

    async def default_model(self) -> str:
        """What a new chat answers with: the model chosen last, else the first there is."""
        chosen = await self.chosen_model()
        if chosen is not None:
            return chosen
        choices = (await self.model_list()).choices
        if not choices:
            raise NoModel
        return choices[0].name

    async def chosen_model(self) -> str | None:
        """The model chosen last, wherever that was. Asks no provider."""
        stored = await self._vault.find(PREFERENCES, PREFERENCES_ID)
        return None if stored is None else stored.value.model

    async def model_list(self) -> ModelList:
        return await self.models.choices(is_refreshed=False)

    def _put_preferences(self, preferences: Preferences):
        return self._vault.put(
            PREFERENCES,
            preferences,
            id=PREFERENCES_ID,
            parent_id=TOP,
            position=0,
            expected_version=None,
        )


def _begun(chat: Chat, *, message: Message, model: str, at: datetime) -> tuple[Turn, Chat]:
    turn = Turn(
        id=new_id("turn"),
        chat_id=chat.id,
        parent_id=chat.tip_id,
        depth=chat.turn_count,
        model=model,
        state="sending",
        created_at=message.created_at,
        topic_id=chat.topic_id,
    )
    grown = structs.replace(
        chat,
        head_id=turn.id,
        deleted_tip_id=None,
        turn_count=chat.turn_count + 1,
        active_at=at,
        title=chat.title or title_from(message.text),
    )
    return turn, grown


def _as_it_runs(live: TurnContent, stored: TurnContent) -> TurnContent:
    """The running turn as it stands now, with the marks that it has got meanwhile."""
    if live.turn.id != stored.turn.id:
        return stored
    marked = structs.replace(
        live.turn,
        star=stored.turn.star,
        flag=stored.turn.flag,
        is_pinned=stored.turn.is_pinned,
        is_skipped=stored.turn.is_skipped,
        topic_id=stored.turn.topic_id,
    )
    return TurnContent(turn=marked, messages=live.messages)


def _send_choices(request: SendRequest | PlanRequest) -> Choices:
    return structs.replace(request.choices, model=request.model or request.choices.model)


def title_from(text: str) -> str:
    """The first words of the first message, on one line."""
    line = " ".join(text.split())
    if len(line) <= TITLE_LIMIT_CHARACTERS:
        return line
    cut = line[: TITLE_LIMIT_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


def _midnight(now: datetime) -> datetime:
    """When the day began where the server stands."""
    return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def _now() -> datetime:
    return datetime.now(UTC)


def _zone() -> tzinfo:
    """Where this process is."""
    return _now().astimezone().tzinfo or UTC
