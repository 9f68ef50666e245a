"""What ``windowpane send`` does with an open workspace, and the JSON that it prints."""

from __future__ import annotations

import asyncio

import msgspec
from msgspec import Struct, structs

from windowpane.cli.answering import Answer, Sent, answer_to, send, send_in_new_chat
from windowpane.cli.exits import DONE, FAILED, INTERRUPTED
from windowpane.cli.opening import opened_workspace
from windowpane.cli.screens import NoScreen, PlainScreen
from windowpane.cli.send import SendOptions
from windowpane.cli.terminal import complain, show, whisper
from windowpane.errors import Failure, FailureKind
from windowpane.messages import Finish
from windowpane.settings import Settings
from windowpane.workspace import SendRequest, Workspace


class SendError(Struct, frozen=True, kw_only=True):
    kind: FailureKind
    message: str
    http_status: int | None


class SendResult(Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. Every key is always there."""

    text: str
    model: str
    usage: dict[str, int] | None
    finish: Finish | None
    chat_id: str
    turn_id: str
    error: SendError | None


def send_and_follow(text: str, *, settings: Settings, options: SendOptions) -> int:
    return asyncio.run(_followed(text, settings=settings, options=options))


async def _followed(text: str, *, settings: Settings, options: SendOptions) -> int:
    async with opened_workspace(settings) as workspace:
        sent = await _sent(text, workspace=workspace, options=options)
        screen = NoScreen() if options.json else PlainScreen()
        answer = await answer_to(sent, workspace=workspace, screen=screen)
    if options.json:
        show(msgspec.json.encode(result_of(answer)).decode() + "\n")
    else:
        whisper(f"chat {answer.turn.chat_id}, answered by {answer.turn.model}\n")
    return _exit_code(answer)


async def _sent(text: str, *, workspace: Workspace, options: SendOptions) -> Sent:
    request = SendRequest(text=text, model=options.model)
    if options.chat is not None:
        return await send(workspace, options.chat, request)
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
    )


def _error_of(answer: Answer) -> SendError | None:
    failure = answer.turn.failure
    if failure is not None:
        return error_from(failure)
    if answer.complaint is not None:
        return SendError(kind="aborted", message=answer.complaint, http_status=None)
    return None


def error_from(failure: Failure) -> SendError:
    return SendError(kind=failure.kind, message=failure.message, http_status=failure.http_status)
