"""Filters in words."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.filters.strategies import filters
from windowpane.filters import Filter, explain, parse

WORDS = [
    ("", "every turn"),
    ("s>=2 | r3", "2 stars or more, or among the last 3 turns"),
    ("s", "any number of stars"),
    ("s1", "1 star"),
    ("s0", "0 stars"),
    ("s<2", "fewer than 2 stars"),
    ("s<=1", "1 star or fewer"),
    ("s>1", "more than 1 star"),
    ("r1", "among the last 1 turn"),
    ("b", "blue"),
    ("!g", "not grey"),
    ("m", "from the current model"),
    ("m'gpt*'", "from model “gpt*”"),
    ("t", "in the current topic"),
    ("t5", "among the last 5 turns of the current topic"),
    ("t'/AI/GPT'", "in topic “AI > GPT”"),
    ("t'AI...'", "in topic “AI” or below it"),
    ("d<7", "less than 7 days old"),
    ("d7", "at most 7 days old"),
    ("d=1h", "1 hour old"),
    ("d>=30min", "at least 30 minutes old"),
    ("d>6mo", "more than 6 months old"),
    ("d26-03-04", "on 2026-03-04"),
    ("d<26-03-04", "before 2026-03-04"),
    ("d<=26-03-04", "on or before 2026-03-04"),
    ("d>=26-03-04", "on or after 2026-03-04"),
    ("d>26-03-04", "after 2026-03-04"),
    ("c'a*b'", "containing “a*b”"),
    ("c", "containing anything"),
    ("e", "failed"),
    ("p x z", "pinned and skipped and summarised"),
    ("i | k", "with an image, or with tool calls"),
    ("!i & !k", "without an image and without tool calls"),
    ("o", "in context"),
    ("!o", "not in context"),
    ("o3", "in context plus the newest 3 turns outside it"),
    ("(s2 | p) & b", "(2 stars, or pinned) and blue"),
    ("s2 | p & b", "2 stars, or pinned and blue"),
    ("!(b | g)", "not (blue, or grey)"),
    ("!!b", "not (not blue)"),
    ("!!i", "not (without an image)"),
]


@pytest.mark.parametrize(("query", "words"), WORDS)
def test_a_filter_is_said_in_words(query: str, words: str) -> None:
    assert explain(parse(query)) == words


@given(filters)
def test_every_filter_has_words(tree: Filter) -> None:
    assert explain(tree)
