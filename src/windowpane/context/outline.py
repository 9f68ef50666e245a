"""What two plans are compared by: a plan has it at hand, a receipt remembers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from msgspec import Struct

from windowpane.context.budget import Budget
from windowpane.context.given import PlanSettings
from windowpane.context.receipt import ItemRun, Receipt
from windowpane.context.states import IN_REQUEST, PlannedTurn, TurnRange
from windowpane.context.telemetry import KnownTurn
from windowpane.topics import ViewScope


class Outline(Protocol):
    """``system``, ``tools`` and ``summary`` are only ever compared with each other."""

    @property
    def model(self) -> str: ...
    @property
    def scope(self) -> ViewScope: ...
    @property
    def filter_text(self) -> str: ...
    @property
    def budget(self) -> Budget: ...
    @property
    def settings(self) -> PlanSettings: ...
    @property
    def system(self) -> object: ...
    @property
    def tools(self) -> object: ...
    @property
    def summary(self) -> object: ...
    @property
    def turns(self) -> tuple[PlannedTurn, ...]: ...
    @property
    def ranges(self) -> tuple[TurnRange, ...]: ...
    @property
    def scope_turns(self) -> int: ...


class Remembered(Struct, frozen=True, kw_only=True):
    """The outline of a request that went out; its turns are placed by depth."""

    model: str
    scope: ViewScope
    filter_text: str
    budget: Budget
    settings: PlanSettings
    system: str
    tools: str
    summary: str | None
    turns: tuple[PlannedTurn, ...]
    ranges: tuple[TurnRange, ...]
    scope_turns: int


def outline_from(receipt: Receipt, *, turns: Mapping[int, KnownTurn]) -> Remembered:
    """``turns`` holds those of the path that are still there; deleted ones go by their depth."""
    return Remembered(
        model=receipt.model,
        scope=receipt.scope,
        filter_text=receipt.filter_text,
        budget=receipt.budget,
        settings=receipt.settings,
        system=receipt.contents.system_id,
        tools=receipt.contents.tools_id,
        summary=receipt.contents.summary_id,
        turns=tuple(turn for run in receipt.contents.items for turn in _planned(run, turns)),
        ranges=receipt.contents.ranges,
        scope_turns=receipt.sizes.scope_turns,
    )


def _planned(run: ItemRun, turns: Mapping[int, KnownTurn]) -> Iterator[PlannedTurn]:
    for depth in range(run.first_depth, run.last_depth + 1):
        known = turns.get(depth)
        tokens = known.tokens if known else 0
        yield PlannedTurn(
            index=depth,
            turn_id=known.turn_id if known else f"deleted:{depth}",
            standing=run.standing,
            raw_tokens=tokens,
            sent_tokens=tokens if run.standing in IN_REQUEST else 0,
            removed=run.removed,
            is_pinned=run.is_pinned,
        )
