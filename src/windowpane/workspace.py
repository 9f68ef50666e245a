"""The workspace: everything the page, the command line and a program can do.

It is the only place where storage, providers and the loop meet, and it only joins them: each
method is one act of a person, stored before it returns. It draws nothing and parses no request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType

from msgspec import structs

from windowpane.accounting import ChatTotals
from windowpane.agent.answering import Answering
from windowpane.agent.attempts import means_of
from windowpane.agent.budgets import Budgets, BudgetState
from windowpane.agent.chat_page import ChatPage, read_page
from windowpane.agent.choices import ChosenSettings
from windowpane.agent.clock import now
from windowpane.agent.commanding import CommandOutcome, Commands, Order
from windowpane.agent.deleting import Deletions
from windowpane.agent.desk import Desk
from windowpane.agent.drafts import Drafts
from windowpane.agent.forecasts import PricedSight
from windowpane.agent.forking import fork
from windowpane.agent.lens import Lens
from windowpane.agent.log import LogReader
from windowpane.agent.models import ModelList, Models
from windowpane.agent.moving import Moved, move_chat
from windowpane.agent.outlooks import Outlooks
from windowpane.agent.planner import Planner
from windowpane.agent.preferring import Preferring
from windowpane.agent.purging import Purger
from windowpane.agent.receipts import Receipts
from windowpane.agent.removing import Removing
from windowpane.agent.search import Search, SearchScope
from windowpane.agent.topics import Topics
from windowpane.agent.totals import chat_totals
from windowpane.agent.turns import Turns
from windowpane.agent.usage import UsageBook
from windowpane.agent.views import Views
from windowpane.agent.wording import Wording
from windowpane.agent.workshop import Workshop
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.choices import Choices
from windowpane.context.applied import Applied
from windowpane.context.estimate import SendEstimate
from windowpane.context.plan import ContextPlan
from windowpane.context.telemetry import Telemetry
from windowpane.deletions import Deletion
from windowpane.errors import InvalidInput, NothingRunning
from windowpane.events import EventId
from windowpane.filters import parse_line
from windowpane.ids import new_id
from windowpane.projects import Chat, Project, checked_name
from windowpane.records import SpecialRecord
from windowpane.search import Found
from windowpane.settings import Settings
from windowpane.storage.history import put_chat, put_project
from windowpane.storage.shelves import CHATS, PROJECTS, TOP, Preferences
from windowpane.storage.specials import specials_of
from windowpane.storage.vault import Listing, Vault
from windowpane.tokens import TokenCache
from windowpane.turns import Decision, Turn

# About 100 bytes each; a message is a handful of counts.
KEPT_TOKEN_COUNTS = 50_000


class Workspace:
    def __init__(self, vault: Vault, *, settings: Settings) -> None:
        self.settings = settings
        self._vault = vault
        self._watches: list[asyncio.Task[None]] = []
        self.models = Models(vault, settings=settings)
        cache = TokenCache(max_entries=KEPT_TOKEN_COUNTS)
        self._planner = planner = Planner(vault, models=self.models, cache=cache)
        self._answering = answering = Answering(
            vault,
            planner=planner,
            flush_seconds=settings.open_part_flush_seconds,
            clock=now,
            ended=lambda turn: self.titles.consider(turn),
        )
        self._following = following = answering.following
        self.usage = UsageBook(vault, clock=now)
        self.budgets = Budgets(vault, usage=self.usage, process_id=answering.process_id)
        self.receipts = Receipts(
            vault, models=self.models, contents=planner.contents, counter=planner.counter
        )
        self.topics = Topics(vault)
        self.turns = Turns(vault, topics=self.topics, clock=now, tell=following.tell_changed)
        self.views = Views(vault)
        self.searching = Search(vault)
        self.drafts = Drafts(vault, limit_bytes=settings.message_limit_bytes, clock=now)
        self._preferring = Preferring(vault, models=self.models)
        self.choices = ChosenSettings(
            vault,
            models=self.models,
            topics=self.topics,
            default_model=self._preferring.default_model,
        )
        self.workshop = Workshop(
            vault, models=self.models, planner=planner, search=self.searching, settings=settings
        )
        means = means_of(vault, self.models, planner, self.budgets, settings=settings, clock=now)
        self._outlooks = Outlooks(
            means,
            topics=self.topics,
            choices=self.choices,
            workshop=self.workshop,
            wording=Wording(vault, usage=self.usage),
        )
        self._desk = Desk(
            means,
            outlooks=self._outlooks,
            answering=answering,
            receipts=self.receipts,
            turns=self.turns,
            limit_bytes=settings.message_limit_bytes,
        )
        self.titles = self._desk.titles
        self.purger = Purger(vault, clock=now)
        self.deletions = Deletions(
            vault, undo_seconds=settings.undo_seconds, clock=now, tell=following.tell_changed
        )
        self._removing = Removing(
            vault,
            turns=self.turns,
            deletions=self.deletions,
            answering=answering,
            deciding=self._desk.deciding,
            purger=self.purger,
        )
        self._commands = Commands(
            turns=self.turns, topics=self.topics, views=self.views, deletions=self.deletions
        )

    async def __aenter__(self) -> Workspace:
        await self._vault.open()
        await self._answering.open()
        await self.models.open()
        for forever in (*self._answering.watches, self.purger.run_forever):
            self._watches.append(asyncio.create_task(forever()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._answering.close()
        await self.titles.close()
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
        project = Project(id=new_id("project"), name=checked_name(name), created_at=now())
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
        return await self._removing.project(project_id)

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
        at = now()
        chat = Chat(id=new_id("chat"), project_id=project_id, title="", created_at=at, active_at=at)
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
                self._preferring.put(Preferences(model=model)),
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
        return await self._removing.chat(chat_id)

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
            at=now(),
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
        return await fork(self._vault, chat, turn, at=now())

    async def totals(self, chat_id: str) -> ChatTotals:
        """What the chat has cost: its own requests, and what it inherited as a fork."""
        return await chat_totals(self._vault, await self.chat(chat_id))

    async def records(self, chat_id: str) -> list[SpecialRecord]:
        """Titles, summaries and accounts of a chat, on every branch."""
        await self.chat(chat_id)
        return await specials_of(self._vault, chat_id)

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

    async def delete_turn(self, turn_id: str) -> Deletion:
        """If the turn is being answered or waits for a person, it is stopped first."""
        return await self._removing.turn(turn_id)

    async def run_command(self, chat_id: str, line: str, *, is_confirmed: bool) -> CommandOutcome:
        """Carry out ``<filter> :command``. Those that ask first do nothing until confirmed."""
        parsed = parse_line(line)
        if parsed.command is None:
            raise InvalidInput("There is no command in this line. One begins with a colon.")
        at = now()
        looked = PlanRequest(filter_text=parsed.filter_text)
        prospect, _ = await self._outlooks.ahead(chat_id, looked, at=at)
        order = Order(
            command=parsed.command,
            chat=prospect.outlook.chat,
            filter_text=parsed.filter_text,
            chosen=await self._planner.chosen(prospect.outlook),
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
        log = self._following.log(chat_id)
        return await read_page(self._vault, chat, log=log, before_depth=before_depth, limit=limit)

    async def search(self, query: str, *, scope: SearchScope, limit: int) -> Found:
        """The turns that answer best, on every branch, and the chats whose titles do."""
        return await self.searching.find(query, scope=scope, limit=limit, at=now())

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

    # Sending

    async def send(self, chat_id: str, request: SendRequest) -> Turn:
        """Store the message and start answering; the answer is made here, whoever watches."""
        return await self._desk.sending.send(chat_id, request)

    async def ask_again(self, turn_id: str, again: AskAgain) -> Turn:
        """Edit a message, retry it, or let another model answer: a sibling takes its place.

        The turn and what followed it are left, not lost.
        """
        return await self._desk.sending.ask_again(turn_id, again)

    async def decide(self, turn_id: str, decisions: Mapping[str, Decision]) -> Turn:
        """Accept or reject calls by their ids; with the last of them the turn goes on here."""
        return await self._desk.deciding.decide(turn_id, decisions)

    async def stop(self, chat_id: str) -> None:
        """End the answer at once, whichever process makes it. Its text is kept.

        A turn that waits for a word on tool calls ends without them.
        """
        try:
            await self._answering.stop(chat_id)
        except NothingRunning:
            if not await self._desk.deciding.stop(await self.chat(chat_id)):
                raise

    async def stop_softly(self, chat_id: str) -> None:
        """End the answer after the step it is at: a request, or the calls that came of it."""
        await self._answering.stop_softly(chat_id)

    def is_answering(self, chat_id: str) -> bool:
        """Whether this very process makes an answer in the chat."""
        return self._answering.is_answering(chat_id)

    # What would be sent

    async def applied(self, chat: Chat, *, send: Choices) -> Applied:
        """What applies to a send in a chat, and which place chose it."""
        return await self._outlooks.applied(chat, send=send)

    async def plan(self, chat_id: str, request: PlanRequest) -> ContextPlan:
        """What the next request would contain if this were sent now."""
        return await self._desk.forecasts.plan(chat_id, request)

    async def sight(
        self, chat_id: str, request: PlanRequest, *, first: int, end: int
    ) -> PricedSight:
        """The plan, where the turns between two depths stand in it, and its price."""
        return await self._desk.forecasts.sight(chat_id, request, first=first, end=end)

    async def lens(self, chat_id: str, request: PlanRequest) -> Lens:
        """The request that would go out if this were sent now, byte by byte."""
        return await self._desk.forecasts.lens(chat_id, request)

    async def preflight(self, chat_id: str, request: PlanRequest) -> Telemetry:
        """The numbers of the request that would go out, or why it could not."""
        return await self._desk.forecasts.telemetry(chat_id, request)

    async def estimate(self, chat_id: str, request: PlanRequest) -> SendEstimate:
        """What sending this now would cost."""
        return await self._desk.forecasts.estimate(chat_id, request)

    async def budget_states(self, chat_id: str) -> list[BudgetState]:
        """The budgets that hold for a chat, as they stand."""
        return await self._desk.forecasts.budgets(chat_id)

    # Models

    async def default_model(self) -> str:
        """What a new chat answers with: the model chosen last, else the first there is."""
        return await self._preferring.default_model()

    async def chosen_model(self) -> str | None:
        """The model chosen last, wherever that was. Asks no provider."""
        return await self._preferring.chosen_model()

    async def model_list(self) -> ModelList:
        return await self.models.choices(is_refreshed=False)
