"""Blocks: cut where a parser that sees the whole text would cut, and as early as possible."""

import re

from comrak import ExtensionOptions, RenderOptions, render_markdown
from hypothesis import given
from hypothesis import strategies as st

from windowpane.render.blocks import Splitter, split

PIECES = [
    *(
        "a",
        "b c",
        "`x`",
        "**b**",
        "[l](http://x.example)",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        " ",
        "\t",
    ),
    *("- ", "* ", "+ ", "1. ", "2. ", "7) ", "10. ", "> ", ">", "# ", "## h", "[ ] ", "  ", "    "),
    *("```", "````", "```py", "~~~", "---", "***", "===", "=", "-", "|", "|a|b|", "|-|-|", "-|-"),
    *(
        "\n  ",
        "\n   ",
        "\n    ",
        "\n> ",
        "\n- ",
        "\n1. ",
        "\n\n  ",
        "\n\n    ",
        "| - | :-: |",
        "a|b",
    ),
]


def reference_html(text: str) -> str:
    extensions, rendering = ExtensionOptions(), RenderOptions()
    extensions.table = extensions.tasklist = extensions.strikethrough = True
    rendering.compact_html = True
    html = render_markdown(text, extensions, None, rendering)
    # Whether the last line of code had an end is of no interest here.
    return re.sub(r"\s*</code></pre>", "</code></pre>", html)


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_blocks_drawn_alone_are_what_the_whole_text_is(text: str) -> None:
    blocks = split(text)
    assert "".join(reference_html(block.source) for block in blocks) == reference_html(text)


@given(st.lists(st.sampled_from([*PIECES, "$$", "\\[", "\\]", "[^1]: "]), max_size=24).map("".join))
def test_no_line_of_a_text_is_lost(text: str) -> None:
    kept = "".join(block.source for block in split(text))
    assert "".join(kept.split()) == "".join(text.split())


def closed_by(lines: str) -> list[str]:
    splitter = Splitter()
    closed = [block for line in lines.splitlines(keepends=True) for block in splitter.take(line)]
    return [block.kind for block in closed]


def test_a_block_is_closed_as_soon_as_nothing_can_join_it() -> None:
    assert closed_by("# heading\n") == ["text"]
    assert closed_by("paragraph\n") == []
    assert closed_by("paragraph\n\n") == ["text"]
    assert closed_by("paragraph\n```\n") == ["text"]
    assert closed_by("```\ncode\n\n") == []
    assert closed_by("```\ncode\n```\n") == ["fence"]
    assert closed_by("- item\n\n") == []
    assert closed_by("- item\n\n  more\n\nparagraph\n") == ["list"]
    assert closed_by("$$\nx\n\ny\n$$\n") == ["math"]
    assert closed_by("> quote\n\n") == ["quote"]
    assert closed_by("a|b\n-|-\n1|2\n") == []
    assert closed_by("a|b\n-|-\n1|2\n\n") == ["table"]
    assert closed_by("[^1]: note\n    more\n\ntext\n") == ["footnote"]


def test_an_opening_that_is_never_closed_is_given_up() -> None:
    kinds = closed_by("$$\n" + "text\n\n" * 150)
    assert kinds == ["text"] * 150
