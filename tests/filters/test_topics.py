"""Choosing topics from the tree by name, path and glob."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.filters.conversations import TOPICS
from tests.filters.strategies import topic_patterns
from windowpane.filters import Topic, TopicAmbiguous, TopicNotFound, TopicPattern, TopicTree


def tree_of(*paths: str) -> TopicTree:
    """A tree whose ids are its paths: ``tree_of("A", "A/B")``."""
    return TopicTree.of(
        Topic(
            id=path,
            name=path.rpartition("/")[2],
            parent_id=path.rpartition("/")[0] or None,
        )
        for path in paths
    )


MATCHES = [
    ("AI", {"ai"}),
    ("ai", {"ai"}),
    (" AI ", {"ai"}),
    ("AI...", {"ai", "transformers", "gpt"}),
    ("AI > Transformers", {"transformers"}),
    ("AI > *former*...", {"transformers", "gpt"}),
    ("/AI/Transformers", {"transformers"}),
    ("/AI", {"ai"}),
    ("/GPT", {"gpt"}),
    ("AI/Transformers", set[str]()),
    ("Transformers > GPT", set[str]()),
    ("AI > > Transformers", {"transformers"}),
    ("*", {"ai", "transformers", "gpt", "cooking"}),
    ("", {"ai", "transformers", "gpt", "cooking"}),
    ("...", {"ai", "transformers", "gpt", "cooking"}),
    ("*i*", {"ai", "cooking"}),
    ("Root", set[str]()),
    ("Root > AI", set[str]()),
]


@pytest.mark.parametrize(("expression", "topic_ids"), MATCHES)
def test_an_expression_chooses_topics(expression: str, topic_ids: set[str]) -> None:
    assert TOPICS.matching(TopicPattern.of(expression)) == topic_ids


def test_a_name_matches_wherever_it_occurs_in_the_tree() -> None:
    tree = tree_of("Work", "Work/Notes", "Home", "Home/Notes", "Home/Notes/Old")
    assert tree.matching(TopicPattern.of("notes")) == {"Work/Notes", "Home/Notes"}
    assert tree.matching(TopicPattern.of("Home > Notes...")) == {"Home/Notes", "Home/Notes/Old"}


def test_a_path_matches_in_the_tree_of_each_project() -> None:
    trees = TopicTree.of(
        Topic(id=f"{project}-{id}", name=name, parent_id=parent and f"{project}-{parent}")
        for project in ("one", "two")
        for id, name, parent in (("ai", "AI", None), ("gpt", "GPT", "ai"))
    )
    assert trees.matching(TopicPattern.of("AI > GPT")) == {"one-gpt", "two-gpt"}


def test_separators_stars_and_dots_can_be_part_of_a_name() -> None:
    tree = TopicTree.of(
        Topic(id=id, name=name, parent_id=None)
        for id, name in (("1", "a > b"), ("2", "wait..."), ("3", "C*"), ("4", "/etc"))
    )
    assert tree.matching(TopicPattern.of(r"a \> b")) == {"1"}
    assert tree.matching(TopicPattern.of(r"wait..\.")) == {"2"}
    assert tree.matching(TopicPattern.of(r"C\*")) == {"3"}
    assert tree.matching(TopicPattern.of(r"\/etc")) == {"4"}


@given(topic_patterns)
def test_a_pattern_written_down_reads_as_itself(pattern: TopicPattern) -> None:
    assert TopicPattern.of(pattern.written) == pattern


def test_a_target_is_the_one_topic_that_is_meant() -> None:
    assert TOPICS.only(TopicPattern.of("AI > Transformers")) == "transformers"


def test_a_target_that_does_not_exist_is_said_so() -> None:
    with pytest.raises(TopicNotFound, match="Topic not found: Gardening"):
        TOPICS.only(TopicPattern.of("Gardening"))


def test_a_target_that_could_be_two_names_both() -> None:
    tree = tree_of("Work", "Work/Notes", "Home", "Home/Notes")
    with pytest.raises(TopicAmbiguous, match="full path: Home > Notes, Work > Notes"):
        tree.only(TopicPattern.of("Notes"))


def test_a_circle_of_parents_ends() -> None:
    tree = TopicTree.of(
        [Topic(id="a", name="A", parent_id="b"), Topic(id="b", name="B", parent_id="a")]
    )
    assert tree.path_text("a") == "B > A"
    assert tree.matching(TopicPattern.of("A...")) == {"a", "b"}
