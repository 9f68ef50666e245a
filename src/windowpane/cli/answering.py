"""One message sent and its answer followed to the end, as ``send`` and ``chat`` both do it.

The answer is made in this process, by the same workspace that the page uses; a server that runs
beside it finds the turn in the store. How the text is shown is the caller's.
"""

from __future__ import annotations

import asyncio
import signal
from asyncio import Runner
from collections.abc import Generator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress

from msgspec import Struct

from windowpane.asking import SendRequest
from windowpane.cli.deciding import Decider
from windowpane.cli.pieces import Pieces
from windowpane.cli.screens import Screen
from windowpane.errors import NothingRunning
from windowpane.events import (
    Event,
    MessageDone,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnPaused,
    TurnResumed,
)
from windowpane.messages import Message
from windowpane.parts import ToolCall
from windowpane.projects import FIRST_PROJECT
from windowpane.turns import Decision, Turn, TurnContent
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace


class Answer(Struct, frozen=True, kw_only=True):
    """``usage`` sums the answer's messages; None if the provider told nothing.

    With ``pending`` it is not the end: these calls need a word first.
    """

    turn: Turn
    text: str
    usage: TokenUsage | None
    pending: tuple[ToolCall, ...]

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
        if self.pending:
            names = ", ".join(call.name for call in self.pending)
            return (
                f"The answer waits for a word on {names}. Decide on the page, or go on with: "
                f'windowpane send --chat {self.turn.chat_id} --yes ""'
            )
        return None


async def waiting_in(workspace: Workspace, chat_id: str) -> TurnContent | None:
    """The turn for which a chat waits, if it does."""
    page = await workspace.page(chat_id, before_depth=None, limit=1)
    is_waiting = bool(page.turns) and page.turns[-1].turn.state == "waiting"
    return page.turns[-1] if is_waiting else None


async def send_in_new_chat(
    workspace: Workspace, request: SendRequest, *, project_id: str | None
) -> Turn:
    """In the project that was asked for, else in the first. A refused message leaves nothing."""
    async with AsyncExitStack() as undo:
        if project_id is None:
            project_id = await _first_project(workspace, undo=undo)
        chat = await workspace.create_chat(project_id)
        undo.push_async_callback(workspace.delete_chat, chat.id)
        turn = await workspace.send(chat.id, request)
        undo.pop_all()
        return turn


async def _first_project(workspace: Workspace, *, undo: AsyncExitStack) -> str:
    if projects := (await workspace.projects()).values:
        return projects[0].id
    project = await workspace.create_project(name=FIRST_PROJECT)
    undo.push_async_callback(workspace.delete_project, project.id)
    return project.id


class Following:
    """A turn whose answer is shown as it arrives, through all the times that it waits."""

    def __init__(self, workspace: Workspace, *, chat_id: str, screen: Screen) -> None:
        self._workspace = workspace
        self._chat_id = chat_id
        self._screen = screen
        self._pieces = Pieces()
        self._calls: dict[str, ToolCall] = {}

    def to_end(self, decide: Decider, *, runner: Runner) -> Answer:
        """Until the turn ends, or waits for what nobody decides."""
        return self._decided(runner.run(self._answer()), decide, runner=runner)

    def go_on(self, waiting: TurnContent, decide: Decider, *, runner: Runner) -> Answer:
        """A turn that waits already, perhaps since another process ran."""
        for message in waiting.messages:
            self._note_calls(message)
        return self._decided(self._answered(waiting.turn), decide, runner=runner)

    def _decided(self, answer: Answer, decide: Decider, *, runner: Runner) -> Answer:
        while answer.pending and (decisions := decide(answer.pending)) is not None:
            answer = runner.run(self._go_on(answer.turn.id, decisions))
        self._screen.end()
        return answer

    async def _go_on(self, turn_id: str, decisions: Mapping[str, Decision]) -> Answer:
        await self._workspace.decide(turn_id, decisions)
        return await self._answer()

    async def _answer(self) -> Answer:
        """Show what arrives until the turn ends or waits; Ctrl+C stops it and keeps its text."""
        with (
            _stopped_by_interrupt(self._workspace, self._chat_id),
            self._workspace.follow_turn(self._chat_id) as log,
        ):
            while True:
                for logged in await log.read():
                    self._show(logged.event)
                    if isinstance(logged.event, TurnEnded | TurnPaused):
                        return self._answered(logged.event.turn)

    def _answered(self, turn: Turn) -> Answer:
        undecided = (call.call_id for call in turn.pending_calls if call.decision is None)
        pending = tuple(self._calls[call_id] for call_id in undecided)
        pieces = self._pieces
        return Answer(turn=turn, text=pieces.text, usage=pieces.usage, pending=pending)

    def _show(self, event: Event) -> None:
        for piece in self._pieces.of(event):
            self._screen.piece(piece)
        match event:
            case ToolStarted() | ToolEnded():
                self._screen.tool(event)
            case MessageDone():
                self._note_calls(event.message)
            case TurnResumed():
                for message in event.messages:
                    self._note_calls(message)
            case _:
                pass

    def _note_calls(self, message: Message) -> None:
        calls = (part for part in message.parts if isinstance(part, ToolCall))
        self._calls.update({call.call_id: call for call in calls})


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
