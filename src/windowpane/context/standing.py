"""Candidates, checkpoint and the user's choice: the rules that act before the budget does."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from windowpane.context.boundary import Candidate
from windowpane.context.checkpoint import summary_in_view
from windowpane.context.given import PlanInput
from windowpane.context.retention import Retention, retention_of
from windowpane.context.states import TurnStanding
from windowpane.context.weights import TurnKind, TurnWeight

NOTHING_COVERED = range(0)
STANDING_OF: dict[TurnKind, TurnStanding] = {
    "skipped": "skipped",
    "failed": "failed",
    "current": "current",
}


class Rules(Struct, frozen=True, kw_only=True):
    """What holds for a whole plan: which turns are shown, covered by the summary, kept whole."""

    visible: bytes | None
    covered: range
    retention: Retention

    def is_visible(self, index: int) -> bool:
        return self.visible is None or self.visible[index] == 1

    def standing(self, index: int, weight: TurnWeight) -> TurnStanding | None:
        """The first rule that keeps a turn out, in the order of precedence; None: it may go."""
        if not self.is_visible(index):
            return "filtered"
        kind = weight.kind
        if index in self.covered and kind != "pinned":
            return "summarised"
        return STANDING_OF.get(kind)


def rules_of(given: PlanInput) -> Rules:
    summary = summary_in_view(given)
    return Rules(
        visible=given.view.visible,
        covered=summary.covered if summary else NOTHING_COVERED,
        retention=retention_of(
            past_turns(given),
            reasoning_turns=given.settings.reasoning_turns,
            tool_turns=given.settings.tool_turns,
            in_steps=given.moves_in_steps,
        ),
    )


def candidates(given: PlanInput, rules: Rules) -> Iterator[Candidate]:
    """The turns that go if there is room, newest first."""
    turns = given.scope.newest_first(visible=rules.visible, covered=rules.covered)
    for index, weight, raw_before in turns:
        if weight.kind == "plain":
            yield Candidate(
                index=index,
                tokens=weight.tokens(rules.retention.removals(index)),
                begins_at=raw_before,
                ends_at=raw_before + weight.raw_tokens,
            )


def past_turns(given: PlanInput) -> int:
    """How many turns lie behind; the one in flight is not among them."""
    turns = given.scope.turns
    return turns - 1 if turns and given.scope.turn(turns - 1).is_current else turns
