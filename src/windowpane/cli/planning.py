"""What ``windowpane plan`` does with an open workspace, and how a plan looks in a terminal."""

from __future__ import annotations

import asyncio

import msgspec
from msgspec import Struct

from windowpane.agent.remarks import Remark
from windowpane.asking import PlanRequest
from windowpane.choices import Choices
from windowpane.cli.chosen import applied_text
from windowpane.cli.exits import DONE, FAILED
from windowpane.cli.opening import opened_workspace
from windowpane.cli.plan import PlanOptions
from windowpane.cli.terminal import show
from windowpane.context.applied import Applied
from windowpane.context.plan import ContextPlan
from windowpane.context.words import explanation
from windowpane.settings import Settings

BAR_CELLS = 60


class AppliedSettings(Struct, frozen=True, kw_only=True):
    """What ``--settings --json`` prints."""

    applied: Applied
    remarks: tuple[Remark, ...]


def show_plan(settings: Settings, *, options: PlanOptions) -> int:
    act = _show_plan
    if options.settings:
        act = _show_settings
    elif options.request:
        act = _show_request
    return asyncio.run(act(settings, options=options))


async def _show_settings(settings: Settings, *, options: PlanOptions) -> int:
    async with opened_workspace(settings) as workspace:
        chat = await workspace.chat(options.chat or await workspace.last_chat_id())
        applied = await workspace.applied(chat, send=Choices(model=options.model))
        remarks = await workspace.choices.remarks(applied)
    if options.json:
        encoded = msgspec.json.encode(AppliedSettings(applied=applied, remarks=remarks))
        show(encoded.decode() + "\n")
    else:
        show(f"{applied_text(applied, remarks)}\n")
    return DONE


async def _show_request(settings: Settings, *, options: PlanOptions) -> int:
    async with opened_workspace(settings) as workspace:
        chat_id = options.chat or await workspace.last_chat_id()
        lens = await workspace.lens(chat_id, _request(options))
    if options.json:
        show(msgspec.json.encode(lens).decode() + "\n")
    else:
        headers = "".join(f"{name}: {value}\n" for name, value in lens.headers.items())
        show(f"{lens.method} {lens.url}\n{headers}\n{lens.body}\n")
    return DONE


def _request(options: PlanOptions) -> PlanRequest:
    return PlanRequest(draft=options.draft, model=options.model, filter_text=options.filter)


async def _show_plan(settings: Settings, *, options: PlanOptions) -> int:
    async with opened_workspace(settings) as workspace:
        chat_id = options.chat or await workspace.last_chat_id()
        plan = await workspace.plan(chat_id, _request(options))
    if options.json:
        show(msgspec.json.encode(plan).decode() + "\n")
    else:
        show(f"{bar(plan)}{explanation(plan)}\n")
    return FAILED if plan.unsendable else DONE


def bar(plan: ContextPlan) -> str:
    """The window from left to right; empty where the model's limits are not known."""
    window = plan.budget.window_tokens
    if window is None:
        return ""
    shares = (
        ("S", plan.fixed.system_tokens),
        ("T", plan.fixed.tools_tokens),
        ("Z", plan.fixed.summary_tokens),
        ("P", plan.fixed.pinned_tokens),
        ("#", plan.history_tokens),
        ("+", plan.current.sent_tokens + plan.fixed.prefill_tokens),
    )
    used = "".join(letter * _cells(tokens, window) for letter, tokens in shares)[:BAR_CELLS]
    reserve = "r" * min(_cells(plan.budget.reserve_tokens, window), BAR_CELLS - len(used))
    free = "·" * (BAR_CELLS - len(used) - len(reserve))
    legend = "S system  T tools  Z summary  P pinned  # history  + draft  · free  r reserve"
    return f"[{used}{free}{reserve}] {window:,} tokens\n{legend}\n"


def _cells(tokens: int, window: int) -> int:
    """Whatever is there shows, if only as one cell."""
    return max(1, round(tokens * BAR_CELLS / window)) if tokens else 0
