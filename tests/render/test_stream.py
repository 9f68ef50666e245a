"""Streaming: patches that lead a page from nothing to what a loaded chat shows."""

import msgspec
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


def shown_after(*chunks: str) -> str:
    renderer = StreamRenderer()
    for chunk in chunks:
        renderer.feed(chunk)
    return renderer.snapshot()


def test_words_that_come_travel_as_words() -> None:
    renderer = StreamRenderer()
    assert renderer.feed("Good") == Patch(keep=0, html="<p>Good</p>")
    assert renderer.feed(" morning & more") == Patch(keep=1, open_text=" morning & more")
    assert renderer.feed(" **now") == Patch(
        keep=0, html="<p>Good morning &amp; more <strong>now</strong></p>"
    )
    assert renderer.feed(" or") == Patch(keep=1, open_text=" or")
    assert renderer.feed("") is None
    assert renderer.feed(" never**.\n\n# Ne") == Patch(
        keep=0,
        html="<p>Good morning &amp; more <strong>now or never</strong>.</p><h1>Ne</h1>",
    )
    assert renderer.feed("xt") == Patch(keep=2, open_text="xt")
    assert renderer.finish() == Patch(keep=2)


def test_a_patch_is_small_on_the_wire() -> None:
    assert msgspec.json.encode(Patch(keep=3, open_text=" you")) == b'{"keep":3,"open_text":" you"}'


def test_a_mark_that_may_become_several_things_waits() -> None:
    assert shown_after("Text\n-") == "<p>Text</p>"
    assert shown_after("Text\n-", " ") == "<p>Text</p>"
    assert shown_after("Text\n-", " ", "one") == "<p>Text</p><ul><li>one</li></ul>"
    assert shown_after("Text\n#") == "<p>Text</p>"
    assert shown_after("Text\n#", "1 of all") == "<p>Text\n#1 of all</p>"
    assert shown_after("``", "`py") == ""
    assert shown_after("1") == ""
    assert shown_after("1", "0 years") == "<p>10 years</p>"


def test_open_marks_are_shown_as_if_they_were_closed() -> None:
    assert shown_after("a **b") == "<p>a <strong>b</strong></p>"
    assert shown_after("a **b*") == "<p>a <strong>b</strong></p>"
    assert shown_after("a `b") == "<p>a <code>b</code></p>"
    assert shown_after("a [b](https://c.exam") == "<p>a b</p>"
    assert shown_after("2 ** 3") == "<p>2 ** 3</p>"


def test_a_list_grows_by_its_items() -> None:
    renderer = StreamRenderer()
    assert renderer.feed("- one") == Patch(keep=0, html="<ul><li>one</li></ul>")
    assert renderer.feed("\n- two") == Patch(keep=1, html="<li>two</li>", inside=1)
    assert renderer.feed(" more") == Patch(keep=2, open_text=" more", inside=1)
    assert renderer.finish() == Patch(keep=1)


def test_a_table_grows_by_its_rows() -> None:
    renderer = StreamRenderer()
    renderer.feed("a|b\n-|-\n1|2\n")
    assert renderer.feed("3|4\n") == Patch(keep=1, html="<tr><td>3</td><td>4</td></tr>", inside=2)


def test_code_is_appended_plain_and_coloured_by_and_by() -> None:
    renderer = StreamRenderer()
    opened = renderer.feed("```py\n")
    assert opened is not None
    assert "<code><span></span></code>" in opened.html
    assert renderer.feed("x =") == Patch(keep=1, open_text="x =")
    coloured = renderer.feed(" 1\n")
    assert coloured is not None
    assert '<code>x = <span class="tok-number">1</span>\n<span></span></code>' in coloured.html
    assert renderer.feed("y") == Patch(keep=1, open_text="y")
    assert renderer.feed("\n``") == Patch(keep=1, open_text="\n")
    assert renderer.feed("`") is None
    assert renderer.feed("\n") == Patch(keep=0, html=markdown_html("```py\nx = 1\ny\n```"))


def test_an_open_formula_shows_its_source_until_it_is_whole() -> None:
    assert shown_after("$$\nx^2") == '<pre class="math-source">$$\nx^2</pre>'
    assert shown_after("$$\nx^2", "\n$$\n") == markdown_html("$$\nx^2\n$$")


def test_a_link_defined_later_is_put_in_at_the_end() -> None:
    renderer = StreamRenderer()
    renderer.feed("First.\n\nSee [this].\n\n[this]: https://a.example\n")
    last = renderer.finish()
    assert last.keep == 1
    assert 'href="https://a.example"' in last.html


def test_what_is_closed_never_travels_again() -> None:
    """Long lists, tables, code and paragraphs cost what is new in them."""
    items = "".join(f"{number}. item **{number}** of many\n" for number in range(1, 600))
    rows = "a|b\n-|-\n" + "".join(f"{number}|cell\n" for number in range(600))
    code = "```py\n" + "x = 1\n" * 5_000
    lines = "a line of a long paragraph\n" * 600
    for text in (items, rows, lines):
        *patches, _ = stream([text[start : start + 20] for start in range(0, len(text), 20)])[1]
        assert max(len(patch.html) for patch in patches) < 6_000
    *patches, _ = stream([code[start : start + 20] for start in range(0, len(code), 20)])[1]
    assert sum(len(patch.html) > 0 for patch in patches) < 40
