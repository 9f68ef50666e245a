"""What Markdown looks like on the page, by examples, and what every text has in common."""

import subprocess
import sys

import pytest
from hypothesis import given

from tests.render.page import assert_harmless, parsed
from tests.render.texts import markdown
from windowpane.render import markdown_html

LINK = 'target="_blank" rel="noopener noreferrer nofollow"'

EXAMPLES = {
    "a paragraph": (
        "Some *plain* and **strong** words.",
        "<p>Some <em>plain</em> and <strong>strong</strong> words.</p>",
    ),
    "a heading and its text": ("# Title\nText", "<h1>Title</h1><p>Text</p>"),
    "an underlined heading": ("Title\n=====", "<h1>Title</h1>"),
    "a list right after its sentence": (
        "So:\n- one\n- two",
        "<p>So:</p><ul><li>one</li><li>two</li></ul>",
    ),
    "a loose list": ("- one\n\n- two", "<ul><li><p>one</p></li><li><p>two</p></li></ul>"),
    "a list that begins elsewhere": (
        "7. seven\n8. eight",
        '<ol start="7"><li>seven</li><li>eight</li></ol>',
    ),
    "an item with a paragraph of its own": (
        "1. one\n\n   more\n2. two",
        "<ol><li><p>one</p><p>more</p></li><li><p>two</p></li></ol>",
    ),
    "tasks": (
        "- [ ] later\n- [x] now",
        '<ul><li><input type="checkbox" disabled aria-label="open"> later</li>'
        '<li><input type="checkbox" checked disabled aria-label="done"> now</li></ul>',
    ),
    "a quote, its second line without a mark": (
        "> said\nand went on",
        "<blockquote><p>said\nand went on</p></blockquote>",
    ),
    "a table with aligned cells": (
        "| a | b |\n|---|--:|\n| 1 | 2 |",
        '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead>'
        '<tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table>',
    ),
    "a rule": ("one\n\n---\n\ntwo", "<p>one</p><hr><p>two</p>"),
    "struck words": ("~~gone~~", "<p><del>gone</del></p>"),
    "a line break in a cell": (
        "| a |\n|---|\n| 1<br>2 |",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1<br>2</td></tr></tbody></table>",
    ),
    "a link": (
        "[text](https://a.example/b)",
        f'<p><a href="https://a.example/b" {LINK}>text</a></p>',
    ),
    "a bare address": (
        "See https://a.example.",
        f'<p>See <a href="https://a.example" {LINK}>https://a.example</a>.</p>',
    ),
    "a mail address": (
        "<me@a.example>",
        f'<p><a href="mailto:me@a.example" {LINK}>me@a.example</a></p>',
    ),
    "a link that leads nowhere good": ("[text](javascript:alert(1))", f"<p><a {LINK}>text</a></p>"),
    "a link to a place on this server": ("[text](/settings)", f"<p><a {LINK}>text</a></p>"),
    "an image, which is never loaded": (
        "![a cat](https://a.example/cat.png)",
        f'<p><a href="https://a.example/cat.png" {LINK}>a cat (a.example)</a></p>',
    ),
    "an image without words": (
        "![](https://a.example/cat.png)",
        f'<p><a href="https://a.example/cat.png" {LINK}>a.example</a></p>',
    ),
    "an image inside a link": (
        "[![build](https://b.example/badge.svg)](https://a.example)",
        f'<p><a href="https://a.example" {LINK}>build (b.example)</a></p>',
    ),
    "an image made of data": ("![dot](data:image/png;base64,AAAA)", "<p>dot</p>"),
    "HTML, which is text": (
        "a <b>bold</b> claim",
        "<p>a &lt;b&gt;bold&lt;/b&gt; claim</p>",
    ),
    "a block of HTML, whose Markdown still counts": (
        "<details>\n**more**\n</details>",
        "<p>&lt;details&gt;\n<strong>more</strong>\n&lt;/details&gt;</p>",
    ),
    "HTML in code": ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
    "entities": ("&lt;b&gt; &copy;", "<p>&lt;b&gt; ©</p>"),
    "code by indentation": (
        "    x < 1\n\n    y",
        '<figure class="code" data-language=""><figcaption><span></span>'
        '<button type="button" class="copy" data-copy>Copy</button></figcaption>'
        '<pre tabindex="0"><code>x &lt; 1\n\ny</code></pre></figure>',
    ),
    "nothing": ("", ""),
    "only space": (" \n\t\n\n", ""),
    "line ends of other systems": ("one\r\n\r\ntwo\rthree", "<p>one</p><p>two\nthree</p>"),
    "signs that are none": ("a\x00b\ud800c\ufdd0d", "<p>a\ufffdb\ufffdc\ufffdd</p>"),
}


@pytest.mark.parametrize(("source", "html"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_markdown_is_drawn_as_written_here(source: str, html: str) -> None:
    assert markdown_html(source) == html


def test_a_link_may_be_defined_after_its_use() -> None:
    html = markdown_html("See [the docs] and [them][the docs].\n\n[The Docs]: https://a.example\n")
    link = f'<a href="https://a.example" {LINK}>'
    assert html == f"<p>See {link}the docs</a> and {link}them</a>.</p>"


def test_of_two_definitions_the_first_one_counts() -> None:
    html = markdown_html("[a]\n\n[a]: https://first.example\n[a]: https://second.example\n")
    assert "first.example" in html
    assert "second.example" not in html


def test_a_footnote_stands_where_it_was_written_and_is_marked_where_it_was_meant() -> None:
    html = markdown_html("Rare[^1] words[^2].\n\n[^1]: *Very* rare.\n    Indeed.\n\nThe end.")
    assert html == (
        '<p>Rare<sup class="footnote">1</sup> words[^2].</p>'
        '<div class="footnote"><sup>1</sup><p><em>Very</em> rare.\nIndeed.</p></div>'
        "<p>The end.</p>"
    )


def test_code_in_a_list_is_drawn_like_any_code() -> None:
    html = markdown_html("1. Run:\n   ```python\n   print('<b>', $x^2$)\n   ```\n2. Done.")
    (code,) = [e for e in parsed(html).everything() if e.tag == "code"]
    assert code.text == "print('<b>', $x^2$)"
    assert parsed(html).elements[0].tag == "ol"
    assert 'data-language="python"' in html


@given(markdown(max_pieces=30))
def test_every_text_is_elements_only_and_harmless(text: str) -> None:
    html = markdown_html(text)
    assert_harmless(html)
    assert len(parsed(html).elements) == len(parsed(html).children)


@given(markdown(max_pieces=30))
def test_a_text_is_drawn_the_same_each_time(text: str) -> None:
    assert markdown_html(text) == markdown_html(text)


def test_drawing_starts_no_engine_before_the_first_formula() -> None:
    program = (
        "import sys, windowpane.render as r; r.markdown_html('# a `b` $5 and $6');"
        "assert 'quickjs' not in sys.modules and 'pygments' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
