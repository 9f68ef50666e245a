"""One message sent and its answer followed to the end, as ``send`` and ``chat`` both do it.

The answer is made in this process, by the same workspace that the page uses; a server that runs
beside it finds the turn in the store. How the text is shown is the caller's.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager, suppress

from msgspec import Struct

from windowpane.cli.pieces import Pieces
from windowpane.cli.screens import Screen
from windowpane.errors import NothingRunning
from windowpane.events import EventId, MessageDone, Reload, TurnEnded
from windowpane.projects import FIRST_PROJECT
from windowpane.turns import Turn
from windowpane.usage import TokenUsage
from windowpane.workspace import SendRequest, Workspace


class Answer(Struct, frozen=True, kw_only=True):
    """``usage`` sums the answer's messages; None if the provider told nothing."""

    turn: Turn
    text: str
    usage: TokenUsage | None

    @property
    def was_stopped(self) -> bool:
        return self.turn.state == "aborted"

    @property
    def complaint(self) -> str | None:
        """Why this is not the answer that was asked for, if it is not."""
        if self.turn.failure is not None:
            return self.turn.failure.message
        if self.turn.state == "interrupted":
            return "The answer was interrupted. What arrived is kept in the chat."
        return None


class Sent(Struct, frozen=True, kw_only=True):
    """A turn that is being answered, and the place in its chat's log where it begins."""

    turn: Turn
    position: EventId


async def send(workspace: Workspace, chat_id: str, request: SendRequest) -> Sent:
    position = workspace.position(chat_id)
    return Sent(turn=await workspace.send(chat_id, request), position=position)


async def send_in_new_chat(
    workspace: Workspace, request: SendRequest, *, project_id: str | None
) -> Sent:
    """In the project that was asked for, else in the first. A refused message leaves nothing."""
    async with AsyncExitStack() as undo:
        if project_id is None:
            project_id = await _first_project(workspace, undo=undo)
        chat = await workspace.create_chat(project_id)
        undo.push_async_callback(workspace.delete_chat, chat.id)
        sent = await send(workspace, chat.id, request)
        undo.pop_all()
        return sent


async def _first_project(workspace: Workspace, *, undo: AsyncExitStack) -> str:
    if projects := (await workspace.projects()).values:
        return projects[0].id
    project = await workspace.create_project(name=FIRST_PROJECT)
    undo.push_async_callback(workspace.delete_project, project.id)
    return project.id


async def answer_to(sent: Sent, *, workspace: Workspace, screen: Screen) -> Answer:
    """Show what arrives until the turn ends; Ctrl+C stops the answer and keeps its text.

    Raises ``NotFound`` if somebody deletes the chat meanwhile.
    """
    chat_id, pieces = sent.turn.chat_id, Pieces()
    with (
        _stopped_by_interrupt(workspace, chat_id),
        workspace.follow(chat_id, after=sent.position) as log,
    ):
        while True:
            for logged in await log.read():
                if isinstance(logged.event, Reload):
                    screen.end()
                    return await _stored_answer(sent, workspace=workspace)
                for piece in pieces.of(logged.event):
                    screen.piece(piece)
                if isinstance(logged.event, TurnEnded):
                    screen.end()
                    return Answer(turn=logged.event.turn, text=pieces.text, usage=pieces.usage)


async def _stored_answer(sent: Sent, *, workspace: Workspace) -> Answer:
    """The chat went on elsewhere faster than it could be followed here."""
    depth = sent.turn.depth
    page = await workspace.page(sent.turn.chat_id, before_depth=depth + 1, limit=1)
    pieces = Pieces()
    for message in page.turns[0].messages:
        pieces.of(MessageDone(message=message))
    return Answer(turn=page.turns[0].turn, text=pieces.text, usage=pieces.usage)


@contextmanager
def _stopped_by_interrupt(workspace: Workspace, chat_id: str) -> Generator[None]:
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    async def stop() -> None:
        with suppress(NothingRunning):  # it ended by itself at the same moment
            await workspace.stop(chat_id)

    def interrupted() -> None:
        # The next Ctrl+C ends the program, as it would anywhere.
        loop.remove_signal_handler(signal.SIGINT)
        stopping.append(loop.create_task(stop()))

    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
