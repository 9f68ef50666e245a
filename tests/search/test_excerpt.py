"""What is shown of a turn: a piece with the words in it, and where they are."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from windowpane.search.excerpt import EXCERPT_CHARACTERS, HitWords, excerpt
from windowpane.search.wish import wish_of


def shown(text: str, query: str) -> tuple[str, list[str]]:
    words = HitWords(wish_of(query, at=datetime(2026, 11, 18, tzinfo=UTC)))
    found = excerpt(text, hits=words.marks(text))
    return found.text, [found.text[mark.start : mark.end] for mark in found.marks]


def test_a_short_text_is_shown_whole_with_its_hits() -> None:
    assert shown("The flushing lock.", "locks flush") == (
        "The flushing lock.",
        ["flushing", "lock"],
    )


def test_every_form_is_marked_as_it_stands() -> None:
    assert shown("She ran. Running! A NAÏVE run.", "naive runs")[1] == [
        "ran",
        "Running",
        "NAÏVE",
        "run",
    ]


def test_a_long_text_is_cut_around_the_most_of_what_was_wanted() -> None:
    text = "lock " + "nothing here " * 60 + "the flushing lock of the journal" + " and so on" * 60
    line, marks = shown(text, "flushing lock journal")
    assert marks == ["flushing", "lock", "journal"]
    assert line.startswith("…") and line.endswith("…")
    assert len(line) <= EXCERPT_CHARACTERS + 2


def test_lines_become_one_and_signs_of_markdown_go() -> None:
    line, marks = shown("## Keys\n\n- the **flushing**\n  `lock`", "flushing lock")
    assert line == "Keys - the flushing lock"
    assert marks == ["flushing", "lock"]


def test_parts_of_names_and_signs_without_spaces_are_marked() -> None:
    assert shown("see retryLimit and retry_limit", "limit")[1] == ["retryLimit", "limit"]
    assert shown("漢字仮名です", "字仮名")[1] == ["字仮名"]
    assert shown("漢字", "字")[1] == ["字"]


def test_a_beginning_marks_the_whole_word() -> None:
    assert shown("compression and compress", "compressi*")[1] == ["compression"]


def test_without_hits_the_beginning_is_shown() -> None:
    assert shown("Nothing of it. " * 3, "lock") == (("Nothing of it. " * 3), [])
    assert shown("", "lock") == ("", [])


@given(
    st.text(alphabet="ab **`\n#仮名.", max_size=400), st.sampled_from(["ab", "a b", "仮", "仮名 a"])
)
def test_marks_lie_inside_the_text_in_order(text: str, query: str) -> None:
    words = HitWords(wish_of(query, at=datetime(2026, 11, 18, tzinfo=UTC)))
    found = excerpt(text, hits=words.marks(text))
    places = [place for mark in found.marks for place in (mark.start, mark.end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(found.text) for place in places)
    assert "\n" not in found.text
