"""What a send looks out on: what was chosen for it, its tools, its model, the turns it may hold.

Sends, plans and turns that go on after a wait get theirs here, so they cannot differ.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, structs

from windowpane.agent.attempts import Means
from windowpane.agent.choices import ChosenSettings
from windowpane.agent.clock import midnight, zone
from windowpane.agent.digest import short_name
from windowpane.agent.equipment import Equipment, toolset_of
from windowpane.agent.planner import LookedAt, Outlook
from windowpane.agent.topics import Topics
from windowpane.agent.wishes import tools_give_way, wish_of
from windowpane.agent.wording import Wording
from windowpane.agent.workshop import Workshop
from windowpane.asking import PlanRequest, chosen_for
from windowpane.choices import Choices
from windowpane.context.applied import Applied, toolbox_of
from windowpane.context.toolset import ALL_OFF, Toolset
from windowpane.filters import Viewpoint, parse
from windowpane.messages import Message
from windowpane.projects import Chat
from windowpane.providers.base import Provider
from windowpane.storage.shelves import CHATS, PROJECTS


class Prospect(Struct, frozen=True, kw_only=True):
    """All that a turn is answered with, as it was when the turn was asked."""

    outlook: Outlook
    provider: Provider
    equipment: Equipment


class Outlooks:
    def __init__(
        self,
        means: Means,
        *,
        topics: Topics,
        choices: ChosenSettings,
        workshop: Workshop,
        wording: Wording,
    ) -> None:
        self._vault = means.vault
        self._models = means.models
        self._planner = means.planner
        self._clock = means.clock
        self._topics = topics
        self._choices = choices
        self._workshop = workshop
        self._wording = wording

    async def applied(self, chat: Chat, *, send: Choices) -> Applied:
        """What applies to a send in a chat, and which place chose it."""
        project = (await self._vault.get(PROJECTS, chat.project_id)).value
        return await self._choices.applied(chat, project=project, send=send)

    async def worded(self, text: str, *, chat: Chat, settings: Applied, at: datetime) -> Message:
        """A typed message as the chat would store it."""
        return await self._wording.message(
            text, chat=chat, settings=settings, at=at, zone=zone(self._clock())
        )

    async def of(
        self, chat: Chat, *, settings: Applied, turn_id: str, filter_text: str, at: datetime
    ) -> Prospect:
        """For the turn that comes next in a chat; ``turn_id`` is empty while nobody sends it."""
        await self._models.read()
        provider, _ = self._models.resolve(settings.model)
        toolbox = toolbox_of(settings)
        equipment = await self._workshop.equipment(
            chat_id=chat.id,
            depth=chat.turn_count,
            turn_id=turn_id,
            model=settings.model,
            toolbox=toolbox,
        )
        topics = await self._topics.tree(chat.project_id)
        toolset = await toolset_of(equipment, toolbox=toolbox)
        if self._give_way(settings, toolset):
            equipment = structs.replace(equipment, tools=())
            toolset = ALL_OFF
        viewpoint = Viewpoint(
            now=at,
            zone=zone(self._clock()),
            topics=topics,
            current_topic_id=chat.topic_id if chat.topic_id in topics.topics else None,
            current_model=short_name(settings.model),
        )
        outlook = await self._planner.outlook(
            chat,
            applied=settings,
            view=LookedAt(tree=parse(filter_text), viewpoint=viewpoint),
            toolset=toolset,
            day_began_at=midnight(self._clock()),
        )
        return Prospect(outlook=outlook, provider=provider, equipment=equipment)

    def _give_way(self, settings: Applied, toolset: Toolset) -> bool:
        wish = wish_of(
            settings,
            definition=self._models.definition(settings.model.partition("/")[0]),
            tools=toolset.definitions,
            uses_long_context=False,
        )
        return tools_give_way(settings, wish)

    async def ahead(
        self, chat_id: str, request: PlanRequest, *, at: datetime
    ) -> tuple[Prospect, list[Message]]:
        """For what would be sent now, and the draft as it would be worded then."""
        chat = (await self._vault.get(CHATS, chat_id)).value
        settings = await self.applied(chat, send=chosen_for(request))
        prospect = await self.of(
            chat, settings=settings, turn_id="", filter_text=request.filter_text, at=at
        )
        if not request.draft.strip():
            return prospect, []
        return prospect, [await self.worded(request.draft, chat=chat, settings=settings, at=at)]
