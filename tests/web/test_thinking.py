"""A thought inside a text is found however the text is cut into pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windowpane.web.thinking import ThoughtCutter, thought_and_text

scraps = st.sampled_from(
    ["<think>", "</think>", "<thi", "nk>", "</", "think>", " ", "\n", "a", "<"]
)
texts = st.lists(scraps, max_size=12).map("".join)


@given(texts, st.lists(st.integers(min_value=1, max_value=4), max_size=60))
def test_pieces_of_any_size_give_what_the_whole_gives(text: str, sizes: list[int]) -> None:
    cutter, rest = ThoughtCutter(), text
    told = {"reasoning": "", "text": ""}
    for size in sizes:
        piece, rest = rest[:size], rest[size:]
        for span in cutter.feed(piece):
            told[span.kind] += span.text
    for span in [*cutter.feed(rest), *cutter.close()]:
        told[span.kind] += span.text
    assert (told["reasoning"], told["text"]) == thought_and_text(text)


@given(texts)
def test_what_was_told_once_is_never_taken_back(text: str) -> None:
    """A thought ends once; a second tag is text."""
    cutter = ThoughtCutter()
    kinds = [span.kind for letter in text for span in cutter.feed(letter)]
    kinds += [span.kind for span in cutter.close()]
    assert kinds == sorted(kinds)


def test_a_tag_further_on_is_text() -> None:
    assert thought_and_text("Say <think>x</think>") == ("", "Say <think>x</think>")
    assert thought_and_text("<think>a</think>b<think>c") == ("a", "b<think>c")
    assert thought_and_text(" \n<think>a</think> b") == ("a", "b")
