"""What is typed is always understood: words, phrases, what must not be there, beginnings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.search.query import QUERY_LIMIT_CHARACTERS, Term, parse_query


def wanted(text: str) -> list[tuple[str, str]]:
    return [(term.kind, term.text) for term in parse_query(text).wanted]


def excluded(text: str) -> list[tuple[str, str]]:
    return [(term.kind, term.text) for term in parse_query(text).excluded]


def test_words_are_words() -> None:
    assert wanted("which lock") == [("word", "which"), ("word", "lock")]


def test_quotation_marks_make_a_phrase_whichever_they_are() -> None:
    assert wanted('a "flushing lock" b') == [
        ("word", "a"),
        ("phrase", "flushing lock"),
        ("word", "b"),
    ]
    assert wanted("“flushing lock”") == wanted("«flushing lock»") == [("phrase", "flushing lock")]


def test_a_minus_excludes_a_word_a_phrase_or_a_beginning() -> None:
    assert excluded('lock -kafka -"left over" -comp*') == [
        ("word", "kafka"),
        ("phrase", "left over"),
        ("prefix", "comp"),
    ]
    assert wanted('lock -kafka -"left over" -comp*') == [("word", "lock")]


def test_a_minus_inside_a_word_or_alone_excludes_nothing() -> None:
    assert wanted("self-care - 3-4") == [("word", "self-care"), ("word", "3-4")]
    assert excluded("self-care - 3-4") == []


def test_an_asterisk_makes_a_beginning() -> None:
    assert wanted("compress* x") == [("prefix", "compress"), ("word", "x")]


@pytest.mark.parametrize("text", ["", "   ", '"', '""', "***", "-", "?!", "-*", '-""'])
def test_signs_alone_ask_for_nothing(text: str) -> None:
    query = parse_query(text)
    assert query.wanted == query.excluded == ()


def test_a_phrase_that_is_not_closed_is_words() -> None:
    assert wanted('"flushing lock') == [("word", "flushing"), ("word", "lock")]


@pytest.mark.parametrize("text", ["NEAR(a b)", "a AND OR NOT", "col:x", "{a b}:c", "^a", "a+b"])
def test_what_an_index_would_take_for_its_own_language_is_words(text: str) -> None:
    assert {term.kind for term in parse_query(text).wanted} == {"word"}


@given(st.text())
def test_nothing_that_is_typed_is_refused(text: str) -> None:
    query = parse_query(text)
    assert all(isinstance(term, Term) for term in (*query.wanted, *query.excluded))


def test_bytes_that_are_no_text_and_endless_ones_are_read_as_far_as_they_go() -> None:
    assert wanted("lo\udcffck") == [("word", "lo?ck")]
    assert len(wanted("a " * QUERY_LIMIT_CHARACTERS)) == QUERY_LIMIT_CHARACTERS // 2
