"""What was sent and what it cost, over HTTP: lens, receipts, telemetry, why, usage."""

from __future__ import annotations

from datetime import date

from litestar import get, post
from msgspec import Struct

from windowpane.accounting import Totals, UsageSum, sum_of
from windowpane.agent.budgets import BudgetState
from windowpane.agent.lens import Lens
from windowpane.agent.receipts import Reproduced, Why
from windowpane.asking import PlanRequest
from windowpane.context.estimate import SendEstimate, estimate_sentence
from windowpane.context.receipt import Receipt
from windowpane.context.telemetry import Telemetry
from windowpane.workspace import Workspace


class ReproducedRequest(Struct, frozen=True, kw_only=True):
    """A request as it went out. ``body`` is null when something in it was deleted since."""

    receipt: Receipt
    method: str
    url: str
    headers: dict[str, str]
    body: str | None
    is_same: bool
    missing: tuple[str, ...]


class EstimatedSend(Struct, frozen=True, kw_only=True):
    estimate: SendEstimate
    sentence: str


class ChatCost(Struct, frozen=True, kw_only=True):
    """``budgets`` holds those that are set, of the chat, its project and today."""

    totals: Totals
    budgets: list[BudgetState]


class UsageDay(Struct, frozen=True, kw_only=True):
    """A day in UTC, added up, and by chat, model and cause."""

    day: date
    totals: Totals
    sums: tuple[UsageSum, ...]


@post("/api/chats/{chat_id:str}/lens", status_code=200)
async def read_lens(workspace: Workspace, chat_id: str, data: PlanRequest) -> Lens:
    """The next request to the byte. Send with its ``written_at`` to send exactly this."""
    return await workspace.lens(chat_id, data)


@post("/api/chats/{chat_id:str}/telemetry", status_code=200)
async def read_preflight(workspace: Workspace, chat_id: str, data: PlanRequest) -> Telemetry:
    """The numbers of what would be sent now, with the stage ``preflight``."""
    return await workspace.preflight(chat_id, data)


@post("/api/chats/{chat_id:str}/estimate", status_code=200)
async def estimate_send(workspace: Workspace, chat_id: str, data: PlanRequest) -> EstimatedSend:
    """What sending this now would cost."""
    found = await workspace.estimate(chat_id, data)
    return EstimatedSend(estimate=found, sentence=estimate_sentence(found))


@get("/api/chats/{chat_id:str}/cost")
async def read_chat_cost(workspace: Workspace, chat_id: str) -> ChatCost:
    budgets = await workspace.budget_states(chat_id)
    return ChatCost(totals=await workspace.usage.chat(chat_id), budgets=budgets)


@get("/api/projects/{project_id:str}/cost")
async def read_project_cost(workspace: Workspace, project_id: str) -> Totals:
    """Everything that was ever used in the project, in chats that are deleted too."""
    return await workspace.usage.project(project_id)


@get("/api/usage")
async def list_usage(workspace: Workspace) -> list[UsageDay]:
    """Every day on which something was used, oldest first."""
    return [
        UsageDay(day=one.day, totals=sum_of(one.sums), sums=one.sums)
        for one in await workspace.usage.days()
    ]


@get("/api/turns/{turn_id:str}/receipts")
async def list_receipts(workspace: Workspace, turn_id: str) -> list[Receipt]:
    """Every request that was made for a turn, in order."""
    return await workspace.receipts.of(turn_id)


@get("/api/turns/{turn_id:str}/telemetry")
async def list_telemetry(workspace: Workspace, turn_id: str) -> list[Telemetry]:
    return await workspace.receipts.telemetry(turn_id)


@get("/api/turns/{turn_id:str}/why")
async def read_why(workspace: Workspace, turn_id: str) -> Why | None:
    """What the turn's request has and lacks against the one before; null for the first."""
    return await workspace.receipts.why(turn_id)


@get("/api/receipts/{receipt_id:str}")
async def read_receipt(workspace: Workspace, receipt_id: str) -> Receipt:
    return await workspace.receipts.get(receipt_id)


@get("/api/receipts/{receipt_id:str}/request")
async def reproduce_request(workspace: Workspace, receipt_id: str) -> ReproducedRequest:
    """The request of a receipt again, byte by byte."""
    return _shown(await workspace.receipts.reproduce(receipt_id))


def _shown(found: Reproduced) -> ReproducedRequest:
    sent = found.receipt.sent
    return ReproducedRequest(
        receipt=found.receipt,
        method=sent.method,
        url=sent.url,
        headers=sent.headers,
        body=found.wire.body.decode() if found.wire else None,
        is_same=found.is_same,
        missing=found.missing,
    )


ACCOUNT_HANDLERS = [
    read_lens,
    read_preflight,
    estimate_send,
    read_chat_cost,
    read_project_cost,
    list_usage,
    list_receipts,
    list_telemetry,
    read_why,
    read_receipt,
    reproduce_request,
]
