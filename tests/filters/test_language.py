"""The language, learned from examples: each table is a lesson, each row a filter and its answer."""

from __future__ import annotations

import pytest

from tests.filters.conversations import chosen, turn, viewpoint
from windowpane.filters import FilterError, Topic, TopicTree

CONVERSATION = [
    turn("a", days_old=400, star=3, model="claude-sonnet-4-5", topic_id="cooking"),
    turn("b", days_old=40, star=1, flag="grey", marks={"summarised"}),
    turn("c", days_old=9, star=2, topic_id="transformers", marks={"tool_calls", "summarised"}),
    turn("d", days_old=3, flag="grey", topic_id="gpt", model="GPT-5-mini", marks={"image"}),
    turn("e", days_old=2, star=2, marks={"pinned"}),
    turn("f", days_old=0.5, flag="grey", topic_id=None, marks={"error", "skipped"}),
    turn("g", days_old=0.01, model="gemini-2.5-pro"),
]
TEXTS = {
    "a": "How long do I boil an egg?\nSeven minutes.",
    "b": "What is a token?\nA piece of a word.",
    "c": "Run the numbers.\n2 * 3 = 6",
    "d": "What is in this picture?\nA window.",
    "e": "Remember: ship on Friday.\nNoted.",
    "f": "Say more.\n",
    "g": "What is a\ncontext window?\nWhat the model sees.",
}

NOTHING_ASKED = [("", "abcdefg"), ("   ", "abcdefg")]
STARS = [
    ("s2", "ce"),
    ("s=2", "ce"),
    ("s 2", "ce"),
    ("s0", "dfg"),
    ("s>=2", "ace"),
    ("s>2", "a"),
    ("s<2", "bdfg"),
    ("s<=1", "bdfg"),
    ("s>5", ""),
    ("s", "abcdefg"),
]
LAST = [("r2", "fg"), ("r=2", "fg"), ("r99", "abcdefg"), ("r0", ""), ("r", "")]
FLAGS = [("b", "aceg"), ("g", "bdf"), ("!b", "bdf")]
MARKS = [("e", "f"), ("i", "d"), ("p", "e"), ("x", "f"), ("k", "c"), ("z", "bc")]
MODELS = [
    ("m", "bcef"),
    ("m'gpt-5'", "bcef"),
    ("m'GPT-5'", "bcef"),
    ("m'gpt*'", "bcdef"),
    ("m'*-*-*'", "adg"),
    ("m'*5'", "abcef"),
    ("m'gpt'", ""),
    ("m='gpt-5'", "bcef"),
]
TOPICS = [
    ("t", "beg"),
    ("t2", "eg"),
    ("t99", "beg"),
    ("t0", ""),
    ("tAI", "beg"),
    ("t AI", "beg"),
    ("t'ai'", "beg"),
    ("t'AI...'", "bcdeg"),
    ("t'GPT'", "d"),
    ("t'*former*'", "c"),
    ("t'*former*...'", "cd"),
    ("t'AI > Transformers'", "c"),
    ("t'AI>transformers...'", "cd"),
    ("t'/AI/Transformers/GPT'", "d"),
    ("t'AI > * > *'", "d"),
    ("t'AI > GPT'", ""),
    ("t'*'", "abcdeg"),
    ("t''", "abcdeg"),
    ("t'Gardening'", ""),
]
DATES = [
    ("d<7", "defg"),
    ("d<7d", "defg"),
    ("d7", "defg"),
    ("d'7d'", "defg"),
    ("d<'7d'", "defg"),
    ("d<1w", "defg"),
    ("d<24h", "fg"),
    ("d<30min", "g"),
    ("d<30m", "g"),
    ("d<30MIN", "g"),
    ("d<6mo", "bcdefg"),
    ("d<1y", "bcdefg"),
    ("d>1y", "a"),
    ("d<3d", "efg"),
    ("d<=3d", "defg"),
    ("d>3d", "abc"),
    ("d>=3d", "abcd"),
    ("d=3d", "d"),
    ("d=1w", "c"),
    ("d2026-03-18", "e"),
    ("d=26-03-18", "e"),
    ("d>=2026-03-18", "efg"),
    ("d>2026-03-18", "fg"),
    ("d<2026-03-18", "abcd"),
    ("d<='2026-03-18'", "abcde"),
]
CONTENT = [
    ("c'window'", "dg"),
    ("c'WINDOW'", "dg"),
    ("c'what is'", "bdg"),
    ("c'what*window'", "dg"),
    ("c'a*context'", "g"),
    ("c'window*what'", "g"),
    (r"c'2 \* 3'", "c"),
    ("c'2 * 3'", "c"),
    (r"c'a \* b'", ""),
    ('c"egg?"', "a"),
    ("c2", "c"),
    ("c", "abcdefg"),
    ("c''", "abcdefg"),
    ("c'zebra'", ""),
]
JOINED = [
    ("s2 b", "ce"),
    ("s2b", "ce"),
    ("s2 & b & p", "e"),
    ("s2p", "e"),
    ("s3 | p", "ae"),
    ("s3 + p", "ae"),
    ("s>=2 | r2", "acefg"),
    ("s2 | r2 & g", "cef"),
    ("(s2 | r2) & g", "f"),
    ("(s2 | r2)g", "f"),
    ("!s0 & t | x", "bef"),
    ("!(b | g)", ""),
    ("!!b", "aceg"),
    ("!e!i", "abceg"),
    ("d<7 m'gpt*'", "def"),
    ("d<7b", "eg"),
    ("p | p | s2", "ce"),
]
LESSONS = [
    *NOTHING_ASKED,
    *STARS,
    *LAST,
    *FLAGS,
    *MARKS,
    *MODELS,
    *TOPICS,
    *DATES,
    *CONTENT,
    *JOINED,
]


