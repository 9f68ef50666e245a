"""A chat's page, the fragments it asks for later, and the stream it follows."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Annotated, Any

from litestar import Request, get
from litestar.params import Parameter
from litestar.response import Template
from litestar.types import ASGIApp
from markupsafe import Markup
from msgspec import Struct

from windowpane.events import EventId
from windowpane.projects import Chat, Project
from windowpane.web.live import LiveChats
from windowpane.web.open_part import loaded_html
from windowpane.web.pages.sidebar import sidebar_view
from windowpane.web.specials import records_html
from windowpane.web.stream import FrameStream
from windowpane.web.turns import LIVE_STATES
from windowpane.workspace import ChatPage, Workspace

PAGE_TURNS = 40
MOST_TURNS = 300
# From a chat's page up to the root of the site; its fragments are put into that page.
ROOT = "../"
DEMO_LABEL = "demo model"
TOPIC_GAP = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


class ModelView(Struct, frozen=True, kw_only=True):
    name: str
    short_name: str
    label: str


@get("/chats/{chat_id:str}", include_in_schema=False)
async def chat_page(workspace: Workspace, chat_id: str) -> Template:
    page = await workspace.page(chat_id, before_depth=None, limit=PAGE_TURNS)
    project = await workspace.project(page.chat.project_id)
    context = {
        "project": project,
        "model": await _model_view(workspace, chat=page.chat, project=project),
        "demo_label": DEMO_LABEL,
        "deletions": await workspace.deletions.pending(),
        **await _turns_context(workspace, page, has_newer=False),
        **await _sidebar_context(workspace, chat=page.chat, all_of=""),
    }
    return Template(template_name="pages/chat.html", context=context)


@get("/chats/{chat_id:str}/turns", include_in_schema=False)
async def turns_fragment(
    workspace: Workspace,
    chat_id: str,
    before: Annotated[int | None, Parameter(ge=0, le=2**53)] = None,
    limit: Annotated[int, Parameter(ge=1, le=MOST_TURNS)] = PAGE_TURNS,
) -> Template:
    page = await workspace.page(chat_id, before_depth=before, limit=limit)
    has_newer = before is not None and before < page.chat.turn_count
    context = await _turns_context(workspace, page, has_newer=has_newer)
    return Template(template_name="parts/_turns.html", context=context)


@get("/chats/{chat_id:str}/sidebar", include_in_schema=False)
async def sidebar_fragment(workspace: Workspace, chat_id: str, all: str = "") -> Template:
    chat = await workspace.chat(chat_id)
    context = await _sidebar_context(workspace, chat=chat, all_of=all)
    return Template(template_name="parts/_sidebar.html", context=context)


@get("/chats/{chat_id:str}/stream", include_in_schema=False)
async def chat_stream(
    request: Request[Any, Any, Any],
    workspace: Workspace,
    live: LiveChats,
    chat_id: str,
    after: str = "",
) -> ASGIApp:
    """``after`` or the header ``Last-Event-ID`` says where to go on; the default is from now."""
    await workspace.chat(chat_id)
    text = request.headers.get("last-event-id", "") or after
    position = EventId.parse(text) if text else workspace.position(chat_id)
    return FrameStream(live, chat_id=chat_id, after=position)


async def _turns_context(
    workspace: Workspace, page: ChatPage, *, has_newer: bool
) -> dict[str, object]:
    tree = await workspace.topics.tree(page.chat.project_id)
    return {
        "chat": page.chat,
        "items": await _drawn_items(page),
        "is_empty": not page.turns and not page.damaged,
        "position": page.position,
        "has_older": page.has_older,
        "has_newer": has_newer,
        "is_answering": page.is_answering,
        "topics": {id: TOPIC_GAP.join(one.name for one in tree.path(id)) for id in tree.topics},
        "damaged": [str(record) for record in page.damaged],
    }


async def _drawn_items(page: ChatPage) -> list[Markup]:
    """Turns, and the records between them.

    One by one, so that answers that are being streamed need not wait for a long page.
    """
    waiting = deque(records_html(page.records, page.others))
    drawn: list[Markup] = []
    for content in page.turns:
        while waiting and waiting[0].depth <= content.turn.depth:
            drawn.append(waiting.popleft().html)
        is_running = content.turn.state in LIVE_STATES
        open_part = page.open_part if is_running else None
        place = page.places.get(content.turn.id)
        drawn.append(loaded_html(content, open_part=open_part, place=place))
        await asyncio.sleep(0)
    return [*drawn, *(one.html for one in waiting)]


async def _sidebar_context(workspace: Workspace, *, chat: Chat, all_of: str) -> dict[str, object]:
    view = await sidebar_view(workspace, current_id=chat.id, all_of=all_of)
    return {
        "root": ROOT,
        "chat": chat,
        "places": view.places,
        "damaged_places": view.damaged,
    }


async def _model_view(workspace: Workspace, *, chat: Chat, project: Project) -> ModelView:
    """The model that was chosen. Which others there are, the page asks later: it may take long."""
    name = chat.model or project.model or await workspace.chosen_model() or ""
    provider, _, short_name = name.partition("/")
    is_demo = any(
        known.name == provider and known.family == "local" for known in workspace.models.definitions
    )
    return ModelView(
        name=name,
        short_name=short_name or "First model there is",
        label=DEMO_LABEL if is_demo else "",
    )


CHAT_PAGE_HANDLERS = [chat_page, turns_fragment, sidebar_fragment, chat_stream]
