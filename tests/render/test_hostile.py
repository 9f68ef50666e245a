"""Texts that want to break out, to run something, or to keep the server busy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.page import assert_harmless, parsed
from windowpane.render import StreamRenderer, markdown_html
from windowpane.render.code import colour
from windowpane.render.languages import SYNTAXES

INJECTIONS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x) [y](file:///etc/passwd) [z](//a.example)",
    "<javascript:alert(1)>",
    '[x](https://a.example "\\"onmouseover=alert(1) x=\\"")',
    "[x](https://a.example/'onmouseover='alert(1))",
    '![" onerror="alert(1)](https://a.example/"onerror="alert(1))',
    "![x](javascript:alert(1))",
    "![x](http://[)",
    "[x]\n\n[x]: javascript:alert(1)",
    "`</code><script>alert(1)</script>`",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "```html\n<script>alert(1)</script>\n```",
    '```"onclick="alert(1)\nx\n```',
    '- ```"onclick="alert(1)\n  x\n  ```',
    "$$\n\\text{<img/src=\"x\"onerror=alert(1)>}\n$$",
    "$\\text{</span><script>alert(1)</script>}$",
    "\\[ \\href{javascript:alert(1)}{x} \\]",
    "\\[ \\class{x\" onclick=\"alert(1)}{x} \\]",
    "\\( \\unicode{x3c}script\\unicode{x3e} \\)",
    '\\(" onmouseover="alert(1)\\)',
    '\\[ x" onmouseover="alert(1) \\nosuch \\]',
    "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    "[^<script>]: x\n\n[^<script>]",
    '[^"onclick="]: x\n\n[^"onclick="]',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<br onclick=alert(1)> <br/ onclick=alert(1)>",
    "<style>*{display:none}</style> <link rel=stylesheet href=//a.example>",
    "<form action=//a.example><input name=x><button>y",
]  # fmt: skip


@pytest.mark.parametrize("source", INJECTIONS)
def test_an_injection_is_only_text(source: str) -> None:
    assert_harmless(markdown_html(source))
    assert_harmless(markdown_html(f"- a\n  {source}\n- b"))
    assert_harmless(markdown_html("> " + source.replace("\n", "\n> ")))


@given(
    st.lists(st.sampled_from([*INJECTIONS, "\n", "\n\n", " ", "- ", "> ", "`", "$", "|"])).map(
        "".join
    )
)
def test_injections_together_are_only_text(source: str) -> None:
    assert_harmless(markdown_html(source))


@given(st.data())
def test_an_injection_is_only_text_while_it_arrives(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(INJECTIONS))
    renderer = StreamRenderer()
    for letter in source:
        renderer.feed(letter)
        assert_harmless(renderer.snapshot())


def test_html_is_shown_and_not_dropped() -> None:
    assert parsed(markdown_html("a <script>b</script> <!-- c --> d")).text == (
        "a <script>b</script> <!-- c --> d"
    )


def test_nobody_can_write_the_marks_of_a_slot() -> None:
    """Slots are numbered and written with noncharacters: neither can be swapped for another."""
    forged = "$x^2$ \ufdd10\ufdd2 `\ufdd10\ufdd2` [a](https://a.example/\ufdd10\ufdd2) \ufdd0b>"
    html = markdown_html(forged)
    assert html.count("<math>") == 1
    assert "\ufdd1" not in html


def test_an_address_that_imitates_a_covered_sign_stays_an_address() -> None:
    html = markdown_html("<b> [a](https://a.example/%EF%B7%90script%EF%B7%910%EF%B7%92)")
    (link,) = [element for element in parsed(html).everything() if element.tag == "a"]
    assert "<" not in link.attributes["href"]
    assert_harmless(html)


# Each would take minutes or gigabytes in a careless renderer; nobody measures time here, a test
# that hangs is noticed.
BOMBS = {
    "quotes": "> " * 10_000 + "x",
    "quotes and lists": "> - " * 5_000 + "x",
    "deep lists": "\n".join("  " * depth + "- x" for depth in range(600)),
    "brackets": "[" * 1_000_000,
    "images": "![[" * 300_000,
    "links": "[a](" * 200_000,
    "emphasis": "*a_ " * 100_000,
    "strong": "**" * 50_000 + "x" + "**" * 50_000,
    "backticks": "".join("`" * count + " " for count in range(1, 1_000)),
    "dollars": "$" * 300_000,
    "openings": "\\(" * 100_000 + "\\)",
    "openings in lines": "\\[\n" * 50_000,
    "dollars in lines": "$$ x\n" * 20_001,
    "tags": "<" * 500_000,
    "tags with names": "<a " * 200_000,
    "entities": "&" * 500_000,
    "addresses": "http://" * 100_000,
    "a wide table": "|a" * 5_000 + "|\n" + "|-" * 5_000 + "|\n" + "|b|\n" * 1_000,
    "a long table": "|a|b|\n|-|-|\n" + "|c|d|\n" * 20_000,
    "definitions": "".join(f"[a{n}]: https://a.example\n\n[a{n}]\n\n" for n in range(5_000)),
    "footnotes": "".join(f"[^{n}]: x[^{n}]\n\n" for n in range(5_000)),
    "blank lines": "\n" * 500_000,
    "short lines": "a\n" * 200_000,
    "open fence": "```java\n" + "\n" * 200_000,
    "many fences": "```c\n```\n" * 20_000,
    "rules": "-" * 500_000,
    "spaces": " " * 500_000 + "x",
    "tabs": "\t" * 100_000 + "x",
    "formula": "$$\n" + "x^{" * 1_000 + "}" * 1_000 + "\n$$",
}


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_drawn_in_bounds(source: str) -> None:
    html = markdown_html(source)
    assert len(html) < 40 * len(source) + 1_000
    assert_harmless(html)


@pytest.mark.parametrize(
    "name",
    [
        "quotes",
        "deep lists",
        "openings in lines",
        "a long table",
        "open fence",
        "short lines",
        "brackets",
    ],
)
def test_a_bomb_that_arrives_in_pieces_ends_the_same(name: str) -> None:
    source = BOMBS[name][:60_000]
    renderer = StreamRenderer()
    for start in range(0, len(source), 500):
        renderer.feed(source[start : start + 500])
    renderer.finish()
    assert renderer.snapshot() == markdown_html(source)


@pytest.mark.parametrize("language", {syntax: name for name, syntax in SYNTAXES.items()}.values())
def test_code_made_to_be_slow_is_read_once(language: str) -> None:
    for piece in (
        "\n",
        '"',
        "'",
        "`",
        "(",
        "/*\n",
        "a ",
        "-1",
        "<a\n",
        '\\"',
        "#",
        "'a",
        "{-",
        "x=",
    ):
        code = piece * (6_000 // len(piece))
        assert parsed(colour(code, language=language)).text == code
