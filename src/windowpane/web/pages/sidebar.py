"""What the sidebar shows: every project with its newest chats."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.projects import Chat, Project
from windowpane.workspace import Workspace

SHOWN_CHATS = 30


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