@pytest.mark.parametrize(("query", "answer"), LESSONS)
def test_a_filter_chooses_turns(query: str, answer: str) -> None:
    assert chosen(query, CONVERSATION, texts=TEXTS) == answer


@pytest.mark.parametrize("query", ["t", "t3"])
def test_without_a_current_topic_t_chooses_nothing(query: str) -> None:
    seen_from = viewpoint(current_topic_id=None)
    assert chosen(query, CONVERSATION, seen_from=seen_from) == ""


def test_without_a_current_model_m_chooses_everything() -> None:
    assert chosen("m", CONVERSATION, seen_from=viewpoint(current_model=None)) == "abcdefg"


def test_a_topic_called_10_is_not_the_last_ten() -> None:
    turns = [turn("a", topic_id="ten"), *(turn(id) for id in "bcdefghijklm")]
    seen_from = viewpoint(
        topics=TopicTree.of([Topic(id="ten", name="10", parent_id=None)]), current_topic_id="ai"
    )
    assert chosen("t'10'", turns, seen_from=seen_from) == "a"
    assert chosen("t10", turns, seen_from=seen_from) == "defghijklm"


# What 48 filters answer about one turn: three days old, two stars, blue, model m, in the current
# topic AI, with no boundary. 1 is yes, 0 is no, "at 3" is an error pointing at column 3.
WORKED = [
    ("s2", "1"),
    ("s=2", "1"),
    ("s 2", "1"),
    ("s>5", "0"),
    ("s", "1"),
    ("s > = 2", "at 3"),
    ("r", "0"),
    ("r0", "0"),
    ("s2r3", "1"),
    ("s2+b", "1"),
    ("s2 | r3 & b", "1"),
    ("!!b", "1"),
    ("!(b|g)", "0"),
    ("tAI", "1"),
    ("t AI", "1"),
    ('t"AI"', "1"),
    ("t10", "1"),
    ("t'10'", "0"),
    ("m gpt", "0"),
    ("mgpt-4", "at 5"),
    ("c'a b'", "0"),
    ("c", "1"),
    ("d<7", "1"),
    ("d<2w", "1"),
    ("d<1y", "1"),
    ("d<24h", "0"),
    ("d<'7d'", "1"),
    ("d'7d'", "1"),
    ("d<7d", "1"),
    ("d<7d & b", "1"),
    ("d<6mo", "1"),
    ("d<30min", "0"),
    ("d>=2025-01-01", "1"),
    ("d2025-01-01", "0"),
    ("d25-03-04", "0"),
    ("d", "at 1"),
    ("o3", "1"),
    ("!o", "0"),
    ("(s2", "at 1"),
    ("s2)", "at 3"),
    ("s2 hello", "at 4"),
    ("b:", "at 2"),
    ("x", "0"),
    ("foo", "at 1"),
    ("S2", "at 1"),
    ("'abc", "at 1"),
    ("&", "at 1"),
    ("s2 &", "at 4"),
]


def answer(query: str) -> str:
    only = turn("1", days_old=3, star=2, model="m")
    try:
        return chosen(query, [only], seen_from=viewpoint(current_model="m"), texts={"1": ""}) or "0"
    except FilterError as error:
        return f"at {error.column}"


@pytest.mark.parametrize(("query", "expected"), WORKED)
def test_the_worked_queries_have_their_answers(query: str, expected: str) -> None:
    assert answer(query) == expected


def test_there_are_48_worked_queries() -> None:
    assert len({query for query, _ in WORKED}) == 48
