"""What ``windowpane search`` does with an open workspace, and how hits look in a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec

from windowpane.agent.search import SearchScope
from windowpane.cli.exits import DONE, FAILED
from windowpane.cli.opening import opened_workspace
from windowpane.cli.progress import ProgressLine
from windowpane.cli.search import SearchOptions
from windowpane.cli.terminal import complain, show, show_pieces
from windowpane.messages import Role
from windowpane.search import ChatHit, Excerpt, Found, TurnHit
from windowpane.settings import Settings
from windowpane.workspace import Workspace

# Some text, and whether it is a hit.
Piece = tuple[str, bool]
SPEAKERS: dict[Role, str] = {"user": "you", "assistant": "answer", "tool": "tool"}


def show_found(settings: Settings, *, options: SearchOptions) -> int:
    found = asyncio.run(_found(settings, options=options))
    if options.json:
        show(msgspec.json.encode(found).decode() + "\n")
    else:
        show_pieces(pieces(found))
    if found.turns or found.chats:
        return DONE
    if not options.json:
        complain(f"Nothing found in {found.searched_turns:,} turns. Try fewer or other words.")
    return FAILED


async def _found(settings: Settings, *, options: SearchOptions) -> Found:
    scope = SearchScope(project_id=options.project, chat_id=options.chat)
    async with opened_workspace(settings) as workspace:
        await _catch_up(workspace, scope)
        return await workspace.search(" ".join(options.words), scope=scope, limit=options.limit)


async def _catch_up(workspace: Workspace, scope: SearchScope) -> None:
    with ProgressLine("Reading new turns") as line:
        while (so_far := await workspace.searching.catch_up(scope)).waiting_turns:
            line.show(
                so_far.indexed_turns, of=so_far.indexed_turns + so_far.waiting_turns, unit="turns"
            )


def pieces(found: Found) -> Iterator[Piece]:
    for chat in found.chats:
        yield from _chat_pieces(chat)
    for turn in found.turns:
        yield from _turn_pieces(turn)


def _chat_pieces(hit: ChatHit) -> Iterator[Piece]:
    yield "Chat: ", False
    yield from _marked(hit.title)
    yield f"\n  {hit.chat_id}\n\n", False


def _turn_pieces(hit: TurnHit) -> Iterator[Piece]:
    notes = [
        hit.chat_title or "New chat",
        f"turn {hit.depth + 1:,}",
        SPEAKERS[hit.role],
        f"{hit.at.astimezone():%d %b %Y %H:%M}",
        *(["beside the words"] if hit.is_beside else []),
        *(["on a branch that was left"] if hit.is_left else []),
    ]
    yield f"{' · '.join(notes)}\n  ", False
    yield from _marked(hit.excerpt)
    yield f"\n  {hit.chat_id} {hit.turn_id}\n\n", False


def _marked(excerpt: Excerpt) -> Iterator[Piece]:
    at = 0
    for mark in excerpt.marks:
        yield excerpt.text[at : mark.start], False
        yield excerpt.text[mark.start : mark.end], True
        at = mark.end
    yield excerpt.text[at:], False
