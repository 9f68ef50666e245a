"""Turns over HTTP: marks, branches, decisions on tool calls; topics and named views."""

from __future__ import annotations

from datetime import UTC, datetime

from litestar import delete, get, patch, post
from msgspec import UNSET, Struct, UnsetType

from windowpane.accounting import Totals
from windowpane.agent.turns import TurnMarks
from windowpane.projects import Chat
from windowpane.topics import NamedView, ProjectTopic
from windowpane.turns import Decision, Turn, TurnContent
from windowpane.workspace import Workspace


class NewTopic(Struct, frozen=True, kw_only=True):
    name: str
    parent_id: str | None = None


class TopicChange(Struct, frozen=True, kw_only=True):
    """``parent_id`` null moves the topic to the top; left out, it stays where it is."""

    name: str | None = None
    parent_id: str | UnsetType | None = UNSET
    system_message: str | None = None


class NewView(Struct, frozen=True, kw_only=True):
    name: str
    filter_text: str


class Decisions(Struct, frozen=True, kw_only=True):
    """For calls by their ids; those that are left out stay undecided."""

    decisions: dict[str, Decision]


@get("/api/turns/{turn_id:str}")
async def read_turn(workspace: Workspace, turn_id: str) -> TurnContent:
    """A turn with its messages as they came, on its chat's path or left of it."""
    return await workspace.turns.content(turn_id)


@patch("/api/turns/{turn_id:str}")
async def mark_turn(workspace: Workspace, turn_id: str, data: TurnMarks) -> Turn:
    return await workspace.turns.mark(turn_id, data)


@post("/api/turns/{turn_id:str}/approve", status_code=200)
async def approve_calls(workspace: Workspace, turn_id: str, data: Decisions) -> Turn:
    """Accept or reject tool calls that a turn waits for; with the last of them it goes on."""
    return await workspace.decide(turn_id, data.decisions)


@get("/api/turns/{turn_id:str}/totals")
async def read_totals(workspace: Workspace, turn_id: str) -> Totals:
    """What all requests of the turn used and cost."""
    return await workspace.turns.totals(turn_id)


@get("/api/turns/{turn_id:str}/siblings")
async def list_siblings(workspace: Workspace, turn_id: str) -> list[TurnContent]:
    """The turn and those that it replaced or that replaced it, oldest first."""
    return await workspace.turns.siblings(turn_id)


@post("/api/turns/{turn_id:str}/return", status_code=200)
async def return_to_turn(workspace: Workspace, turn_id: str) -> Chat:
    """Make a turn that was left part of its chat again, with what once followed it."""
    return await workspace.turns.go_to(turn_id)


@get("/api/projects/{project_id:str}/topics")
async def list_topics(workspace: Workspace, project_id: str) -> list[ProjectTopic]:
    return await workspace.topics.of(project_id)


@post("/api/projects/{project_id:str}/topics")
async def create_topic(workspace: Workspace, project_id: str, data: NewTopic) -> ProjectTopic:
    await workspace.project(project_id)
    return await workspace.topics.create(
        project_id, name=data.name, parent_id=data.parent_id, at=datetime.now(UTC)
    )


@patch("/api/topics/{topic_id:str}")
async def change_topic(workspace: Workspace, topic_id: str, data: TopicChange) -> ProjectTopic:
    topic = await workspace.topics.get(topic_id)
    if data.name is not None:
        topic = await workspace.topics.rename(topic_id, name=data.name)
    if not isinstance(data.parent_id, UnsetType):
        topic = await workspace.topics.move(topic_id, parent_id=data.parent_id)
    if data.system_message is not None:
        topic = await workspace.topics.instruct(topic_id, system_message=data.system_message)
    return topic


@delete("/api/topics/{topic_id:str}")
async def delete_topic(workspace: Workspace, topic_id: str) -> None:
    await workspace.topics.delete(topic_id)


@get("/api/projects/{project_id:str}/views")
async def list_views(workspace: Workspace, project_id: str) -> list[NamedView]:
    return await workspace.views.of(project_id)


@post("/api/projects/{project_id:str}/views")
async def save_view(workspace: Workspace, project_id: str, data: NewView) -> NamedView:
    await workspace.project(project_id)
    return await workspace.views.save(
        project_id, name=data.name, filter_text=data.filter_text, at=datetime.now(UTC)
    )


@delete("/api/views/{view_id:str}")
async def delete_view(workspace: Workspace, view_id: str) -> None:
    await workspace.views.delete(view_id)


TURN_HANDLERS = [
    read_turn,
    mark_turn,
    approve_calls,
    read_totals,
    list_siblings,
    return_to_turn,
    list_topics,
    create_topic,
    change_topic,
    delete_topic,
    list_views,
    save_view,
    delete_view,
]
