"""When the boundary is looked at again."""

from __future__ import annotations

from typing import get_args

import pytest

from windowpane.context.changes import Change, Effect, TurnMark, effect_of, mark_change
from windowpane.filters import parse

EFFECTS: dict[Change, Effect] = {
    "scope": "anew",
    "filter": "anew",
    "visibility": "anew",
    "model": "anew",
    "limits": "anew",
    "calibration": "extend",
    "allowance": "anew",
    "chars_per_token": "anew",
    "settings": "anew",
    "system": "anew",
    "tools": "anew",
    "summary": "anew",
    "pin": "anew",
    "skip": "anew",
    "reply": "extend",
    "deletion": "anew",
    "edit": "anew",
    "import": "anew",
    "keystroke": "none",
    "scroll": "none",
    "unread_mark": "none",
    "title": "none",
    "trim_attempt": "none",
}


@pytest.mark.parametrize(("change", "effect"), EFFECTS.items())
def test_every_change_has_its_effect(change: Change, effect: Effect) -> None:
    assert effect_of([change]) == effect


def test_no_change_is_forgotten() -> None:
    assert set(EFFECTS) == set(get_args(Change))


def test_nothing_changed_moves_nothing() -> None:
    assert effect_of([]) == "none"


def test_typing_beside_a_reply_keeps_the_floor() -> None:
    assert effect_of(["keystroke", "reply"]) == "extend"


def test_a_deletion_beside_a_reply_takes_the_floor_away() -> None:
    assert effect_of(["reply", "deletion"]) == "anew"


@pytest.mark.parametrize(
    ("mark", "query", "change"),
    [
        ("star", "s>=2", "visibility"),
        ("star", "r10 | !(s3)", "visibility"),
        ("star", "g", "unread_mark"),
        ("star", "", "unread_mark"),
        ("flag", "g", "visibility"),
        ("flag", "s2", "unread_mark"),
        ("topic", "t'AI'", "visibility"),
        ("topic", "t", "visibility"),
        ("topic", "c'AI'", "unread_mark"),
        ("pin", "", "pin"),
        ("skip", "", "skip"),
    ],
)
def test_a_mark_matters_if_the_filter_reads_it(mark: TurnMark, query: str, change: Change) -> None:
    assert mark_change(mark, tree=parse(query)) == change
