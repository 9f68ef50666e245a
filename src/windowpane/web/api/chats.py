"""Chats over HTTP: read, rename, send, stop."""

from __future__ import annotations

from typing import Annotated

from litestar import get, patch, post
from litestar.params import Parameter
from msgspec import UNSET, Struct, UnsetType

from windowpane.asking import PlanRequest, SendRequest
from windowpane.context.plan import ContextPlan
from windowpane.events import OpenPart
from windowpane.projects import Chat
from windowpane.records import SpecialRecord
from windowpane.storage.branches import TurnPlace
from windowpane.turns import Turn, TurnContent
from windowpane.workspace import Workspace

PAGE_TURNS = 40
MOST_TURNS = 200


class ChatChange(Struct, frozen=True, kw_only=True):
    """``topic_id`` null takes the topic away; what is left out stays as it is."""

    title: str | None = None
    model: str | None = None
    topic_id: str | UnsetType | None = UNSET


class TurnPage(Struct, frozen=True, kw_only=True):
    """``position`` is the place in the log from which events continue this page.

    ``records`` stand between the turns, ``places`` tells of turns that have siblings, and
    ``others`` of turns that can be gone back to where something was deleted, by its record.
    """

    turns: tuple[TurnContent, ...]
    records: tuple[SpecialRecord, ...]
    places: dict[str, TurnPlace]
    others: dict[str, tuple[str, ...]]
    open_part: OpenPart | None
    is_answering: bool
    has_older: bool
    position: str
    damaged: list[str]


@get("/api/chats/{chat_id:str}")
async def read_chat(workspace: Workspace, chat_id: str) -> Chat:
    return await workspace.chat(chat_id)


@patch("/api/chats/{chat_id:str}")
async def change_chat(workspace: Workspace, chat_id: str, data: ChatChange) -> Chat:
    chat = await workspace.chat(chat_id)
    if data.title is not None:
        chat = await workspace.rename_chat(chat_id, title=data.title)
    if data.model is not None:
        chat = await workspace.choose_model(chat_id, model=data.model)
    if not isinstance(data.topic_id, UnsetType):
        chat = await workspace.choose_topic(chat_id, topic_id=data.topic_id)
    return chat


@get("/api/chats/{chat_id:str}/turns")
async def list_turns(
    workspace: Workspace,
    chat_id: str,
    before: Annotated[int | None, Parameter(ge=0, le=2**53)] = None,
    limit: Annotated[int, Parameter(ge=1, le=MOST_TURNS)] = PAGE_TURNS,
) -> TurnPage:
    page = await workspace.page(chat_id, before_depth=before, limit=limit)
    return TurnPage(
        turns=page.turns,
        records=page.records,
        places=page.places,
        others=page.others,
        open_part=page.open_part,
        is_answering=page.is_answering,
        has_older=page.has_older,
        position=str(page.position),
        damaged=[str(one) for one in page.damaged],
    )


@post("/api/chats/{chat_id:str}/plan", status_code=200)
async def plan_draft(workspace: Workspace, chat_id: str, data: PlanRequest) -> ContextPlan:
    """What the next request would contain, for a draft that does not belong into an address."""
    return await workspace.plan(chat_id, data)


@get("/api/chats/{chat_id:str}/plan")
async def plan(
    workspace: Workspace,
    chat_id: str,
    draft: str = "",
    model: str | None = None,
    filter_text: Annotated[str, Parameter(query="filter")] = "",
) -> ContextPlan:
    request = PlanRequest(draft=draft, model=model, filter_text=filter_text)
    return await workspace.plan(chat_id, request)


@post("/api/chats/{chat_id:str}/send")
async def send(workspace: Workspace, chat_id: str, data: SendRequest) -> Turn:
    return await workspace.send(chat_id, data)


@post("/api/chats/{chat_id:str}/stop", status_code=204)
async def stop(workspace: Workspace, chat_id: str) -> None:
    await workspace.stop(chat_id)


@post("/api/chats/{chat_id:str}/stop-softly", status_code=204)
async def stop_softly(workspace: Workspace, chat_id: str) -> None:
    """End the answer after the request or the tool calls that are under way."""
    await workspace.stop_softly(chat_id)


CHAT_HANDLERS = [
    read_chat,
    change_chat,
    list_turns,
    plan,
    plan_draft,
    send,
    stop,
    stop_softly,
]
