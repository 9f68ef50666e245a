"""The workspace: everything the page, the command line and a program can do.

It is the only place where storage, providers and the loop meet. It draws nothing and parses no
request; each method is one act of a person, stored before it returns.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from itertools import count
from types import TracebackType

from msgspec import Struct, structs

from windowpane.accounting import ChatTotals
from windowpane.agent.accounts import Accounts
from windowpane.agent.answer import Stop, answer
from windowpane.agent.attempts import Means
from windowpane.agent.branching import asked_in, depart, reason_for
from windowpane.agent.commanding import CommandOutcome, Commands, Order
from windowpane.agent.deleting import Deletions
from windowpane.agent.digest import short_name
from windowpane.agent.fold import Unfinished
from windowpane.agent.forking import fork
from windowpane.agent.journal import Journal, Running
from windowpane.agent.log import ChatLog, LogReader
from windowpane.agent.loop import Assignment
from windowpane.agent.models import ModelList, Models
from windowpane.agent.moving import Moved, move_chat
from windowpane.agent.planner import LookedAt, Outlook, Planner, Sight, floor_after
from windowpane.agent.purging import Purger
from windowpane.agent.reading import read_page
from windowpane.agent.recovery import (
    interrupt,
    interrupt_all_dead,
    interrupt_if_dead,
    read_unfinished,
)
from windowpane.agent.retry import policy_from
from windowpane.agent.topics import Topics
from windowpane.agent.totals import chat_totals
from windowpane.agent.turns import Turns
from windowpane.agent.views import Views
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.deletions import Deletion
from windowpane.errors import (
    ChatBusy,
    HeadMoved,
    InvalidInput,
    MessageEmpty,
    MessageTooLarge,
    NoModel,
    NothingRunning,
    PromptTooLarge,
    RecordDamaged,
    VersionConflict,
)
from windowpane.events import EventId, OpenPart, TurnsChanged, TurnStarted
from windowpane.filters import Viewpoint, parse, parse_line
from windowpane.ids import new_id
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.projects import Chat, Project, checked_name
from windowpane.records import Place, SpecialRecord
from windowpane.settings import ContextSettings, Settings
from windowpane.storage.base import Change
from windowpane.storage.branches import TurnPlace, before_turn
from windowpane.storage.history import (
    put_chat,
    put_message,
    put_new_turn,
    put_project,
    put_run,
)
from windowpane.storage.shelves import (
    CHATS,
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
from windowpane.turns import Turn, TurnContent

logger = logging.getLogger(__name__)

TITLE_LIMIT_CHARACTERS = 60
# Logs are small, but a server that runs for months opens many chats.
KEPT_LOGS = 500
# About 100 bytes each; a message is a handful of counts.
KEPT_TOKEN_COUNTS = 50_000


class SendRequest(Struct, frozen=True, kw_only=True):
    """``seen_head_id`` is the last turn the sender saw; None means it does not care.

    An empty string says that the sender saw an empty chat. What the filter hides is not sent.
    With ``replaces_turn_id`` the message takes the place of an earlier turn: that one and what
    followed it are left, not lost.
    """

    text: str
    model: str | None = None
    seen_head_id: str | None = None
    filter_text: str = ""
    replaces_turn_id: str | None = None


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


class ChatPage(Struct, frozen=True, kw_only=True):
    """A page of a chat as it stands, and the place in the log from which to follow it.

    ``records`` stand between the turns; ``places`` are of those turns that have siblings;
    ``others`` can be gone back to where a record says that something was deleted.
    """

    chat: Chat
    turns: tuple[TurnContent, ...]
    records: tuple[SpecialRecord, ...]
    places: dict[str, TurnPlace]
    others: dict[str, tuple[str, ...]]
    open_part: OpenPart | None
    is_answering: bool
    has_older: bool
    position: EventId
    damaged: tuple[RecordDamaged, ...]


class Workspace:
    def __init__(self, vault: Vault, *, settings: Settings) -> None:
        self.settings = settings
        self._vault = vault
        self._process_id = new_id("process")
        self._epoch = 0
        self._seq = count(1)
        self._logs: dict[str, ChatLog] = {}
        self._stops: dict[str, Stop] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._journal = Journal(
            vault,
            process_id=self._process_id,
            flush_seconds=settings.open_part_flush_seconds,
        )
        self.models = Models(vault, settings=settings)
        self.topics = Topics(vault)
        self.turns = Turns(vault, topics=self.topics, clock=_now, tell=self._turns_changed)
        self.views = Views(vault)
        self.purger = Purger(vault, clock=_now)
        self.deletions = Deletions(
            vault,
            undo_seconds=settings.undo_seconds,
            clock=_now,
            tell=self._turns_changed,
        )
        self._commands = Commands(
            turns=self.turns, topics=self.topics, views=self.views, deletions=self.deletions
        )
        self._planner = Planner(
            vault, models=self.models, cache=TokenCache(max_entries=KEPT_TOKEN_COUNTS)
        )
        self._means = Means(
            vault=vault,
            models=self.models,
            planner=self._planner,
            policy=policy_from(settings),
            clock=_now,
        )

    async def __aenter__(self) -> Workspace:
        await self._vault.open()
        self._epoch = await self._vault.store.next_epoch()
        await self._vault.store.join(self._process_id)
        await interrupt_all_dead(self._vault, at=_now())
        await self.models.open()
        self._flusher = asyncio.create_task(self._journal.flush_forever())
        self._purging = asyncio.create_task(self.purger.run_forever())
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
        self._flusher.cancel()
        self._purging.cancel()
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
        await self._vault.commit([put_project(self._vault, project)])
        return project

    async def rename_project(self, project_id: str, *, name: str) -> Project:
        return await self._change_project(project_id, name=checked_name(name))

    async def instruct_project(self, project_id: str, *, system_prompt: str) -> Project:
        return await self._change_project(project_id, system_prompt=system_prompt)

    async def delete_project(self, project_id: str) -> Deletion:
        """With all its chats; those that are answering are stopped first."""
        await self.project(project_id)
        chats = await self._vault.child_ids(CHATS, project_id)
        for chat_id in chats:
            await self._end_answer(chat_id)
        deletion = await self.deletions.delete_project(project_id)
        for chat_id in chats:
            self._logs.pop(chat_id, None)
        self.purger.wake()
        return deletion

    async def _change_project(self, project_id: str, **changes: str) -> Project:
        project = structs.replace(await self.project(project_id), **changes)
        await self._vault.commit([put_project(self._vault, project)])
        return project

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
        self.models.resolve(model)
        stored = await self._vault.get(CHATS, chat_id)
        chat = structs.replace(stored.value, model=model)
        await self._vault.commit(
            [
                put_chat(self._vault, chat, expected_version=stored.version),
                self._put_preferences(Preferences(model=model)),
            ]
        )
        return chat

    async def choose_topic(self, chat_id: str, *, topic_id: str | None) -> Chat:
        """The topic of turns to come, and what a bare ``t`` means in this chat's filters."""
        if topic_id is not None:
            await self.topics.get(topic_id)
        stored = await self._vault.get(CHATS, chat_id)
        chat = structs.replace(stored.value, topic_id=topic_id)
        await self._vault.commit([put_chat(self._vault, chat, expected_version=stored.version)])
        return chat

    async def delete_chat(self, chat_id: str) -> Deletion:
        """If it is answering, the answer is stopped first."""
        await self.chat(chat_id)
        await self._end_answer(chat_id)
        deletion = await self.deletions.delete_chat(chat_id)
        self._logs.pop(chat_id, None)
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
        self._turns_changed(chat_id)
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
        """If the turn is being answered, the answer is stopped first."""
        turn = await self.turns.get(turn_id)
        run = await self._vault.find(RUNS, turn.value.chat_id)
        if run is not None and run.value.turn_id == turn_id:
            await self._end_answer(turn.value.chat_id)
        deletion = await self.deletions.delete_turns(turn.value.chat_id, [turn])
        self.purger.wake()
        return deletion

    async def run_command(self, chat_id: str, line: str, *, is_confirmed: bool) -> CommandOutcome:
        """Carry out ``<filter> :command``. Those that ask first do nothing until confirmed."""
        parsed = parse_line(line)
        if parsed.command is None:
            raise InvalidInput("There is no command in this line. One begins with a colon.")
        chat = await self.chat(chat_id)
        project = await self.project(chat.project_id)
        outlook = await self._outlook(
            chat,
            project=project,
            model=await self._model_for(chat=chat, project=project),
            filter_text=parsed.filter_text,
        )
        order = Order(
            command=parsed.command,
            chat=chat,
            filter_text=parsed.filter_text,
            chosen=await self._planner.chosen(outlook),
            is_confirmed=is_confirmed,
            at=_now(),
        )
        outcome = await self._commands.carry_out(order)
        self.purger.wake()
        return outcome

    # Reading

    async def page(self, chat_id: str, *, before_depth: int | None, limit: int) -> ChatPage:
        """The newest turns, or those before a depth, with the running turn as it stands now."""
        chat = await self.chat(chat_id)
        position = self.position(chat_id)
        page = await read_page(self._vault, chat, before_depth=before_depth, limit=limit)
        turns = page.turns
        live, open_part = await self._live(chat_id)
        if live is not None:
            turns = tuple(_as_it_runs(live, old) for old in turns)
        return ChatPage(
            chat=chat,
            turns=turns,
            records=page.records,
            places=page.places,
            others=page.others,
            open_part=open_part,
            is_answering=live is not None,
            has_older=page.has_older,
            position=position,
            damaged=page.damaged,
        )

    def position(self, chat_id: str) -> EventId:
        """The newest place in the chat's log."""
        return self._log(chat_id).position

    def follow(self, chat_id: str, *, after: EventId) -> LogReader:
        """Events of the chat after a place in its log, for as long as the reader wants."""
        return self._log(chat_id).reader(after=after)

    def follow_turn(self, chat_id: str) -> LogReader:
        """Events of the chat's newest turn from its beginning, and what comes after."""
        return self._log(chat_id).reader_of_turn()

    async def _live(self, chat_id: str) -> tuple[TurnContent | None, OpenPart | None]:
        stored = await self._vault.find(RUNS, chat_id)
        if stored is None:
            return None, None
        unfinished = await read_unfinished(self._vault, stored.value)
        open_part = stored.value.open_part
        log = self._logs.get(chat_id)
        if log is not None and log.turn_id == stored.value.turn_id:
            unfinished = Unfinished(turn=unfinished.turn, messages=())
            for logged in log.events:
                unfinished.add(logged.event)
            open_part = log.open.value() if log.open else None
        return unfinished.content(draft_id=unfinished.turn.id), open_part

    # Sending

    async def send(self, chat_id: str, request: SendRequest) -> Turn:
        """Store the message and start answering; the answer is made here, whoever watches."""
        message = _user_message(self._checked(request.text), at=_now())
        return await self._send(chat_id, request, message)

    async def ask_again(self, turn_id: str, again: AskAgain) -> Turn:
        """Edit a message, retry it, or let another model answer: a sibling takes its place.

        The turn and what followed it are left, not lost.
        """
        turn = (await self.turns.get(turn_id)).value
        asked = await asked_in(self._vault, turn)
        if asked is None:
            raise InvalidInput("The message of this turn cannot be opened. Write it anew.")
        text = self._checked(asked.text if again.text is None else again.text)
        others = (part for part in asked.parts if not isinstance(part, Text))
        message = structs.replace(
            asked, id=new_id("record"), parts=(Text(text=text), *others), created_at=_now()
        )
        request = SendRequest(
            text=text,
            model=again.model,
            seen_head_id=again.seen_head_id,
            filter_text=again.filter_text,
            replaces_turn_id=turn_id,
        )
        return await self._send(turn.chat_id, request, message)

    async def _send(self, chat_id: str, request: SendRequest, message: Message) -> Turn:
        stored = await self._vault.get(CHATS, chat_id)
        if request.seen_head_id is not None and request.seen_head_id != (
            stored.value.head_id or ""
        ):
            raise HeadMoved
        project = await self.project(stored.value.project_id)
        model = request.model or await self._model_for(chat=stored.value, project=project)
        provider, _ = self.models.resolve(model)
        replaced = await self._replaced(stored.value, request.replaces_turn_id)
        before = stored.value
        if replaced is not None:
            before = await before_turn(self._vault, before, replaced)
        turn, chat = _begun(before, message, model=model, at=_now())
        # Planned before the claim: what cannot be sent is not stored, and the text stays with
        # its writer. If the chat goes on meanwhile, the claim is what fails.
        outlook = await self._outlook(
            before, project=project, model=model, filter_text=request.filter_text
        )
        ready = await self._planner.plan(outlook, [message], overflow=NO_OVERFLOW)
        if ready.unsendable is not None:
            raise PromptTooLarge(ready.unsendable.message)
        chat = structs.replace(chat, floor=floor_after(outlook, ready))
        await self._claim(stored, chat=chat, turn=turn, message=message, replaced=replaced)
        assignment = Assignment(
            turn=turn,
            message=message,
            means=self._means,
            outlook=outlook,
            plan=ready,
            provider=provider,
            max_iterations=self.settings.max_iterations,
        )
        self._start(assignment)
        return turn

    async def plan(self, chat_id: str, request: PlanRequest) -> ContextPlan:
        """What the next request would contain if this were sent now."""
        return (await self.sight(chat_id, request, first=0, end=0)).plan

    async def sight(self, chat_id: str, request: PlanRequest, *, first: int, end: int) -> Sight:
        """The plan, and where the turns between two depths stand in it."""
        chat = await self.chat(chat_id)
        project = await self.project(chat.project_id)
        model = request.model or await self._model_for(chat=chat, project=project)
        self.models.resolve(model)
        outlook = await self._outlook(
            chat, project=project, model=model, filter_text=request.filter_text
        )
        draft = [_user_message(request.draft, at=_now())] if request.draft.strip() else []
        return await self._planner.sight(outlook, draft, first=first, end=end)

    async def _outlook(
        self, chat: Chat, *, project: Project, model: str, filter_text: str
    ) -> Outlook:
        viewpoint = Viewpoint(
            now=_now(),
            zone=_now().astimezone().tzinfo or UTC,
            topics=await self.topics.tree(project.id),
            current_topic_id=chat.topic_id,
            current_model=short_name(model),
        )
        return await self._planner.outlook(
            chat,
            project=project,
            model=model,
            settings=ContextSettings(),
            view=LookedAt(tree=parse(filter_text), viewpoint=viewpoint),
        )

    async def _replaced(self, chat: Chat, replaced_id: str | None) -> Turn | None:
        """The turn of the path whose place a message takes."""
        if replaced_id is None:
            return None
        stored = await self._vault.get(TURNS, replaced_id)
        if stored.parent_id != chat.id:
            raise InvalidInput(f"The turn {replaced_id} is not on this chat's path.")
        return stored.value

    async def stop(self, chat_id: str) -> None:
        stop = self._stops.get(chat_id)
        if stop is None:
            raise NothingRunning
        stop.request(is_by_user=True)

    def is_answering(self, chat_id: str) -> bool:
        return chat_id in self._stops

    async def _claim(
        self,
        stored: Stored[Chat],
        *,
        chat: Chat,
        turn: Turn,
        message: Message,
        replaced: Turn | None,
    ) -> None:
        run = Run(turn_id=turn.id, process_id=self._process_id, open_part=None)
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
            put_run(self._vault, run, chat_id=chat.id, expected_version=0),
            put_chat(self._vault, chat, expected_version=stored.version),
            put_new_turn(self._vault, turn),
            put_message(self._vault, message, turn_id=turn.id, position=0),
        ]
        try:
            await self._vault.commit(changes)
        except VersionConflict as conflict:
            if conflict.table != "runs":
                raise HeadMoved from conflict
            raise await self._busy_or_moved(chat.id) from conflict

    async def _busy_or_moved(self, chat_id: str) -> ChatBusy | HeadMoved:
        """A run of a dead process is closed, and the sender is asked to look at what it left."""
        run = await self._vault.find(RUNS, chat_id)
        if run is not None and await interrupt_if_dead(self._vault, run, at=_now()):
            return HeadMoved()
        return ChatBusy()

    def _start(self, assignment: Assignment) -> None:
        turn = assignment.turn
        log = self._log(turn.chat_id)
        log.append(TurnStarted(turn=turn, message=assignment.message))
        counter = self._planner.counter(turn.model)
        running = Running(
            turn=turn,
            message=assignment.message,
            log=log,
            counter=counter,
            accounts=Accounts(self._vault),
        )
        stop = Stop()
        self._journal.begin(running)
        task = asyncio.create_task(
            answer(assignment, running=running, journal=self._journal, stop=stop)
        )
        stop.bind(task)
        self._stops[turn.chat_id] = stop
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finished(done, turn.chat_id))

    def _finished(self, task: asyncio.Task[None], chat_id: str) -> None:
        self._tasks.discard(task)
        self._stops.pop(chat_id, None)
        if error := task.exception():
            logger.error("The end of an answer in %s could not be stored: %s", chat_id, error)

    async def _end_answer(self, chat_id: str) -> None:
        """Stop the answer, or take it over from the process that makes it."""
        stop = self._stops.get(chat_id)
        if stop is not None:
            stop.request(is_by_user=True)
            await stop.ended()
        run = await self._vault.find(RUNS, chat_id)
        if run is not None:
            await interrupt(self._vault, run, at=_now())

    def _turns_changed(self, chat_id: str) -> None:
        """Tell those who look at a chat, if there are any."""
        if chat_id in self._logs:
            self._logs[chat_id].append(TurnsChanged())

    def _checked(self, text: str) -> str:
        if not text.strip():
            raise MessageEmpty
        message_bytes = len(text.encode())
        if message_bytes > self.settings.message_limit_bytes:
            raise MessageTooLarge(
                message_bytes=message_bytes, limit_bytes=self.settings.message_limit_bytes
            )
        return text

    async def _model_for(self, *, chat: Chat, project: Project) -> str:
        return chat.model or project.model or await self.default_model()

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

    def _log(self, chat_id: str) -> ChatLog:
        if chat_id not in self._logs:
            if len(self._logs) >= KEPT_LOGS:
                self._forget_unread_logs()
            self._logs[chat_id] = ChatLog(epoch=self._epoch, next_seq=lambda: next(self._seq))
        return self._logs[chat_id]

    def _forget_unread_logs(self) -> None:
        self._logs = {
            chat_id: log
            for chat_id, log in self._logs.items()
            if log.has_readers or chat_id in self._stops
        }


def _begun(chat: Chat, message: Message, *, model: str, at: datetime) -> tuple[Turn, Chat]:
    turn = Turn(
        id=new_id("turn"),
        chat_id=chat.id,
        parent_id=chat.tip_id,
        depth=chat.turn_count,
        model=model,
        state="sending",
        created_at=at,
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
    return TurnContent(turn=stored.turn, messages=live.messages)


def _user_message(text: str, *, at: datetime) -> Message:
    return Message(id=new_id("record"), role="user", parts=(Text(text=text),), created_at=at)


def title_from(text: str) -> str:
    """The first words of the first message, on one line."""
    line = " ".join(text.split())
    if len(line) <= TITLE_LIMIT_CHARACTERS:
        return line
    cut = line[: TITLE_LIMIT_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


def _now() -> datetime:
    return datetime.now(UTC)
