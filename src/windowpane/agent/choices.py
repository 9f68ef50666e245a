"""What was chosen for projects, topics and chats: changed, read back, and put together.

Each change is checked whole before anything of it is stored.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, tzinfo

from msgspec import Struct, structs

from windowpane.agent.equipment import standing_tools
from windowpane.agent.models import Models
from windowpane.agent.remarks import Remark, remarks
from windowpane.agent.topics import Topics
from windowpane.agent.wording import phrasing_of
from windowpane.choices import CHEAP, NOTHING_CHOSEN, Choices, Place, with_changes
from windowpane.context.applied import Applied, applied, toolbox_of
from windowpane.context.phrasing import example_text
from windowpane.context.rules import check_choices
from windowpane.errors import InvalidInput, NoModel
from windowpane.projects import Chat, Project
from windowpane.settings import DEFAULT_CHOICES
from windowpane.storage.history import put_chat, put_project
from windowpane.storage.shelves import CHATS, PROJECTS
from windowpane.storage.vault import Vault
from windowpane.topics import ProjectTopic

# Says which model answers where nobody has chosen one.
DefaultModel = Callable[[], Awaitable[str]]


class Trial(Struct, frozen=True, kw_only=True):
    """What the model would make of choices, and how a message would be worded for it."""

    remarks: tuple[Remark, ...]
    example: str


class ChosenSettings:
    def __init__(
        self, vault: Vault, *, models: Models, topics: Topics, default_model: DefaultModel
    ) -> None:
        self._vault = vault
        self._models = models
        self._topics = topics
        self._default_model = default_model

    async def change_project(
        self, project_id: str, changes: Choices, *, names: Iterable[str]
    ) -> Project:
        stored = await self._vault.get(PROJECTS, project_id)
        await self._models.read()
        choices = self._changed(stored.value.choices, changes, names=names, place="project")
        project = structs.replace(stored.value, choices=choices)
        await self._vault.commit(
            [put_project(self._vault, project, expected_version=stored.version)]
        )
        return project

    async def change_chat(self, chat_id: str, changes: Choices, *, names: Iterable[str]) -> Chat:
        stored = await self._vault.get(CHATS, chat_id)
        await self._models.read()
        choices = self._changed(stored.value.choices, changes, names=names, place="chat")
        chat = structs.replace(stored.value, choices=choices)
        await self._vault.commit([put_chat(self._vault, chat, expected_version=stored.version)])
        return chat

    async def change_topic(
        self, topic_id: str, changes: Choices, *, names: Iterable[str]
    ) -> ProjectTopic:
        await self._models.read()
        named = tuple(names)
        return await self._topics.choose(
            topic_id, lambda choices: self._changed(choices, changes, names=named, place="topic")
        )

    async def model_of(self, chat: Chat, *, project: Project) -> str | None:
        """The model that some place has chosen for the chat. Asks no provider."""
        topic = await self._topics.current(chat)
        places = _places(chat, project=project, topic=topic, send=NOTHING_CHOSEN)
        return next((chosen.model for chosen in places.values() if chosen.model), None)

    async def applied(self, chat: Chat, *, project: Project, send: Choices) -> Applied:
        """What applies to a send in the chat as it stands."""
        check_choices(send, place="send")
        topic = await self._topics.current(chat)
        places = _places(chat, project=project, topic=topic, send=send)
        places["default"] = await self._defaults(places)
        return applied(places, topic_message=topic.system_message if topic else "")

    async def applied_in(self, project: Project) -> Applied:
        """What applies to a new chat of a project."""
        return await self._applied_to_new(project.choices)

    async def trial(self, choices: Choices, *, at: datetime, zone: tzinfo) -> Trial:
        """What a new chat would make of these choices, if its project had them."""
        check_choices(choices, place="project")
        try:
            settings = await self._applied_to_new(choices)
        except NoModel:  # nothing can be said of it, but everything can be chosen
            return Trial(remarks=(), example="")
        model = settings.model.partition("/")[2]
        return Trial(
            remarks=await self.remarks(settings),
            example=example_text(phrasing_of(settings), at=at, zone=zone, model=model),
        )

    async def remarks(self, settings: Applied) -> tuple[Remark, ...]:
        """What the model that answers would make of the settings, where that may surprise."""
        provider_name, _, _ = settings.model.partition("/")
        await self._models.read()
        try:
            self._models.resolve(settings.model)
        except InvalidInput as error:  # its provider was removed, or has no key any more
            return (Remark(key="model", sentence=str(error)),)
        definition = self._models.definition(provider_name)
        can_call = await self._models.can_call_tools(settings.model)
        return remarks(
            settings,
            definition=definition,
            limits=await self._models.limits(settings.model),
            tools=standing_tools(definition, toolbox_of(settings)) if can_call else (),
        )

    def _changed(
        self, choices: Choices, changes: Choices, *, names: Iterable[str], place: Place
    ) -> Choices:
        """By the definitions of models as they were when they were last read."""
        changed = with_changes(choices, changes, names=names)
        check_choices(changed, place=place)
        if changed.model is not None and changed.model != choices.model:
            self._models.resolve(changed.model)
        if changed.title_model not in (None, CHEAP, choices.title_model):
            self._models.resolve(changed.title_model)
        return changed

    async def _applied_to_new(self, choices: Choices) -> Applied:
        places: dict[Place, Choices] = {"project": choices}
        places["default"] = await self._defaults(places)
        return applied(places, topic_message="")

    async def _defaults(self, places: Mapping[Place, Choices]) -> Choices:
        """A provider is asked for its models only where nobody has chosen one."""
        if any(choices.model is not None for choices in places.values()):
            return DEFAULT_CHOICES
        return structs.replace(DEFAULT_CHOICES, model=await self._default_model())


def _places(
    chat: Chat, *, project: Project, topic: ProjectTopic | None, send: Choices
) -> dict[Place, Choices]:
    """From the nearest to the farthest, but for the defaults."""
    return {
        "send": send,
        "chat": chat.choices,
        "topic": topic.choices if topic else NOTHING_CHOSEN,
        "project": project.choices,
    }
