"""Streaming: patches that lead a page from nothing to what a loaded chat shows."""

from hypothesis import given

from tests.render.page import Page, assert_harmless, parsed
from tests.render.texts import chunked, markdown
from windowpane.render import Patch, StreamRenderer, markdown_html


def stream(chunks: list[str]) -> tuple[StreamRenderer, list[Patch]]:
    renderer = StreamRenderer()
    patches = [patch for chunk in chunks if (patch := renderer.feed(chunk))]
    return renderer, [*patches, renderer.finish()]


@given(chunked(max_pieces=30))
def test_a_streamed_text_ends_as_the_loaded_one(chunks: list[str]) -> None:
    renderer, _ = stream(chunks)
    assert renderer.snapshot() == markdown_html("".join(chunks))


@given(markdown(max_pieces=12))
def test_a_text_that_arrives_letter_by_letter_ends_as_the_loaded_one(text: str) -> None:
    renderer, _ = stream(list(text))
    assert renderer.snapshot() == markdown_html(text)


@given(chunked(max_pieces=30))
def test_a_page_that_follows_shows_what_a_page_that_joins_late_is_given(chunks: list[str]) -> None:
    renderer, page = StreamRenderer(), Page()
    for chunk in chunks:
        page.apply(renderer.feed(chunk))
        assert page.html() == parsed(renderer.snapshot()).html()
    page.apply(renderer.finish())
    assert page.html() == parsed(renderer.snapshot()).html()


@given(chunked(max_pieces=20))
def test_nothing_harmful_is_shown_while_a_text_arrives(chunks: list[str]) -> None:
    renderer = StreamRenderer()
    for chunk in chunks:
        renderer.feed(chunk)
        assert_harmless(renderer.snapshot())
