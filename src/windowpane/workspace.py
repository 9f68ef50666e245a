"""The workspace: everything the page, the command line and a program can do.

It is the only place where storage, providers and the loop meet. It draws nothing and parses no
request; each method is one act of a person, stored before it returns.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType

from msgspec import Struct, structs

from windowpane.agent.answer import Stop, answer
from windowpane.agent.digest import short_name
from windowpane.agent.fold import Unfinished
from windowpane.agent.following import Following
from windowpane.agent.journal import Journal, Running
from windowpane.agent.lease import Lease
from windowpane.agent.log import LogReader
from windowpane.agent.loop import Assignment
from windowpane.agent.models import ModelList, Models
from windowpane.agent.planner import LookedAt, Outlook, Planner, Sight, floor_after
from windowpane.agent.recovery import interrupt_all_dead, interrupt_if_dead
from windowpane.agent.topics import Topics
from windowpane.agent.turns import Turns
from windowpane.agent.views import Views
from windowpane.context.given import NO_OVERFLOW
from windowpane.context.plan import ContextPlan
from windowpane.errors import (
    ChatBusy,
    HeadMoved,
    InvalidInput,
    MessageEmpty,
    MessageTooLarge,
    NoModel,
    PromptTooLarge,
    RecordDamaged,
    StorageError,
    VersionConflict,
)
from windowpane.events import EventId, OpenPart, TurnStarted
from windowpane.filters import Topic, TopicTree, Viewpoint, parse
from windowpane.ids import new_id, new_revision
from windowpane.messages import Message
from windowpane.parts import Text
from windowpane.projects import Chat, Project, checked_name
from windowpane.settings import ContextSettings, Settings
from windowpane.storage.base import Change, Notice
from windowpane.storage.branches import leave_from
from windowpane.storage.history import (
    delete_chat,
    delete_project,
    path_page,
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
from windowpane.storage.vault import Listing, Stored, Vault
from windowpane.tokens import TokenCache
from windowpane.turns import Turn, TurnContent

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
    followed it are left, not lost.
    """

    text: str
    model: str | None = None
    seen_head_id: str | None = None
    filter_text: str = ""
    replaces_turn_id: str | None = None


class PlanRequest(Struct, frozen=True, kw_only=True):
    """The draft as it stands, and what else the plan shall assume."""

    draft: str = ""
    model: str | None = None
    filter_text: str = ""


