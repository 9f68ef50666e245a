"""What ``windowpane projects`` does with an open workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from windowpane.agent.remarks import Remark
from windowpane.choices import Choices
from windowpane.cli.chosen import applied_text, choices_from
from windowpane.cli.columns import columns
from windowpane.cli.exits import DONE
from windowpane.cli.opening import opened_workspace
from windowpane.cli.projects import SetOptions
from windowpane.cli.terminal import show
from windowpane.context.applied import Applied
from windowpane.errors import InvalidInput
from windowpane.filters import Topic, TopicPattern, TopicTree
from windowpane.projects import Project
from windowpane.settings import Settings
from windowpane.workspace import Workspace


class ProjectLine(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    chats: int
    turns: int
    model: str | None


class ShownProject(Struct, frozen=True, kw_only=True):
    """What ``projects show --json`` prints. Every key is always there."""

    id: str
    name: str
    choices: Choices
    applied: Applied
    remarks: tuple[Remark, ...]


def show_projects(settings: Settings, *, is_json: bool) -> int:
    async def act() -> list[ProjectLine]:
        async with opened_workspace(settings) as workspace:
            projects = (await workspace.projects()).values
            return [await _line(workspace, project) for project in projects]

    lines = asyncio.run(act())
    show((msgspec.json.encode(lines).decode() if is_json else _lines_text(lines)) + "\n")
    return DONE


def add_project(settings: Settings, *, name: str) -> int:
    async def act() -> Project:
        async with opened_workspace(settings) as workspace:
            return await workspace.create_project(name=name)

    project = asyncio.run(act())
    print(f"Added {project.name} ({project.id}).")
    return DONE


def show_project(settings: Settings, *, name: str, is_json: bool) -> int:
    async def act() -> ShownProject:
        async with opened_workspace(settings) as workspace:
            return await _shown(workspace, await project_called(workspace, name))

    shown = asyncio.run(act())
    if is_json:
        show(msgspec.json.encode(shown).decode() + "\n")
    else:
        show(f"{shown.name} ({shown.id})\n{applied_text(shown.applied, shown.remarks)}\n")
    return DONE


def change_settings(settings: Settings, *, options: SetOptions) -> int:
    if options.topic and options.chat:
        raise InvalidInput("Choose for a topic or for a chat, not for both at once.")
    changes, names = choices_from(options.changes)

    async def act() -> str:
        async with opened_workspace(settings) as workspace:
            return await _changed(workspace, changes, names=names, options=options)

    print(f"Set {', '.join(names)} for {asyncio.run(act())}.")
    return DONE


async def project_called(workspace: Workspace, name: str) -> Project:
    """By its id, or by its name if no other has the same."""
    projects = (await workspace.projects()).values
    wanted = name.casefold()
    found = [one for one in projects if one.id == name or one.name.casefold() == wanted]
    if len(found) > 1:
        ids = ", ".join(project.id for project in found)
        raise InvalidInput(f"{len(found)} projects are called {name}: {ids}. Use an id.")
    if not found:
        known = ", ".join(project.name for project in projects) or "none"
        raise InvalidInput(f"There is no project called {name}. Known projects: {known}.")
    return found[0]


async def _changed(
    workspace: Workspace, changes: Choices, *, names: Sequence[str], options: SetOptions
) -> str:
    """Gives the words for what was changed."""
    project = await project_called(workspace, options.name)
    if options.topic:
        topics = await workspace.topics.of(project.id)
        tree = TopicTree.of(
            Topic(id=topic.id, name=topic.name, parent_id=topic.parent_id) for topic in topics
        )
        topic_id = tree.only(TopicPattern.of(options.topic))
        await workspace.choices.change_topic(topic_id, changes, names=names)
        return f"the topic {tree.path_text(topic_id)} of {project.name}"
    if options.chat:
        chat = await workspace.chat(options.chat)
        if chat.project_id != project.id:
            raise InvalidInput(f"The chat {chat.id} is not in the project {project.name}.")
        await workspace.choices.change_chat(chat.id, changes, names=names)
        return f"the chat {chat.title or chat.id}"
    await workspace.choices.change_project(project.id, changes, names=names)
    return project.name


async def _shown(workspace: Workspace, project: Project) -> ShownProject:
    applied = await workspace.choices.applied_in(project)
    return ShownProject(
        id=project.id,
        name=project.name,
        choices=project.choices,
        applied=applied,
        remarks=await workspace.choices.remarks(applied),
    )


async def _line(workspace: Workspace, project: Project) -> ProjectLine:
    chats = (await workspace.chats(project.id)).values
    return ProjectLine(
        id=project.id,
        name=project.name,
        chats=len(chats),
        turns=sum(chat.kept_turns for chat in chats),
        model=project.choices.model,
    )


def _lines_text(lines: Sequence[ProjectLine]) -> str:
    if not lines:
        return "There is no project yet. Make one: windowpane projects add NAME"
    return columns(
        [
            [one.name, f"{one.chats:,} chats", f"{one.turns:,} turns", one.model or "", one.id]
            for one in lines
        ]
    )
