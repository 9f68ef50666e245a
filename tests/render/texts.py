"""Texts for property tests: Markdown that is mostly sensible, and cut in every way."""

from itertools import pairwise

from hypothesis import strategies as st

_WORDS = [
    "word",
    "two words",
    "é",
    "😀",
    "x<y",
    "a & b",
    '"quoted"',
    "5",
    "$",
    "\\",
    "\u00a0",
    "\t",
]
_INLINE = [
    *(
        "**bold**",
        "*",
        "**",
        "_",
        "~~gone~~",
        "`code`",
        "`",
        "``",
        "`a $x^2$ b`",
        "<br>",
        "<b>",
        "<",
    ),
    *("$x^2$", "$5 and $6", "$$y=1$$", "\\(z\\)", "\\[w+1\\]", "$$", "\\[", "\\]", "\\$", "$x"),
    *("[link](http://a.example)", "[ref]", "[^1]", "![image](http://b.example/c.png)", "](", "["),
    *(
        "http://c.example/?a=$b&c=$d",
        "www.d.example",
        "e@f.example",
        "&lt;",
        "&amp;",
        "<http://g.h>",
    ),
]
_BLOCKS = [
    *("# ", "## head", "- ", "* ", "+ ", "1. ", "2. ", "10) ", "> ", ">", "    ", "  ", "   ", " "),
    *("```", "````", "```python", "~~~", "---", "***", "===", "-", "=", "- [ ] ", "- [x] "),
    *("| a | b |", "|---|:-:|", "| 1 | 2 |", "|", "a|b", "-|-"),
    *("[ref]: http://r.example", "[^1]: note", "[ref]: <http://s.example> 'title'"),
    *("def f(x):", "<div>", "</div>", "<!--", "-->"),
]
_LINE_ENDS = ["\n", "\n", "\n", "\n\n", "\n\n", "\r\n", "\r", "\n  ", "\n    ", "\n> ", "\n- "]

pieces = st.sampled_from(_WORDS + _INLINE + _BLOCKS) | st.sampled_from(_LINE_ENDS)


def markdown(*, max_pieces: int) -> st.SearchStrategy[str]:
    return st.lists(pieces | st.text(max_size=3), max_size=max_pieces).map("".join)


@st.composite
def chunked(draw: st.DrawFn, *, max_pieces: int) -> list[str]:
    """A text, cut into the pieces in which it arrives."""
    text = draw(markdown(max_pieces=max_pieces))
    places = draw(st.lists(st.integers(0, len(text)), max_size=12))
    edges = [0, *sorted(places), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]
