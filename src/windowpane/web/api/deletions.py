"""What was deleted and can still come back, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from litestar import delete, get, post
from msgspec import Struct

from windowpane.deletions import DeletedChat, DeletedTurns, Deletion
from windowpane.workspace import Workspace


class DeletionView(Struct, frozen=True, kw_only=True):
    """``chat_id`` is where the turns were, or the chat itself; empty for a project."""

    id: str
    kind: Literal["turns", "chat", "project"]
    chat_id: str
    sentence: str
    deleted_at: datetime
    due_at: datetime


@get("/api/deletions")
async def list_deletions(workspace: Workspace) -> list[DeletionView]:
    """Those that can still be undone, the oldest first."""
    return [deletion_view(one) for one in await workspace.deletions.pending()]


@post("/api/deletions/{deletion_id:str}/undo", status_code=200)
async def undo_deletion(workspace: Workspace, deletion_id: str) -> DeletionView:
    """Bring back what was deleted, as it was."""
    return deletion_view(await workspace.deletions.undo(deletion_id))


@delete("/api/turns/{turn_id:str}", status_code=200)
async def delete_turn(workspace: Workspace, turn_id: str) -> DeletionView:
    return deletion_view(await workspace.delete_turn(turn_id))


@delete("/api/chats/{chat_id:str}", status_code=200)
async def delete_chat(workspace: Workspace, chat_id: str) -> DeletionView:
    return deletion_view(await workspace.delete_chat(chat_id))


@delete("/api/projects/{project_id:str}", status_code=200)
async def delete_project(workspace: Workspace, project_id: str) -> DeletionView:
    return deletion_view(await workspace.delete_project(project_id))


def deletion_view(deletion: Deletion) -> DeletionView:
    match deletion.deleted:
        case DeletedTurns(chat_id=chat_id):
            kind = "turns"
        case DeletedChat(chat=chat):
            kind, chat_id = "chat", chat.id
        case _:
            kind, chat_id = "project", ""
    return DeletionView(
        id=deletion.id,
        kind=kind,
        chat_id=chat_id,
        sentence=deletion.sentence,
        deleted_at=deletion.deleted_at,
        due_at=deletion.due_at,
    )


DELETION_HANDLERS = [
    list_deletions,
    undo_deletion,
    delete_turn,
    delete_chat,
    delete_project,
]
