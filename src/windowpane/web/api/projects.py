"""Projects over HTTP, and the chats in them."""

from __future__ import annotations

from litestar import get, patch, post
from msgspec import Struct

from windowpane.projects import Chat, Project
from windowpane.workspace import Workspace


class ProjectList(Struct, frozen=True, kw_only=True):
    projects: list[Project]
    damaged: list[str]


class ChatList(Struct, frozen=True, kw_only=True):
    chats: list[Chat]
    damaged: list[str]


class NewProject(Struct, frozen=True, kw_only=True):
    name: str


class ProjectChange(Struct, frozen=True, kw_only=True):
    name: str


@get("/api/projects")
async def list_projects(workspace: Workspace) -> ProjectList:
    listing = await workspace.projects()
    return ProjectList(projects=listing.values, damaged=[str(one) for one in listing.damaged])


@post("/api/projects")
async def create_project(workspace: Workspace, data: NewProject) -> Project:
    return await workspace.create_project(name=data.name)


@patch("/api/projects/{project_id:str}")
async def change_project(workspace: Workspace, project_id: str, data: ProjectChange) -> Project:
    return await workspace.rename_project(project_id, name=data.name)


@get("/api/projects/{project_id:str}/chats")
async def list_chats(workspace: Workspace, project_id: str) -> ChatList:
    await workspace.project(project_id)
    listing = await workspace.chats(project_id)
    return ChatList(chats=listing.values, damaged=[str(one) for one in listing.damaged])


@post("/api/projects/{project_id:str}/chats")
async def create_chat(workspace: Workspace, project_id: str) -> Chat:
    return await workspace.create_chat(project_id)


PROJECT_HANDLERS = [
    list_projects,
    create_project,
    change_project,
    list_chats,
    create_chat,
]
