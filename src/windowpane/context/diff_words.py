"""The difference of two plans, and of two requests, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from msgspec import Struct

from windowpane.accounting import Cost
from windowpane.context.diff import Cause, PlanDiff, PrefixDiff, Rule, TurnChange

_CAUSES: dict[Cause, str] = {
    "model": "the model changed to {model}",
    "limits": "the model's limits changed",
    "system": "the system prompt changed",
    "tools": "the tools changed",
    "summary": "the summary changed",
    "settings": "the settings changed",
    "filter": "the filter changed",
    "scope": "the scope changed",
}
# Which changed input can be why a rule acts; the first that did is named.
_CAUSES_OF: dict[Rule, tuple[Cause, ...]] = {
    "budget": ("model", "limits", "summary", "system", "tools", "settings", "filter", "scope"),
    "retention": ("settings",),
    "summary": ("summary", "filter", "scope"),
    "filter": ("filter", "scope"),
}
_LEFT: dict[Rule, str] = {
    "filter": "hidden by the filter",
    "summary": "the summary stands for {it}",
    "skip": "skipped",
    "failure": "no answer",
    "reply": "being answered",
    "budget": "over budget",
    "draft": "made room for this message",
    "deletion": "deleted",
    "retention": "shortened",
}
_CAME: dict[Rule, str] = {
    "filter": "the filter shows {it} again",
    "summary": "no summary stands for {it} any more",
    "skip": "not skipped any more",
    "failure": "answered now",
    "reply": "answered",
    "budget": "there is room",
    "draft": "this message leaves room",
    "deletion": "restored",
    "retention": "whole again",
}
_BREAKS: dict[str, str] = {
    "model": "the model",
    "tools": "the tool definitions",
    "system": "the system prompt",
}


def diff_sentences(diff: PlanDiff) -> list[str]:
    """What changed between two plans and why, one sentence for each run of turns."""
    return [
        *_runs(diff.left, "left", _LEFT, diff),
        *_runs(diff.came, "came", _CAME, diff),
        *_runs(
            [turn for turn in diff.reshaped if turn.after == "shortened"], "changed", _LEFT, diff
        ),
        *_runs([turn for turn in diff.reshaped if turn.after == "sent"], "changed", _CAME, diff),
    ]


class Rewritten(Struct, frozen=True, kw_only=True):
    """What a provider had to read anew because a cached prefix broke, and what that cost."""

    tokens: int
    cost: Cost


def prefix_sentence(prefix: PrefixDiff, *, rewritten: Rewritten | None) -> str:
    """What is left of a cached prefix."""
    if prefix.broke_at is None:
        return "The cached prefix holds."
    where = _BREAKS.get(prefix.broke_at)
    place = f"at {where}" if where else f"after {prefix.shared_messages} messages"
    if rewritten is None:
        return f"The cached prefix broke {place}."
    return (
        f"The cached prefix broke {place}: {rewritten.tokens:,} tokens written again, "
        f"{_priced(rewritten.cost)}."
    )


def _priced(cost: Cost) -> str:
    if cost.is_unknown:
        return "at a price that is not known"
    if not cost.known_usd:
        return "free of charge"
    least = Decimal("0.01")
    return "less than $0.01" if cost.known_usd < least else f"about ${cost.known_usd:.2f}"


def _runs(
    changes: Sequence[TurnChange], verb: str, words: dict[Rule, str], diff: PlanDiff
) -> Iterator[str]:
    """Neighbours that one rule moved make one sentence."""
    numbered = enumerate(sorted(changes, key=lambda change: change.index))
    for _, group in groupby(numbered, key=lambda one: (one[1].rule, one[1].index - one[0])):
        run = [change for _, change in group]
        rule = run[0].rule
        first, last = run[0].index + 1, run[-1].index + 1
        turns, it = (f"Turns {first}–{last}", "them") if len(run) > 1 else (f"Turn {first}", "it")
        yield f"{turns} {verb}: {words[rule].format(it=it)}{_since(rule, diff)}."


def _since(rule: Rule, diff: PlanDiff) -> str:
    for cause in _CAUSES_OF.get(rule, ()):
        if cause in diff.causes:
            return f" since {_CAUSES[cause].format(model=diff.model)}"
    return ""
