"""Random filters, conversations and texts for the laws that must hold for all of them."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import strategies as st
from msgspec.structs import replace

from tests.filters.conversations import NOW, TOPICS
from windowpane.filters import Filter, Glob, Span, TopicPattern, TurnFacts
from windowpane.filters.dates import Age, Compare, Day, Unit
from windowpane.filters.syntax import (
    MARKS,
    Contains,
    CurrentModel,
    CurrentTopic,
    Flagged,
    InContext,
    InTopic,
    Last,
    Marked,
    ModelNamed,
    Not,
    Predicate,
    Stars,
    Term,
    all_of,
    any_of,
)

COMPARES: list[Compare] = ["<", "<=", "=", ">=", ">"]
UNITS: list[Unit] = ["min", "h", "d", "w", "mo", "y"]
MODELS = ["gpt-5", "gpt-5-mini", "claude", "Claude", ""]
WORDS = ["egg", "Window", "window pane", "", "ein Ei", "*", "a\nb"]

pieces = st.text(st.sampled_from("aGp5-* .>/'\"\\:()ßİ\n"), max_size=6)
globs = st.lists(pieces, min_size=1, max_size=3).map(lambda found: Glob(tuple(found)))
segments = globs.filter(lambda glob: glob != Glob(("",)))
topic_patterns = st.builds(
    TopicPattern,
    segments=st.lists(segments, min_size=1, max_size=3).map(tuple),
    with_descendants=st.booleans(),
)
counts = st.integers(0, 12)
predicates: st.SearchStrategy[Predicate] = st.one_of(
    st.builds(Stars, compare=st.sampled_from(COMPARES), stars=st.integers(0, 4)),
    st.builds(Last, turns=counts),
    st.builds(Flagged, flag=st.sampled_from(["blue", "grey"])),
    st.builds(CurrentModel),
    st.builds(ModelNamed, name=globs | st.sampled_from(MODELS).map(lambda name: Glob((name,)))),
    st.builds(CurrentTopic, newest=st.none() | counts),
    st.builds(InTopic, topic=topic_patterns),
    st.builds(InTopic, topic=st.sampled_from(["AI", "AI...", "*", "AI>*"]).map(TopicPattern.of)),
    st.builds(Age, compare=st.sampled_from(COMPARES), amount=counts, unit=st.sampled_from(UNITS)),
    st.builds(
        Day,
        compare=st.sampled_from(COMPARES),
        day=st.dates(date(2, 1, 1), date(9998, 12, 31)) | st.dates(date(2026, 3, 1), NOW.date()),
    ),
    st.builds(Contains, text=globs | st.sampled_from(WORDS).map(lambda word: Glob((word,)))),
    st.builds(Marked, mark=st.sampled_from(list(MARKS.values()))),
    st.builds(InContext, beyond=counts),
)
terms: st.SearchStrategy[Filter] = predicates.map(
    lambda predicate: Term(predicate=predicate, span=Span(0, 1))
)


def _branches(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.builds(Not, operand=inner) | several.map(all_of) | several.map(any_of)


filters: st.SearchStrategy[Filter] = st.recursive(terms, _branches, max_leaves=8)

AGES = [step * times for step in (timedelta(minutes=1), timedelta(days=1)) for times in range(40)]


@st.composite
def conversations(draw: st.DrawFn) -> list[TurnFacts]:
    """Turns in the order of the conversation; a clock that was set back is allowed."""
    made = st.builds(
        TurnFacts,
        id=st.just(""),
        created_at=st.sampled_from([NOW - age for age in AGES]),
        star=st.integers(0, 3),
        flag=st.sampled_from(["blue", "grey"]),
        model=st.sampled_from(MODELS),
        topic_id=st.none() | st.sampled_from([*TOPICS.topics, "gone"]),
        is_error=st.booleans(),
        has_image=st.booleans(),
        is_pinned=st.booleans(),
        is_skipped=st.booleans(),
        has_tool_calls=st.booleans(),
        is_summarised=st.booleans(),
    )
    turns = draw(st.lists(made, max_size=12))
    return [replace(turn, id=f"t{number}") for number, turn in enumerate(turns)]


turn_texts = st.sampled_from(["", "An Egg", "a window pane\nEI", "2 * 3", "Straße: a\nb"])
