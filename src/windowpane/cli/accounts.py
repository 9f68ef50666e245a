"""What ``windowpane why``, ``receipts`` and ``cost`` do with an open workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

import msgspec
from msgspec import Struct

from windowpane.accounting import Totals, UsageSum, sum_of
from windowpane.agent.budgets import NAMES, BudgetState
from windowpane.agent.usage import DayUsage, by_model
from windowpane.catalog.prices import usd_text
from windowpane.cli.columns import columns
from windowpane.cli.cost import CostOptions
from windowpane.cli.exits import DONE, FAILED
from windowpane.cli.opening import opened_workspace
from windowpane.cli.receipts import ReceiptOptions
from windowpane.cli.terminal import complain, show
from windowpane.cli.why import WhyOptions
from windowpane.context.receipt import Receipt
from windowpane.context.receipt_words import cost_text, receipt_lines, receipt_row
from windowpane.errors import InvalidInput, NotFound
from windowpane.settings import Settings
from windowpane.workspace import Workspace

FIRST = "It is the first request of its chat: there is nothing to compare it with."
SAME = "Nothing changed since the request before."


class CostRow(Struct, frozen=True, kw_only=True):
    day: date
    totals: Totals
    sums: tuple[UsageSum, ...]


def show_why(settings: Settings, *, options: WhyOptions) -> int:
    return asyncio.run(_show_why(settings, options=options))


def show_receipts(settings: Settings, *, options: ReceiptOptions) -> int:
    return asyncio.run(_show_receipts(settings, options=options))


def show_cost(settings: Settings, *, options: CostOptions) -> int:
    return asyncio.run(_show_cost(settings, options=options))


async def _show_why(settings: Settings, *, options: WhyOptions) -> int:
    async with opened_workspace(settings) as workspace:
        turn_id = options.turn or await _newest_turn_id(workspace, options.chat)
        why = await workspace.receipts.why(turn_id)
    if options.json:
        show(msgspec.json.encode(why).decode() + "\n")
    else:
        sentences = FIRST if why is None else "\n".join(why.sentences) or SAME
        show(f"{sentences}\n")
    return DONE


async def _newest_turn_id(workspace: Workspace, chat_id: str | None) -> str:
    chat = await workspace.chat(chat_id or await workspace.last_chat_id())
    if chat.head_id is None:
        raise InvalidInput("This chat is empty: nothing was sent in it yet.")
    return chat.head_id


async def _show_receipts(settings: Settings, *, options: ReceiptOptions) -> int:
    async with opened_workspace(settings) as workspace:
        if options.receipt is not None:
            return await _show_receipt(workspace, options.receipt, options=options)
        chat_id = options.chat or await workspace.last_chat_id()
        page = await workspace.page(chat_id, before_depth=None, limit=max(1, options.turns))
        found = [one for turn in page.turns for one in await workspace.receipts.of(turn.turn.id)]
    if options.json:
        show(msgspec.json.encode(found).decode() + "\n")
    else:
        show(columns([receipt_row(one) for one in found]) + "\n" if found else "No receipts.\n")
    return DONE


async def _show_receipt(workspace: Workspace, id: str, *, options: ReceiptOptions) -> int:
    if not options.request:
        receipt = await workspace.receipts.get(id)
        show(_json(receipt) if options.json else "\n".join(receipt_lines(receipt)) + "\n")
        return DONE
    again = await workspace.receipts.reproduce(id)
    if again.wire is None:
        complain(f"It cannot be shown any more; missing: {', '.join(again.missing)}.")
        return FAILED
    if not again.is_same:
        complain("The provider is set up differently now: these are not the bytes of that day.")
    show(again.wire.body.decode() + "\n")
    return DONE if again.is_same else FAILED


async def _show_cost(settings: Settings, *, options: CostOptions) -> int:
    async with opened_workspace(settings) as workspace:
        days = await workspace.usage.days()
        budgets = await _budgets(workspace, options.chat)
    since = datetime.now(UTC).date() - timedelta(days=max(0, options.days - 1))
    rows = [_chosen(day, options) for day in days if day.day >= since]
    rows = [row for row in rows if row.sums]
    if options.json:
        show(msgspec.json.encode(rows).decode() + "\n")
    else:
        show(_cost_text(rows) + "".join(_budget_line(state) for state in budgets))
    return DONE


async def _budgets(workspace: Workspace, chat_id: str | None) -> list[BudgetState]:
    """Of a chat that is deleted only the accounts are left."""
    try:
        return [] if chat_id is None else await workspace.budget_states(chat_id)
    except NotFound:
        return []


def _chosen(day: DayUsage, options: CostOptions) -> CostRow:
    sums = tuple(
        one
        for one in day.sums
        if options.chat in (None, one.chat_id) and options.project in (None, one.project_id)
    )
    return CostRow(day=day.day, totals=sum_of(sums), sums=sums)


def _cost_text(rows: Iterable[CostRow]) -> str:
    lines: list[list[str]] = []
    everything: list[UsageSum] = []
    for row in rows:
        everything += row.sums
        for model, totals in by_model(row.sums).items():
            lines.append([row.day.isoformat(), model, *_amounts(totals)])
    if not lines:
        return "Nothing was used.\n"
    lines.append(["in all", "", *_amounts(sum_of(everything))])
    return columns(lines) + "\n"


def _budget_line(state: BudgetState) -> str:
    limits = [
        f"{name} {usd_text(usd)}"
        for name, usd in (("soft", state.soft_usd), ("hard", state.hard_usd))
        if usd is not None
    ]
    line = f"budget for {NAMES[state.scope]}: {cost_text(state.spent)} of {', '.join(limits)}"
    return f"{line}; {state.warning}\n" if state.warning else f"{line}\n"


def _amounts(totals: Totals) -> list[str]:
    usage = totals.usage
    return [
        f"{totals.calls:,} call{'' if totals.calls == 1 else 's'}",
        f"{usage.request_tokens:,} in",
        f"{usage.output_tokens:,} out",
        cost_text(totals.cost),
    ]


def _json(receipt: Receipt) -> str:
    return msgspec.json.encode(receipt).decode() + "\n"
