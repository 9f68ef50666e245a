"""Drafts over HTTP: saved as somebody types, restored wherever the place is opened."""

from __future__ import annotations

from litestar import delete, get, put
from msgspec import Struct

from windowpane.drafts import Draft, place_from
from windowpane.workspace import Workspace


class DraftText(Struct, frozen=True, kw_only=True):
    text: str


@get("/api/drafts/{place:str}")
async def read_draft(workspace: Workspace, place: str) -> Draft | None:
    """What was being written at a place such as ``chat:ID``; null if nothing was."""
    return await workspace.drafts.find(place_from(place))


@put("/api/drafts/{place:str}", status_code=204)
async def save_draft(workspace: Workspace, place: str, data: DraftText) -> None:
    await workspace.drafts.save(place_from(place), data.text)


@delete("/api/drafts/{place:str}")
async def drop_draft(workspace: Workspace, place: str) -> None:
    await workspace.drafts.save(place_from(place), "")


DRAFT_HANDLERS = [read_draft, save_draft, drop_draft]
