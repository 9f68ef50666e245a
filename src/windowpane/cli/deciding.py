"""Tool calls that wait for a word: accepted or rejected as an option says, or as a person does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from windowpane.cli.grammar import Parser
from windowpane.cli.terminal import can_ask, harmless
from windowpane.errors import InvalidInput
from windowpane.parts import ToolCall
from windowpane.tools.drawing import json_drawing
from windowpane.turns import Decision

QUESTION = "Accept? [y/n] "
ANSWERS: dict[str, Decision] = {"y": "accept", "yes": "accept", "n": "reject", "no": "reject"}

# What to do about some calls; None leaves them waiting.
Decider = Callable[[Sequence[ToolCall]], dict[str, Decision] | None]


def add_decision_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--yes", action="store_true", help="accept every tool call that needs a word")
    add("--no", action="store_true", help="reject every tool call that needs a word")


def decider(*, yes: bool, no: bool) -> Decider:
    if yes and no:
        raise InvalidInput("Give --yes or --no, not both.")
    if yes:
        return lambda calls: {call.call_id: "accept" for call in calls}
    if no:
        return lambda calls: {call.call_id: "reject" for call in calls}
    return _asked if can_ask() else _left


def _left(calls: Sequence[ToolCall]) -> None:
    """There is nobody to ask."""


def _asked(calls: Sequence[ToolCall]) -> dict[str, Decision] | None:
    """Whoever ends the input or presses Ctrl+C has not decided."""
    decisions: dict[str, Decision] = {}
    for call in calls:
        decision = _asked_about(call)
        if decision is None:
            return None
        decisions[call.call_id] = decision
    return decisions


def _asked_about(call: ToolCall) -> Decision | None:
    _say(f"\n{call.name} wants to run with:\n{json_drawing(call.arguments).text}\n")
    try:
        while True:
            _say(QUESTION)
            line = sys.stdin.readline()
            if not line:
                _say("\n")
                return None
            if decision := ANSWERS.get(line.strip().lower()):
                return decision
    except KeyboardInterrupt:
        _say("\n")
        return None


def _say(text: str) -> None:
    sys.stderr.write(harmless(text))
    sys.stderr.flush()