class ChatPage(Struct, frozen=True, kw_only=True):
    """A page of a chat as it stands, and the place in the log from which to follow it."""

    chat: Chat
    turns: tuple[TurnContent, ...]
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
        self.turns = Turns(vault, topics=self.topics)
        self.views = Views(vault)
        self._planner = Planner(
            vault, models=self.models, cache=TokenCache(max_entries=KEPT_TOKEN_COUNTS)
        )

    async def __aenter__(self) -> Workspace:
        await self._vault.open()
        try:
            await self._begin()
        except BaseException:
            await self._vault.close()
            raise
        return self

    async def _begin(self) -> None:
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
        ):
            watch = asyncio.create_task(forever())
            watch.add_done_callback(_tell_broken)
            self._watches.append(watch)

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
        await self._vault.commit([put_project(self._vault, project)])
        return project

    async def rename_project(self, project_id: str, *, name: str) -> Project:
        return await self._change_project(project_id, name=checked_name(name))

    async def instruct_project(self, project_id: str, *, system_prompt: str) -> Project:
        return await self._change_project(project_id, system_prompt=system_prompt)

    async def delete_project(self, project_id: str) -> None:
        await self.project(project_id)
        chats = await self._vault.child_ids(CHATS, project_id)
        for chat_id in chats:
            await self._end_answer(chat_id)
        await self._delete(lambda: delete_project(self._vault, project_id))
        for chat_id in chats:
            self._following.forget(chat_id)

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
        await self.models.refresh()
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

    async def delete_chat(self, chat_id: str) -> None:
        await self.chat(chat_id)
        await self._end_answer(chat_id)
        await self._delete(lambda: delete_chat(self._vault, chat_id))
        self._following.forget(chat_id)

    # Reading

    async def page(self, chat_id: str, *, before_depth: int | None, limit: int) -> ChatPage:
        """The newest turns, or those before a depth, with the running turn as it stands now."""
        chat = await self.chat(chat_id)
        await self._following.sync(chat_id)
        position = self.position(chat_id)
        page = await path_page(self._vault, chat_id, before_depth=before_depth, limit=limit)
        turns = page.turns
        live, open_part = self._live(chat_id)
        if live is not None:
            turns = tuple(live if live.turn.id == old.turn.id else old for old in turns)
        return ChatPage(
            chat=chat,
            turns=turns,
            open_part=open_part,
            is_answering=live is not None,
            # By depth, not by count: turns that cannot be opened must not hide those before them.
            has_older=bool(turns) and turns[0].turn.depth > 0,
            position=position,
            damaged=page.damaged,
        )

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

    def _live(self, chat_id: str) -> tuple[TurnContent | None, OpenPart | None]:
        log = self._following.log(chat_id)
        if log.is_at_rest:
            return None, None
        unfinished = Unfinished.of(logged.event for logged in log.events)
        open_part = log.open.value() if log.open else None
        return unfinished.content(draft_id=unfinished.turn.id), open_part

    # Sending

    async def send(self, chat_id: str, request: SendRequest) -> Turn:
        """Store the message and start answering; the answer is made here, whoever watches."""
        text = self._checked(request.text)
        stored = await self._vault.get(CHATS, chat_id)
        if request.seen_head_id is not None and request.seen_head_id != (
            stored.value.head_id or ""
        ):
            raise HeadMoved
        project = await self.project(stored.value.project_id)
        model = request.model or await self._model_for(chat=stored.value, project=project)
        await self.models.refresh()
        provider, _ = self.models.resolve(model)
        before = await self._before(stored.value, request.replaces_turn_id)
        turn, message, chat = _begun(before, text=text, model=model, at=_now())
        # Planned before the claim: what cannot be sent is not stored, and the text stays with
        # its writer. If the chat goes on meanwhile, the claim is what fails.
        outlook = await self._outlook(
            before, project=project, model=model, filter_text=request.filter_text
        )
        ready = await self._planner.plan(outlook, [message], overflow=NO_OVERFLOW)
        if ready.unsendable is not None:
            raise PromptTooLarge(ready.unsendable.message)
        chat = structs.replace(chat, floor=floor_after(outlook, ready))
        await self._claim(stored, chat=chat, turn=turn, message=message)
        self._following.stand_at(chat_id, stored.value.head_id)
        assignment = Assignment(
            turn=turn,
            message=message,
            planner=self._planner,
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
        await self.models.refresh()
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
            topics=TopicTree.of(
                Topic(id=topic.id, name=topic.name, parent_id=topic.parent_id)
                for topic in await self.topics.of(project.id)
            ),
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

    async def _before(self, chat: Chat, replaced_id: str | None) -> Chat:
        """The chat as it is when a message takes the place of a turn on its path."""
        if replaced_id is None:
            return chat
        stored = await self._vault.get(TURNS, replaced_id)
        if stored.parent_id != chat.id:
            raise InvalidInput(f"The turn {replaced_id} is not on this chat's path.")
        return structs.replace(
            chat,
            head_id=stored.value.parent_id,
            turn_count=stored.value.depth,
            revision=new_revision(),
        )

    async def stop(self, chat_id: str) -> None:
        """End the answer, whichever process makes it. Its text is kept."""
        stop = self._stops.get(chat_id)
        if stop is None:
            await self._lease.stop_elsewhere(chat_id)
        else:
            stop.request(is_by_user=True)

    async def _claim(
        self, stored: Stored[Chat], *, chat: Chat, turn: Turn, message: Message
    ) -> None:
        run = Run(turn_id=turn.id, process_id=self._process_id)
        is_branch = turn.depth < stored.value.turn_count
        changes = [
            *(await leave_from(self._vault, chat.id, turn.depth) if is_branch else []),
            *put_run(self._vault, run, chat_id=chat.id),
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
        except (StorageError, asyncio.CancelledError):
            # Whether it was stored is not known, and then nobody would answer it.
            self._lease.suspect()
            raise

    async def _busy_or_moved(self, chat_id: str) -> ChatBusy | HeadMoved:
        """A run of a dead process is closed, and the sender is asked to look at what it left."""
        run = await self._vault.find(RUNS, chat_id)
        if run is not None and await interrupt_if_dead(self._vault, run, at=_now()):
            self._following.wake(chat_id)
            return HeadMoved()
        return ChatBusy()

    def _start(self, assignment: Assignment) -> None:
        turn = assignment.turn
        log = self._following.log(turn.chat_id)
        log.append(TurnStarted(turn=turn, message=assignment.message))
        counter = self._planner.counter(turn.model)
        running = Running(turn=turn, message=assignment.message, log=log, counter=counter)
        stop = Stop()
        self._journal.begin(running)
        task = asyncio.create_task(
            answer(assignment, running=running, journal=self._journal, stop=stop, clock=_now)
        )
        stop.bind(task)
        self._stops[turn.chat_id] = stop
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._finished(done, turn.chat_id))

    def _finished(self, task: asyncio.Task[None], chat_id: str) -> None:
        self._tasks.discard(task)
        self._stops.pop(chat_id, None)
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

    async def _delete(self, changes: Callable[[], Awaitable[Sequence[Change]]]) -> None:
        """Again, if something was added meanwhile: it has to go with the rest."""
        for _ in range(DELETE_ATTEMPTS):
            with suppress(VersionConflict):
                await self._vault.commit(await changes())
                return
        await self._vault.commit(await changes())

    async def _end_answer(self, chat_id: str) -> None:
        stop = self._stops.get(chat_id)
        if stop is not None:
            stop.request(is_by_user=True)
            await stop.ended()

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


def _begun(chat: Chat, *, text: str, model: str, at: datetime) -> tuple[Turn, Message, Chat]:
    turn = Turn(
        id=new_id("turn"),
        chat_id=chat.id,
        parent_id=chat.head_id,
        depth=chat.turn_count,
        model=model,
        state="sending",
        created_at=at,
        topic_id=chat.topic_id,
    )
    message = _user_message(text, at=at)
    grown = structs.replace(
        chat,
        head_id=turn.id,
        turn_count=chat.turn_count + 1,
        active_at=at,
        title=chat.title or title_from(text),
    )
    return turn, message, grown


def _tell_broken(watch: asyncio.Task[None]) -> None:
    """A watch never ends by itself; one that breaks is a bug, and somebody must hear of it."""
    if not watch.cancelled() and (error := watch.exception()):
        logger.error("A watch of the workspace broke", exc_info=error)


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
