"""What ``windowpane chats`` does with an open workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from windowpane.cli.chats import ForkOptions, ListOptions
from windowpane.cli.columns import columns
from windowpane.cli.exits import DONE
from windowpane.cli.opening import opened_workspace
from windowpane.cli.terminal import show
from windowpane.deletions import Deletion
from windowpane.errors import InvalidInput, NotFound
from windowpane.projects import Chat, Project
from windowpane.settings import Settings
from windowpane.workspace import Workspace

Result = TypeVar("Result")
UNTITLED = "New chat"


class ChatLine(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    project_id: str
    project: str
    turns: int
    active_at: datetime


class DeletionLine(Struct, frozen=True, kw_only=True):
    id: str
    sentence: str
    due_at: datetime


def show_chats(settings: Settings, *, options: ListOptions) -> int:
    async def act(workspace: Workspace) -> list[ChatLine]:
        projects = (await workspace.projects()).values
        if options.project is not None:
            projects = [_project(projects, options.project)]
        found = [
            _line(chat, project)
            for project in projects
            for chat in (await workspace.chats(project.id)).values
        ]
        return sorted(found, key=lambda line: line.active_at, reverse=True)

    lines = _acted(settings, act)
    if options.json:
        show(msgspec.json.encode(lines).decode() + "\n")
    elif lines:
        rows = [[line.id, f"{line.turns:,}", line.project, line.title] for line in lines]
        show(columns([["chat", "turns", "project", "title"], *rows]) + "\n")
    return DONE


def rename_chat(settings: Settings, *, chat_id: str, title: str, is_json: bool) -> int:
    chat = _acted(settings, lambda workspace: workspace.rename_chat(chat_id, title=title))
    return _told(chat, f"{chat.id} is called {chat.title}.", is_json=is_json)


def fork_chat(settings: Settings, *, options: ForkOptions) -> int:
    chat = _acted(settings, lambda workspace: workspace.fork(options.chat, turn_id=options.turn))
    sentence = f"Forked into {chat.id}. To go on: windowpane chat --chat {chat.id}"
    return _told(chat, sentence, is_json=options.json)


def move_chat(settings: Settings, *, chat_id: str, project: str, is_json: bool) -> int:
    async def act(workspace: Workspace):
        target = _project((await workspace.projects()).values, project)
        return await workspace.move_chat(chat_id, project_id=target.id)

    moved = _acted(settings, act)
    return _told(moved, moved.sentence, is_json=is_json)


def delete_chat(settings: Settings, *, chat_id: str, is_json: bool) -> int:
    deletion = _acted(settings, lambda workspace: workspace.delete_chat(chat_id))
    sentence = f"{deletion.sentence} To bring it back: windowpane chats restore {deletion.id}"
    return _told(_deletion_line(deletion), sentence, is_json=is_json)


def restore_deleted(settings: Settings, *, deletion_id: str, is_json: bool) -> int:
    deletion = _acted(settings, lambda workspace: workspace.deletions.undo(deletion_id))
    return _told(_deletion_line(deletion), "It is back as it was.", is_json=is_json)


def _acted(settings: Settings, act: Callable[[Workspace], Awaitable[Result]]) -> Result:
    async def acted() -> Result:
        async with opened_workspace(settings) as workspace:
            return await act(workspace)

    return asyncio.run(acted())


def _told(value: Struct, sentence: str, *, is_json: bool) -> int:
    show((msgspec.json.encode(value).decode() if is_json else sentence) + "\n")
    return DONE


def _project(projects: list[Project], wanted: str) -> Project:
    """By its id, or by its name where only one has it."""
    found = [one for one in projects if wanted in (one.id, one.name)]
    if not found:
        raise NotFound("project", id=wanted)
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise InvalidInput(f"More than one project is called {wanted}. Name one by its id: {ids}.")
    return found[0]


def _line(chat: Chat, project: Project) -> ChatLine:
    return ChatLine(
        id=chat.id,
        title=chat.title or UNTITLED,
        project_id=project.id,
        project=project.name,
        turns=chat.kept_turns,
        active_at=chat.active_at,
    )


def _deletion_line(deletion: Deletion) -> DeletionLine:
    return DeletionLine(id=deletion.id, sentence=deletion.sentence, due_at=deletion.due_at)
