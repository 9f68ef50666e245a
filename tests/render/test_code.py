"""Code blocks: the frame, the colours, and that neither ever changes the code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.page import Element, assert_harmless, parsed
from windowpane.render import TOKEN_CLASSES, markdown_html
from windowpane.render.code import MAX_COLOURED_CHARS, code_figure, colour
from windowpane.render.languages import SYNTAXES

LANGUAGES = sorted(SYNTAXES)


def tokens(code: str, *, language: str) -> list[str]:
    """The coloured pieces of a code, each behind the word of its class."""
    spans = parsed(colour(code, language=language)).elements
    return [f"{span.attributes['class'].removeprefix('tok-')} {span.text}" for span in spans]


def code_of(html: str) -> Element:
    (code,) = [element for element in parsed(html).everything() if element.tag == "code"]
    return code


def test_a_code_block_has_its_language_a_button_and_the_code() -> None:
    assert markdown_html("```python\nx = 1\n```") == (
        '<figure class="code" data-language="python"><figcaption><span>python</span>'
        '<button type="button" class="copy" data-copy>Copy</button></figcaption>'
        '<pre tabindex="0"><code>x = <span class="tok-number">1</span></code></pre></figure>'
    )


@pytest.mark.parametrize(
    ("source", "language", "code"),
    [
        ("```\na\n```", "", "a"),
        ("~~~\na\n```\n~~~", "", "a\n```"),
        ("````md\n```\na\n```\n````", "md", "```\na\n```"),
        ("  ```c\n  a\n    b\n c\n  ```", "c", "a\n  b\nc"),
        ("```js title=x {1,2}\na\n```", "js", "a"),
        ("```{python}\na\n```", "python", "a"),
        ("```c++\na\n```", "c++", "a"),
        ("```no-such-language\na < b\n```", "no-such-language", "a < b"),
        ("```\n\na\n\n\n```", "", "\na\n\n"),
        ("```\nnever closed", "", "never closed"),
        ("```\n```", "", ""),
        ('```"><script>\na\n```', '"><script>', "a"),
    ],
)
def test_a_fence_gives_the_language_and_the_code_as_written(
    source: str, language: str, code: str
) -> None:
    html = markdown_html(source)
    assert parsed(html).elements[0].attributes["data-language"] == language
    assert code_of(html).text == code


COLOURED = {
    "py": (
        '@cache\ndef area(r: Radius) -> float:  # round\n    return None or f"{r}" * 3.14',
        [
            *("name @cache", "keyword def", "function area", "type Radius", "comment # round"),
            *("keyword return", "constant None", "keyword or", 'string f"{r}"', "number 3.14"),
        ],
    ),
    "js": ("const f = `a\n${b}` // c", ["keyword const", "string `a\n${b}`", "comment // c"]),
    "rust": ("fn f<'a>(x: &'a str)", ["keyword fn", "name 'a", "name 'a", "keyword str"]),
    "sql": (
        "SELECT count(*) FROM t -- all",
        ["keyword SELECT", "function count", "keyword FROM", "comment -- all"],
    ),
    "json": ('{"a": "b", "c": true}', ['name "a"', 'string "b"', 'name "c"', "constant true"]),
    "yaml": ("key: yes # why\n- 1", ["name key", "constant yes", "comment # why", "number 1"]),
    "html": (
        '<a href="x">b</a>',
        ["meta <a", "name href", 'string "x"', "meta >", "meta </a", "meta >"],
    ),
    "diff": ("-a\n+b\n c", ["removed -a", "added +b"]),
    "sh": ("echo $HOME # home", ["keyword echo", "name $HOME", "comment # home"]),
    "c": ("#include <a.h>\nint x = '\"';", ["meta #include <a.h>", "keyword int", "string '\"'"]),
    "css": ("a { color: #fff; }", ["name color", "number #fff"]),
}


@pytest.mark.parametrize(
    ("language", "code", "expected"), [(name, *example) for name, example in COLOURED.items()]
)
def test_code_is_coloured_by_what_its_words_are(
    language: str, code: str, expected: list[str]
) -> None:
    assert tokens(code, language=language) == expected


@given(
    language=st.sampled_from(LANGUAGES),
    code=st.lists(
        st.sampled_from(
            ["a", "A", "1", "def ", '"', "'", "`", "\\", "\n", " ", "/*", "*/", "//", "#"]
        )
        | st.sampled_from(
            ['"""', "<!--", "-->", "<a ", "=", "${", "}", "(", "--", "{-", "%", ";", ":"]
        )
        | st.text(max_size=3),
        max_size=30,
    ).map("".join),
)
def test_colours_never_change_the_code(language: str, code: str) -> None:
    html = colour(code, language=language)
    assert_harmless(html)
    assert parsed(html).text == code
    assert {e.attributes["class"] for e in parsed(html).elements} <= set(TOKEN_CLASSES)


def test_a_block_beyond_the_bound_is_plain() -> None:
    code = "x = 1\n" * (MAX_COLOURED_CHARS // 6 + 1)
    assert "<span class" not in colour(code, language="python")
    assert code_of(code_figure(code, language="python")).text == code.removesuffix("\n")
