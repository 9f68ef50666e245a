"""What goes on in a turn beside its messages: calls that run now, calls that wait for a word."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windowpane.events import ToolRun
from windowpane.turns import PendingCall, Turn


class Activity(Struct, frozen=True, kw_only=True):
    """``is_live``: calls without a result may still get one."""

    is_live: bool
    runs: tuple[ToolRun, ...]
    pending: tuple[PendingCall, ...]

    def run_of(self, call_id: str) -> ToolRun | None:
        return next((run for run in self.runs if run.call_id == call_id), None)

    def pending_of(self, call_id: str) -> PendingCall | None:
        return next((call for call in self.pending if call.call_id == call_id), None)


ENDED = Activity(is_live=False, runs=(), pending=())


def activity_of(turn: Turn, runs: Sequence[ToolRun]) -> Activity:
    is_live = turn.state in ("sending", "waiting")
    return Activity(is_live=is_live, runs=tuple(runs), pending=turn.pending_calls)
