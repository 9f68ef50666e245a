"""Settings of projects, chats and topics over HTTP.

In a change, what is left out stays as it is, and null takes a choice away.
"""

from __future__ import annotations

from collections.abc import Set
from datetime import UTC, datetime
from typing import Any

from litestar import Request, get, patch, post
from msgspec import Struct

from windowpane.agent.choices import Trial
from windowpane.agent.remarks import Remark
from windowpane.choices import NOTHING_CHOSEN, Choices
from windowpane.context.applied import Applied
from windowpane.topics import ProjectTopic
from windowpane.workspace import Workspace


class ChatSettings(Struct, frozen=True, kw_only=True):
    """What the chat has chosen itself, and what applies to its next send, with its sources."""

    choices: Choices
    applied: Applied
    remarks: tuple[Remark, ...]


@get("/api/projects/{project_id:str}/settings")
async def read_project_settings(workspace: Workspace, project_id: str) -> Choices:
    return (await workspace.project(project_id)).choices


@patch("/api/projects/{project_id:str}/settings")
async def change_project_settings(
    request: Request[Any, Any, Any], workspace: Workspace, project_id: str, data: Choices
) -> Choices:
    names = await _names(request)
    return (await workspace.choices.change_project(project_id, data, names=names)).choices


@post("/api/projects/{project_id:str}/settings/check", status_code=200)
async def check_project_settings(workspace: Workspace, project_id: str, data: Choices) -> Trial:
    """As if these were all that the project has chosen; nothing is stored."""
    await workspace.project(project_id)
    now = datetime.now(UTC)
    return await workspace.choices.trial(data, at=now, zone=now.astimezone().tzinfo or UTC)


@get("/api/chats/{chat_id:str}/settings")
async def read_chat_settings(workspace: Workspace, chat_id: str) -> ChatSettings:
    return await _chat_settings(workspace, chat_id)


@patch("/api/chats/{chat_id:str}/settings")
async def change_chat_settings(
    request: Request[Any, Any, Any], workspace: Workspace, chat_id: str, data: Choices
) -> ChatSettings:
    await workspace.choices.change_chat(chat_id, data, names=await _names(request))
    return await _chat_settings(workspace, chat_id)


@get("/api/topics/{topic_id:str}/settings")
async def read_topic_settings(workspace: Workspace, topic_id: str) -> Choices:
    return (await workspace.topics.get(topic_id)).choices


@patch("/api/topics/{topic_id:str}/settings")
async def change_topic_settings(
    request: Request[Any, Any, Any], workspace: Workspace, topic_id: str, data: Choices
) -> ProjectTopic:
    return await workspace.choices.change_topic(topic_id, data, names=await _names(request))


async def _chat_settings(workspace: Workspace, chat_id: str) -> ChatSettings:
    chat = await workspace.chat(chat_id)
    applied = await workspace.applied(chat, send=NOTHING_CHOSEN)
    return ChatSettings(
        choices=chat.choices, applied=applied, remarks=await workspace.choices.remarks(applied)
    )


async def _names(request: Request[Any, Any, Any]) -> Set[str]:
    """What the body speaks of: in the decoded value null and left out look the same."""
    body: dict[str, object] = await request.json()
    return body.keys()


SETTINGS_HANDLERS = [
    read_project_settings,
    change_project_settings,
    check_project_settings,
    read_chat_settings,
    change_chat_settings,
    read_topic_settings,
    change_topic_settings,
]
