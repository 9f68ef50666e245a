"""What the sidebar shows: every project with its newest chats, and the other pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from litestar import get
from litestar.params import Parameter
from litestar.response import Template
from msgspec import Struct

from windowpane.projects import Chat, Project
from windowpane.web.pages.home import FirstSteps
from windowpane.workspace import Workspace

SHOWN_CHATS = 30

PageName = Literal["", "providers", "project"]


class Here(Struct, frozen=True, kw_only=True):
    """Where the reader is: in a chat, or on one of the other pages.

    ``project_id`` is where a new chat would be made, and whose page it is on a project's.
    """

    project_id: str
    chat_id: str = ""
    page: PageName = ""


class Place(Struct, frozen=True, kw_only=True):
    """A project in the sidebar; ``hidden_count`` older chats are left out until asked for."""

    project: Project
    chats: Sequence[Chat]
    chat_count: int
    turn_count: int
    hidden_count: int


class SidebarView(Struct, frozen=True, kw_only=True):
    places: Sequence[Place]
    damaged: Sequence[str]


async def sidebar_context(
    workspace: Workspace, *, here: Here, root: str, all_of: str
) -> dict[str, object]:
    """What the template wants; ``root`` is the way from the page up to the root of the site."""
    view = await sidebar_view(workspace, current_id=here.chat_id, all_of=all_of)
    return {
        "root": root,
        "here": here,
        "places": view.places,
        "damaged_places": view.damaged,
        "deletions": await workspace.deletions.pending(),
    }


@get("/sidebar", include_in_schema=False)
async def sidebar_fragment(
    workspace: Workspace,
    first_steps: FirstSteps,
    chat: str = "",
    page: PageName = "",
    project: str = "",
    depth: Annotated[int, Parameter(ge=0, le=4)] = 0,
    all: str = "",
) -> Template:
    """For a page that lies ``depth`` folders below the root."""
    if not project:
        at = await workspace.chat(chat) if chat else await first_steps.latest_chat()
        project = at.project_id
    here = Here(project_id=project, chat_id=chat, page=page)
    context = await sidebar_context(workspace, here=here, root="../" * depth, all_of=all)
    return Template(template_name="parts/_sidebar.html", context=context)


async def sidebar_view(workspace: Workspace, *, current_id: str, all_of: str) -> SidebarView:
    """``all_of`` is the project whose chats are shown without leaving any out."""
    projects = await workspace.projects()
    damaged = [str(record) for record in projects.damaged]
    places: list[Place] = []
    for project in projects.values:
        chats = await workspace.chats(project.id)
        damaged += [str(record) for record in chats.damaged]
        places.append(
            _place(project, chats.values, current_id=current_id, is_whole=project.id == all_of)
        )
    return SidebarView(places=places, damaged=damaged)


def _place(project: Project, chats: Sequence[Chat], *, current_id: str, is_whole: bool) -> Place:
    shown = [
        chat
        for index, chat in enumerate(chats)
        if is_whole or index < SHOWN_CHATS or chat.id == current_id
    ]
    return Place(
        project=project,
        chats=shown,
        chat_count=len(chats),
        turn_count=sum(chat.kept_turns for chat in chats),
        hidden_count=len(chats) - len(shown),
    )
