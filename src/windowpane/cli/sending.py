"""What ``windowpane send`` does with an open workspace, and the JSON that it prints."""

from __future__ import annotations

import asyncio

import msgspec
from msgspec import Struct, structs

from windowpane.asking import SendRequest
from windowpane.cli.answering import Answer, Following, send_in_new_chat, waiting_in
from windowpane.cli.conversation import running_workspace
from windowpane.cli.deciding import decider
from windowpane.cli.exits import DONE, FAILED, INTERRUPTED
from windowpane.cli.screens import NoScreen, PlainScreen
from windowpane.cli.send import SendOptions
from windowpane.cli.terminal import complain, show, whisper
from windowpane.errors import Failure, FailureKind
from windowpane.messages import Finish
from windowpane.parts import ToolCall
from windowpane.settings import Settings
from windowpane.turns import Turn
from windowpane.workspace import Workspace


class SendError(Struct, frozen=True, kw_only=True):
    kind: FailureKind
    message: str
    http_status: int | None


class WaitingCall(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    arguments: str


class SendResult(Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. Every key is always there.

    ``waiting`` holds the tool calls that need a word before the answer goes on.
    """

    text: str
    model: str
    usage: dict[str, int] | None
    finish: Finish | None
    chat_id: str
    turn_id: str
    error: SendError | None
    waiting: list[WaitingCall]


def send_and_follow(text: str, *, settings: Settings, options: SendOptions) -> int:
    decide = decider(yes=options.yes, no=options.no)
    screen = NoScreen() if options.json else PlainScreen()
    with asyncio.Runner() as runner, running_workspace(settings, runner=runner) as workspace:
        # Without a text, a chat that waits for a word goes on.
        is_empty = options.chat is not None and not text.strip()
        waiting = runner.run(waiting_in(workspace, options.chat or "")) if is_empty else None
        turn = waiting.turn if waiting else runner.run(_sent(text, workspace, options=options))
        following = Following(workspace, chat_id=turn.chat_id, screen=screen)
        answer = (
            following.go_on(waiting, decide, runner=runner)
            if waiting
            else following.to_end(decide, runner=runner)
        )
        states = runner.run(workspace.budget_states(turn.chat_id))
    warnings = [state.warning for state in states if state.warning]
    if options.json:
        show(msgspec.json.encode(result_of(answer)).decode() + "\n")
    else:
        whisper(f"chat {answer.turn.chat_id}, answered by {answer.turn.model}\n")
        for warning in warnings:
            whisper(f"{warning}\n")
    return _exit_code(answer)


async def _sent(text: str, workspace: Workspace, *, options: SendOptions) -> Turn:
    request = SendRequest(text=text, model=options.model)
    if options.chat is not None:
        return await workspace.send(options.chat, request)
    return await send_in_new_chat(workspace, request, project_id=options.project)


def _exit_code(answer: Answer) -> int:
    if answer.was_stopped:
        return INTERRUPTED
    if answer.complaint is None:
        return DONE
    complain(answer.complaint)
    return FAILED


def result_of(answer: Answer) -> SendResult:
    turn = answer.turn
    return SendResult(
        text=answer.text,
        model=turn.model,
        usage=None if answer.usage is None else structs.asdict(answer.usage),
        finish=turn.finish,
        chat_id=turn.chat_id,
        turn_id=turn.id,
        error=_error_of(answer),
        waiting=[_waiting(call) for call in answer.pending],
    )


def _waiting(call: ToolCall) -> WaitingCall:
    return WaitingCall(id=call.call_id, name=call.name, arguments=call.arguments)


def _error_of(answer: Answer) -> SendError | None:
    failure = answer.turn.failure
    if failure is not None:
        return error_from(failure)
    if answer.complaint is not None and not answer.pending:
        return SendError(kind="aborted", message=answer.complaint, http_status=None)
    return None


def error_from(failure: Failure) -> SendError:
    return SendError(kind=failure.kind, message=failure.message, http_status=failure.http_status)
