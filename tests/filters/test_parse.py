"""Reading filters: what binds how, what is written back, and where errors point."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.filters.strategies import filters
from windowpane.errors import InvalidInput
from windowpane.filters import BadDate, Filter, FilterError, Glob, parse, unparse
from windowpane.filters.lex import LETTERS
from windowpane.filters.syntax import Contains, Term, terms

SAME = [
    ("s2 | r3 & b", "s2 | (r3 & b)"),
    ("s2 | r3 b", "s2 | (r3 & b)"),
    ("!s0 & t | b", "((!s0) & t) | b"),
    ("b g | p x", "(b & g) + (p & x)"),
    ("!b!g", "(!b) & (!g)"),
    ("!(b)", "!b"),
    ("s2d<7b", "s2 & d<7 & b"),
    ("d<7mb", "d<7min & b"),
    ("d<30mine", "d<30min & e"),
    ("d <= 2 s2", "d<=2d s2"),
    ("t'/AI/GPT'", "t' AI >GPT '"),
    ("t'AI ...'", "t'AI...'"),
    ('c"it\'s"', r"c'it\'s'"),
    (r"c'\n'", "c'n'"),
    ("c'a:b'", 'c"a:b"'),
    ("tÜbung", "t'Übung'"),
    ("t2026-01", "t'2026-01'"),
    ("m=_x", "m'_x'"),
    ("s", "s>=0"),
    ("o", "o0"),
    ("r", "r0"),
]
DIFFERENT = [
    ("t10", "t'10'"),
    ("d<7 m'gpt*'", "d<7min"),
    ("(s2 | r3) & b", "s2 | r3 & b"),
    ("c'a*b'", r"c'a\*b'"),
    ("!b", "b"),
    ("t'a > b'", r"t'a \> b'"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_write_the_same(one: str, other: str) -> None:
    assert parse(one) == parse(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_looks_alike_and_is_not(one: str, other: str) -> None:
    assert parse(one) != parse(other)


def test_a_predicate_knows_where_it_is_written() -> None:
    text = " s >= 2 | (c'a b' & !d<7d)"
    spans = [term.span for term in terms(parse(text))]
    assert [text[span.start : span.end] for span in spans] == ["s >= 2", "c'a b'", "d<7d"]


def test_a_backslash_makes_the_next_character_literal() -> None:
    tree = parse(r"c'it\'s \*bold\* \\ and *'")
    assert isinstance(tree, Term)
    assert tree.predicate == Contains(text=Glob(("it's *bold* \\ and ", "")))


@given(filters)
def test_a_filter_written_back_is_the_same_filter(tree: Filter) -> None:
    assert parse(unparse(tree)) == tree


@given(st.text(st.sampled_from(f"{LETTERS}&|+!()<>='\"\\*:.0129-_ AhwyZé\t"), max_size=14))
@example("d<7d & b")
@example("t'AI > *former*...' | !z")
def test_what_parses_can_be_written_back(text: str) -> None:
    try:
        tree = parse(text)
    except FilterError as error:
        assert 1 <= error.column <= len(text)
    else:
        assert parse(unparse(tree)) == tree


@given(st.text(min_size=1))
@example("(" * 10_000)
@example("!" * 10_000)
@example("b" * 10_000)
@example("s" + "9" * 10_000)
@example("d<" + "9" * 10_000 + "y")
@example("d99999-99-99")
@example("'\\")
@example("\ud800")
@example("d²")
def test_any_text_parses_or_is_an_error_at_a_place_in_it(text: str) -> None:
    try:
        parse(text)
    except FilterError as error:
        assert 1 <= error.column <= error.span.end <= len(text)
        assert len(error.caret.splitlines()) == 2
        assert str(error).isprintable()


# The filter, then carets under what is wrong, then words that the message must have.
ERRORS = [
    ("(s2", "^", "Unclosed parenthesis"),
    ("b & (s2 | (r3)", "    ^", "Unclosed parenthesis"),
    ("s2)", "  ^", "trailing input )"),
    ("()", " ^", "token )"),
    ("s2 hello", "   ^^^^^", "c'hello'"),
    ("foo", "^^^", "token foo"),
    ("S2", "^^", "try s2"),
    ("'abc", "^", "Unterminated quote"),
    ("b c'it\\'", "   ^", "Unterminated quote"),
    ("'abc'", "^^^^^", "c'abc'"),
    ("&", "^", "in front of it"),
    ("s2 &", "   ^", "Nothing follows &"),
    ("s2 | | b", "     ^", "token |"),
    ("b !", "  ^", "Nothing follows !"),
    ("s > = 2", "  ^", "s>=2"),
    ("s>", " ^", "s>=2"),
    ("3", "^", "A value follows its letter"),
    ("b>=1", " ^^", "b takes no value"),
    ("e'timeout'", " ^^^^^^^^^", "e takes no value"),
    ("tpython", "  ^^^^^", "quotes"),
    ("mgpt-4", "    ^", "quotes"),
    ("mGPT*", "    ^", "quotes"),
    ("s'2'", " ^^^", "s takes a number"),
    ("r'3'", " ^^^", "r takes a number"),
    ("rAB", " ^^", "r takes a number"),
    ("r>3", " ^", "r3"),
    ("m<'gpt'", " ^", "Only s and d compare"),
    ("o1234567890", " ^^^^^^^^^^", "at most 9 digits"),
    ("b @", "  ^", "character @"),
    ("b:", " ^", ":export"),
    ("d", "^", "Invalid date value"),
    ("b d", "  ^", "Invalid date value"),
    ("d<x", " ^", "d<7d"),
    ("d<'soon'", "  ^^^^^^", "Invalid date value"),
    ("d2026-02-30", " ^^^^^^^^^^", "Invalid date value"),
    ("d0001-01-01", " ^^^^^^^^^^", "Invalid date value"),
    ("d<24 h", "     ^", "touches its number"),
    ("d<7m'gpt*'", "    ^^^^^^", "put a space"),
    ("(d<7m'gpt*')", "     ^^^^^^", "put a space"),
    ("日本 b", "^^^^", "c'日本'"),
    ("c'日本' @", "        ^", "character @"),
]


@pytest.mark.parametrize(("text", "carets", "words"), ERRORS)
def test_an_error_shows_the_place_and_the_way_out(text: str, carets: str, words: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert caught.value.caret == f"{text}\n{carets}"
    assert words in str(caught.value)
    assert f"at column {caught.value.column}." in str(caught.value)


def test_an_error_is_the_writers_to_fix_and_has_a_code() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse("(b")
    assert caught.value.code == "filter_syntax"
    with pytest.raises(BadDate) as caught:
        parse("d")
    assert caught.value.code == "filter_date"


def test_the_caret_stands_under_its_character_behind_tabs_and_wide_letters() -> None:
    with pytest.raises(FilterError) as caught:
        parse("c'日e\u0301'\t@")
    assert caught.value.caret == "c'日e\u0301' @\n" + " " * 7 + "^"
