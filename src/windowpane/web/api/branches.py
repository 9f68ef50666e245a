"""Asking again, other answers, selections, forks and moves over HTTP."""

from __future__ import annotations

from litestar import get, post
from msgspec import Struct

from windowpane.accounting import ChatTotals
from windowpane.agent.branching import Step
from windowpane.agent.moving import Moved
from windowpane.agent.turns import Swapped, TurnMarks
from windowpane.asking import AskAgain
from windowpane.projects import Chat
from windowpane.records import SpecialRecord
from windowpane.turns import Turn
from windowpane.web.api.deletions import DeletionView, deletion_view
from windowpane.workspace import Workspace


class SwapStep(Struct, frozen=True, kw_only=True):
    """1 is the next answer of the place, -1 the one before."""

    step: Step = 1


class MarkedTurns(Struct, frozen=True, kw_only=True):
    """The same marks for several turns of one chat."""

    turn_ids: tuple[str, ...]
    marks: TurnMarks


class CommandLine(Struct, frozen=True, kw_only=True):
    """``line`` is ``<filter> :command``."""

    line: str
    is_confirmed: bool = False


class CommandView(Struct, frozen=True, kw_only=True):
    """With a ``question`` nothing was done: ask it, and send the line again as confirmed.

    ``filter_text`` is what to show from now on, if a view was opened.
    """

    sentence: str
    turns: int
    question: str
    deletion: DeletionView | None
    filter_text: str | None


class ForkPoint(Struct, frozen=True, kw_only=True):
    """The last turn to copy; without one, the whole path."""

    turn_id: str | None = None


class NewPlace(Struct, frozen=True, kw_only=True):
    project_id: str


@post("/api/turns/{turn_id:str}/again")
async def ask_again(workspace: Workspace, turn_id: str, data: AskAgain) -> Turn:
    """Edit the message, retry it, or let another model answer: a sibling takes its place."""
    return await workspace.ask_again(turn_id, data)


@post("/api/turns/{turn_id:str}/swap", status_code=200)
async def swap_answers(workspace: Workspace, turn_id: str, data: SwapStep) -> Swapped:
    """Put another answer of the same place there, with what once followed it."""
    return await workspace.turns.swap(turn_id, step=data.step)


@post("/api/chats/{chat_id:str}/marks", status_code=200)
async def mark_turns(workspace: Workspace, chat_id: str, data: MarkedTurns) -> list[Turn]:
    return await workspace.turns.mark_all(chat_id, data.turn_ids, data.marks)


@post("/api/chats/{chat_id:str}/commands", status_code=200)
async def run_command(workspace: Workspace, chat_id: str, data: CommandLine) -> CommandView:
    """Carry out a command on the turns that the filter before it chooses."""
    outcome = await workspace.run_command(chat_id, data.line, is_confirmed=data.is_confirmed)
    return CommandView(
        sentence=outcome.sentence,
        turns=outcome.turns,
        question=outcome.question,
        deletion=deletion_view(outcome.deletion) if outcome.deletion else None,
        filter_text=outcome.filter_text,
    )


@post("/api/chats/{chat_id:str}/fork")
async def fork_chat(workspace: Workspace, chat_id: str, data: ForkPoint) -> Chat:
    """A new chat with copies of everything up to a turn, also one that was left."""
    return await workspace.fork(chat_id, turn_id=data.turn_id)


@post("/api/chats/{chat_id:str}/move", status_code=200)
async def move_chat(workspace: Workspace, chat_id: str, data: NewPlace) -> Moved:
    """To another project; topics go along as far as it has them at the same path."""
    return await workspace.move_chat(chat_id, project_id=data.project_id)


@get("/api/chats/{chat_id:str}/totals")
async def chat_totals(workspace: Workspace, chat_id: str) -> ChatTotals:
    """What the chat has cost. Over several chats only ``own`` may be summed."""
    return await workspace.totals(chat_id)


@get("/api/chats/{chat_id:str}/records")
async def list_records(workspace: Workspace, chat_id: str) -> list[SpecialRecord]:
    """Titles, summaries and accounts of a chat, on every branch, by depth."""
    return await workspace.records(chat_id)


BRANCH_HANDLERS = [
    ask_again,
    swap_answers,
    mark_turns,
    run_command,
    fork_chat,
    move_chat,
    chat_totals,
    list_records,
]
