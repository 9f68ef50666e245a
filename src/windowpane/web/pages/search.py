"""The search box's results, and where in a chat a result is opened."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import urlencode

from litestar import get
from litestar.params import Parameter
from litestar.response import Template
from msgspec import Struct

from windowpane.agent.search import SearchScope
from windowpane.messages import Role
from windowpane.search import ChatHit, Excerpt, Found, TurnHit
from windowpane.workspace import Workspace

SHOWN_HITS = 30
# A page lies so deep below the root of the site, at most.
MOST_LEVELS = 5

Within = Literal["everything", "project", "chat"]
SPEAKERS: dict[Role, str] = {"user": "you", "assistant": "answer", "tool": "tool"}


class Piece(Struct, frozen=True):
    text: str
    is_hit: bool


class TurnView(Struct, frozen=True, kw_only=True):
    href: str
    title: str
    depth: int
    text: list[Piece]
    speaker: str
    at: datetime
    notes: list[str]


class ChatView(Struct, frozen=True, kw_only=True):
    href: str
    title: list[Piece]


@get("/found", include_in_schema=False)
async def found_fragment(
    workspace: Workspace,
    q: str = "",
    chat: str = "",
    within: Within = "everything",
    depth: Annotated[int, Parameter(ge=0, le=MOST_LEVELS)] = 0,
) -> Template:
    """``chat`` is the chat that is open, ``depth`` how deep the page lies that asks."""
    scope = await _scope(workspace, chat_id=chat, within=within)
    found = await workspace.search(q, scope=scope, limit=SHOWN_HITS)
    context: dict[str, object] = {
        "root": "../" * depth,
        "chats": [_chat_view(hit) for hit in found.chats],
        "turns": [_turn_view(hit, query=q) for hit in found.turns],
        "searched_turns": found.searched_turns,
        "waiting_turns": found.waiting_turns,
        "is_narrow": scope != SearchScope(),
        "count_text": count_text(found),
    }
    return Template(template_name="parts/_found.html", context=context)


def count_text(found: Found) -> str:
    """What is read out when the list has changed."""
    count = len(found.turns) + len(found.chats)
    if count == 0:
        return "Nothing found."
    more = " or more" if len(found.turns) == SHOWN_HITS else ""
    return f"{count}{more} results." if count > 1 else "1 result."


async def _scope(workspace: Workspace, *, chat_id: str, within: Within) -> SearchScope:
    if not chat_id or within == "everything":
        return SearchScope()
    if within == "chat":
        return SearchScope(chat_id=chat_id)
    return SearchScope(project_id=(await workspace.chat(chat_id)).project_id)


def _turn_view(hit: TurnHit, *, query: str) -> TurnView:
    notes = ["beside the words"] if hit.is_beside else []
    asked = urlencode({"turn": hit.turn_id, "q": query})
    return TurnView(
        href=f"chats/{hit.chat_id}?{asked}#{hit.turn_id}",
        title=hit.chat_title or "New chat",
        depth=hit.depth,
        text=list(_pieces(hit.excerpt)),
        speaker=SPEAKERS[hit.role],
        at=hit.at,
        notes=[*notes, *(["left"] if hit.is_left else [])],
    )


def _chat_view(hit: ChatHit) -> ChatView:
    return ChatView(href=f"chats/{hit.chat_id}", title=list(_pieces(hit.title)))


def _pieces(excerpt: Excerpt) -> Iterator[Piece]:
    at = 0
    for mark in excerpt.marks:
        yield Piece(excerpt.text[at : mark.start], False)
        yield Piece(excerpt.text[mark.start : mark.end], True)
        at = mark.end
    yield Piece(excerpt.text[at:], False)
