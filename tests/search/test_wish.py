"""What is looked for when somebody types: the telling words, in every form."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from windowpane.search.wish import Wanted, Wish, wish_of

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


def wish(text: str) -> Wish:
    return wish_of(text, at=NOW)


def stems(text: str) -> list[tuple[str, ...]]:
    return [wanted.stems for wanted in wish(text).wanted if wanted.stems]


def test_a_question_is_looked_for_by_its_telling_words() -> None:
    assert stems("When did Caroline go to the support group?") == [
        ("carolin",),
        ("go", "went", "gone"),
        ("support",),
        ("group",),
    ]


def test_the_kind_of_an_answer_is_not_looked_for() -> None:
    assert stems("What kind of lock does the journal take?") == stems("lock journal take")
    assert stems("How many times did it retry?") == [("retri",)]
    assert stems("What is the name of the tortoise?") == [("tortois",)]


def test_words_that_tell_nothing_are_looked_for_if_there_are_no_others() -> None:
    assert stems("who was that") == [("who",), ("wa",), ("that",)]


def test_forms_that_no_ending_explains_are_one_word() -> None:
    assert stems("ran") == stems("running") == [("run", "ran")]
    assert stems("bought buying") == stems("buy")


def test_a_phrase_must_be_there_and_its_words_are_looked_for() -> None:
    found = wish('"exactly once" retries')
    assert found.required == (("exactly", "once"),)
    assert stems('"exactly once" retries') == [("retri",), ("exactli",)]


def test_what_is_excluded_is_not_looked_for() -> None:
    found = wish('key -kafka -"left over" -comp*')
    assert found.excluded == (("kafka",), ("left", "over"), ("comp*",))
    assert stems("key -kafka") == [("kei",)]


def test_a_beginning_is_looked_for_as_it_is() -> None:
    assert wish("compressi*").wanted == (Wanted(prefix="compressi"),)


def test_a_name_of_several_words_counts_once_more_where_they_stand_together() -> None:
    assert Wanted(phrase=("max", "trim", "attempts")) in wish("max_trim_attempts").wanted
    assert not any(wanted.phrase for wanted in wish("don't Caroline's").wanted)


def test_a_name_in_mixed_case_is_looked_for_by_its_parts_too() -> None:
    assert stems("maxTrimAttempts") == [("maxtrimattempt",), ("max",), ("trim",), ("attempt",)]


def test_a_lone_sign_is_the_beginning_of_its_pairs() -> None:
    assert wish("仮").wanted == (Wanted(prefix="仮"),)


def test_a_date_is_looked_for_as_a_day_and_in_words() -> None:
    days = [wanted.words for wanted in wish("What did she buy yesterday?").wanted if wanted.words]
    assert days == [("zd20261117",)]


def test_a_question_wants_neighbours_and_words_do_not() -> None:
    assert wish("When did she buy it?").is_question
    assert wish("which lock is taken").is_question
    assert wish("Caroline's support group?").is_question
    assert not wish("support group").is_question
    assert not wish("is").is_question


def test_nothing_typed_is_nothing_wanted() -> None:
    assert wish("?!").wanted == ()


@given(st.text(max_size=80))
def test_whatever_is_typed_becomes_a_wish(text: str) -> None:
    assert wish(text).wanted is not None
