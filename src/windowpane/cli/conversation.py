"""What ``windowpane chat`` does: read a line, follow its answer, again until the lines end.

The event loop runs only while there is something to wait for. At the prompt it stands still, so
that Ctrl+C and the editing of a line are the terminal's own.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import Runner
from collections.abc import Generator
from contextlib import contextmanager

from windowpane.asking import SendRequest
from windowpane.cli.answering import Answer, Following, send_in_new_chat, waiting_in
from windowpane.cli.chat import ChatOptions
from windowpane.cli.deciding import Decider, decider
from windowpane.cli.exits import DONE, FAILED, INTERRUPTED
from windowpane.cli.opening import opened_workspace
from windowpane.cli.screens import PlainScreen
from windowpane.cli.terminal import complain, whisper
from windowpane.cli.typed import piped_lines, typed_lines
from windowpane.errors import WindowpaneError
from windowpane.settings import Settings
from windowpane.turns import Turn
from windowpane.workspace import Workspace


class Conversation:
    """``chat_id`` is None until the first message: a chat begins with something said."""

    def __init__(self, workspace: Workspace, *, options: ChatOptions) -> None:
        self._workspace = workspace
        self._model = options.model
        self._decide: Decider = decider(yes=options.yes, no=options.no)
        self.chat_id = options.chat

    async def check(self) -> None:
        """Refuse an unknown chat or model before anybody has written a word."""
        if self._model is not None:
            self._workspace.models.resolve(self._model)
        if self.chat_id is not None:
            chat = await self._workspace.chat(self.chat_id)
            whisper(f"Going on with: {chat.title}\n")

    def say(self, text: str, *, runner: Runner) -> Answer:
        turn = runner.run(self._sent(SendRequest(text=text, model=self._model)))
        self.chat_id = turn.chat_id
        following = Following(self._workspace, chat_id=turn.chat_id, screen=PlainScreen())
        return following.to_end(self._decide, runner=runner)

    def go_on(self, *, runner: Runner) -> Answer | None:
        """If the chat waits for a word on tool calls, that comes first."""
        waiting = runner.run(waiting_in(self._workspace, self.chat_id)) if self.chat_id else None
        if waiting is None:
            return None
        following = Following(self._workspace, chat_id=waiting.turn.chat_id, screen=PlainScreen())
        return following.go_on(waiting, self._decide, runner=runner)

    async def _sent(self, request: SendRequest) -> Turn:
        if self.chat_id is not None:
            return await self._workspace.send(self.chat_id, request)
        return await send_in_new_chat(self._workspace, request, project_id=None)


def converse(settings: Settings, *, options: ChatOptions) -> int:
    with asyncio.Runner() as runner, running_workspace(settings, runner=runner) as workspace:
        conversation = Conversation(workspace, options=options)
        runner.run(conversation.check())
        if sys.stdin.isatty() and sys.stdout.isatty():
            return _with_person(conversation, runner=runner)
        return _with_pipe(conversation, runner=runner)


def _with_person(conversation: Conversation, *, runner: Runner) -> int:
    """Whatever goes wrong is told, and the person decides what to do next."""
    if (waited := conversation.go_on(runner=runner)) and waited.complaint is not None:
        complain(waited.complaint)
    for line in typed_lines():
        try:
            answer = conversation.say(line, runner=runner)
        except WindowpaneError as error:
            complain(str(error))
            continue
        if answer.complaint is not None:
            complain(answer.complaint)
        print()
    if conversation.chat_id is not None:
        whisper(f"To go on: windowpane chat --chat {conversation.chat_id}\n")
    return DONE


def _with_pipe(conversation: Conversation, *, runner: Runner) -> int:
    """The first line that is not answered ends it: those after it may build on the answer."""
    for line in piped_lines():
        answer = conversation.say(line, runner=runner)
        if answer.was_stopped:
            return INTERRUPTED
        if answer.complaint is not None:
            complain(answer.complaint)
            return FAILED
    return DONE


@contextmanager
def running_workspace(settings: Settings, *, runner: Runner) -> Generator[Workspace]:
    """An open workspace for code that lets the loop run only now and then."""
    opening = opened_workspace(settings)
    workspace = runner.run(opening.__aenter__())
    try:
        yield workspace
    finally:
        runner.run(opening.__aexit__(None, None, None))
