"""A chat's page, the fragments it asks for later, and the stream it follows."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import deque
from typing import Annotated, Any

import msgspec
from litestar import Request, get
from litestar.params import Parameter
from litestar.response import Template
from litestar.types import ASGIApp
from markupsafe import Markup
from msgspec import Struct

from windowpane.agent.chat_page import ChatPage
from windowpane.choices import chosen_names
from windowpane.drafts import DraftPlace
from windowpane.events import EventId
from windowpane.projects import Chat, Project
from windowpane.turns import TurnContent
from windowpane.web.html import drawn
from windowpane.web.live import LiveChats
from windowpane.web.open_part import loaded_html
from windowpane.web.pages.opening import PAGE_TURNS, opened_chat
from windowpane.web.pages.sidebar import Here, sidebar_context
from windowpane.web.specials import DrawnRecord, records_html
from windowpane.web.stream import FrameStream
from windowpane.web.turns import LIVE_STATES
from windowpane.workspace import Workspace

MOST_TURNS = 300
# From a chat's page up to the root of the site.
ROOT = "../"
DEMO_LABEL = "demo model"
TOPIC_GAP = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


class ModelView(Struct, frozen=True, kw_only=True):
    name: str
    short_name: str
    label: str


@get("/chats/{chat_id:str}", include_in_schema=False)
async def chat_page(workspace: Workspace, chat_id: str, turn: str = "", q: str = "") -> Template:
    """At its end, or at a turn of it that a search for ``q`` has found."""
    opened = await opened_chat(workspace, chat_id, turn_id=turn, query=q)
    page = opened.page
    project = await workspace.project(page.chat.project_id)
    draft = await workspace.drafts.find(DraftPlace("chat", chat_id))
    here = Here(project_id=project.id, chat_id=chat_id)
    context = {
        "project": project,
        "draft": draft.text if draft else "",
        "model": await _model_view(workspace, chat=page.chat, project=project),
        "demo_label": DEMO_LABEL,
        "chosen_count": _chosen_count(page.chat),
        "hits": msgspec.json.encode(opened.hits).decode(),
        **await _turns_context(workspace, page, has_newer=opened.has_newer, left=opened.left),
        **await sidebar_context(workspace, here=here, root=ROOT, all_of=""),
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
    context = await _turns_context(workspace, page, has_newer=has_newer, left=None)
    return Template(template_name="parts/_turns.html", context=context)


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
    workspace: Workspace, page: ChatPage, *, has_newer: bool, left: TurnContent | None
) -> dict[str, object]:
    tree = await workspace.topics.tree(page.chat.project_id)
    return {
        "root": ROOT,
        "chat": page.chat,
        "items": await _drawn_items(page, left=left),
        "is_empty": not page.turns and not page.damaged and left is None,
        "position": page.position,
        "has_older": page.has_older,
        "has_newer": has_newer,
        "is_answering": page.is_answering,
        "is_waiting": bool(page.turns) and page.turns[-1].turn.state == "waiting",
        "topics": {id: TOPIC_GAP.join(one.name for one in tree.path(id)) for id in tree.topics},
        "damaged": [str(record) for record in page.damaged],
    }


def _left_turn(content: TurnContent) -> Markup:
    """A turn that another one has replaced, before the place where it stood."""
    turn = loaded_html(content, open_part=None, tool_runs=(), held=None, place=None)
    return drawn("parts/_left_turn.html", turn_id=content.turn.id, turn=turn)


async def _drawn_items(page: ChatPage, *, left: TurnContent | None) -> list[Markup]:
    """Turns, and before them what stands or stood there.

    One by one, so that answers that are being streamed need not wait for a long page.
    """
    waiting = deque(records_html(page.records, page.others))
    if left is not None:
        depths = [one.depth for one in waiting]
        shown = DrawnRecord(depth=left.turn.depth, html=_left_turn(left))
        waiting.insert(bisect_right(depths, left.turn.depth), shown)
    items: list[Markup] = []
    for content in page.turns:
        while waiting and waiting[0].depth <= content.turn.depth:
            items.append(waiting.popleft().html)
        is_running = content.turn.state in LIVE_STATES
        items.append(
            loaded_html(
                content,
                open_part=page.open_part if is_running else None,
                tool_runs=page.tool_runs if is_running else (),
                held=page.held if is_running else None,
                place=page.places.get(content.turn.id),
            )
        )
        await asyncio.sleep(0)
    return [*items, *(one.html for one in waiting)]


async def _model_view(workspace: Workspace, *, chat: Chat, project: Project) -> ModelView:
    """The model that was chosen. Which others there are, the page asks later: it may take long."""
    chosen = await workspace.choices.model_of(chat, project=project)
    name = chosen or await workspace.chosen_model() or ""
    provider, _, short_name = name.partition("/")
    await workspace.models.read()
    is_demo = any(
        known.name == provider and known.family == "local" for known in workspace.models.definitions
    )
    return ModelView(
        name=name,
        short_name=short_name or "First model there is",
        label=DEMO_LABEL if is_demo else "",
    )


def _chosen_count(chat: Chat) -> int:
    """How much the chat has chosen beside its model, which stands in the composer anyway."""
    return len(set(chosen_names(chat.choices)) - {"model"})


CHAT_PAGE_HANDLERS = [chat_page, turns_fragment, chat_stream]
