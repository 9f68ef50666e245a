"""Formulas: which dollars and brackets are mathematics, and what becomes of them."""

from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.page import assert_harmless, parsed
from windowpane.errors import PartMissing
from windowpane.render import markdown_html, math_stylesheet
from windowpane.render.engine import Formulas
from windowpane.render.mathml import allowed_mathml

TEMML = files("windowpane").joinpath("web", "static", "lib", "temml.min.js")


def formulas(source: str) -> list[str]:
    """The TeX of the formulas in a text."""
    elements = parsed(markdown_html(source)).everything()
    return [e.attributes["data-tex"] for e in reversed(elements) if "data-tex" in e.attributes]


@pytest.mark.parametrize(
    "source",
    [
        "It costs $5 and $10.",
        "It costs $5 (or more) and $6 (or less).",
        "between $1,000-$2,000",
        "$5+$10=$15",
        "$5/month or $50/year",
        "A $100 million (USD) bid, $200 more",
        "US$5/kg against US$6/kg",
        "pay $$ or $$$ now",
        "$$5 and $$10",
        "\\$x^2\\$ is escaped",
        "export PATH=$HOME/bin:$PATH",
        "${A}/${B} and $(pwd)/$(date)",
        "$a=$b; $i++; $j++;",
        "$<$<CONFIG:Debug>:x> and $<VERSION_LESS:$<y>>",
        "$_POST['a'] and $_GET['b']",
        "$('#a').append($('#b'))",
        "print $1, $2 and $1*$2",
        "the pattern ^a$|^b$ ends here",
        "x-y in dollars: $x-y$",
        "a word: $word$",
        "it's $5 here and that's $6 there, $don't$",
        "spaced $ 5 $ out",
        "$\\nosuchcommand{x}$",
        "over $two\nlines^2$",
        "`$x^2$` and ``$y^2$``",
        "```\n$x^2$\n```",
        "    $x^2$",
        "- item\n  ```\n  $x^2$ \\(y\\)\n  ```",
        "~~~\n\\[ x \\]\n~~~",
        "https://a.example/?a=$b&c=$d",
        "[a](https://a.example/$x^2$)",
        "\\(see below\\) and \\[optional\\]",
        "\\\\(x\\\\)",
        "$$\nnever closed\n\nand on",
        "\\[ x = 1\n\nnever closed",
    ],
)
def test_this_is_no_formula(source: str) -> None:
    assert formulas(source) == []


@pytest.mark.parametrize(
    ("source", "tex"),
    [
        ("$x$", ["x"]),
        ("$x^2$ and $y_1$.", ["x^2", "y_1"]),
        ("$E=mc^2$, which cost $5", ["E=mc^2"]),
        ("$1.5, $(x^2)$", ["(x^2)"]),
        ("$20 for $\\frac{1}{4}$", ["\\frac{1}{4}"]),
        ("\\$5 is not $x$", ["x"]),
        ("$f'$ and $x''$", ["f'", "x''"]),
        ("$-1$ and $x - y$", ["-1", "x - y"]),
        ("the $n$th $k$-mean", ["n", "k"]),
        ("$ x^2 $", ["x^2"]),
        ("$a_1, \\dots, a_n$", ["a_1, \\dots, a_n"]),
        ("$p < 0.05$", ["p < 0.05"]),
        ("$\\$5 + x$", ["\\$5 + x"]),
        ("$x$$y$", ["x", "y"]),
        ("**$x^2$**", ["x^2"]),
        ("$$x^2$$", ["x^2"]),
        ("a sentence with $$x^2$$ inside", ["x^2"]),
        ("\\(n\\), \\( ABC \\), \\(10\\)", ["n", "ABC", "10"]),
        ("\\[ x = 1 \\]", ["x = 1"]),
        ("$$\na\n\nb\n$$", ["a\n\nb"]),
        ("\\[\na * b * c\n\\]", ["a * b * c"]),
        ("Text\n$$\nx^2\n$$\nmore", ["x^2"]),
        ("\\[\nx\n\\] where $y$ is", ["x", "y"]),
        ("- item\n  $$\n  x^2\n  $$", ["x^2"]),
        ("> $$\n> a\n> + b\n> $$", ["a\n+ b"]),
        ("| a |\n|---|\n| $|x|^2$ |", ["|x|^2"]),
        ("# On $x^2$", ["x^2"]),
        ("on [0, 1]: $x^2$", ["x^2"]),
        ("[^1]: on $x^2$", ["x^2"]),
        ("[about $x^2$](https://a.example)", ["x^2"]),
    ],
)
def test_this_is_a_formula(source: str, tex: list[str]) -> None:
    assert formulas(source) == tex


def test_a_formula_in_a_text_is_mathml_with_its_source() -> None:
    assert markdown_html("$x^2$") == (
        '<p><span class="math" data-tex="x^2"><math><msup><mi>x</mi>'
        '<mn class="tml-sml-pad">2</mn></msup></math></span></p>'
    )


def test_a_formula_that_stands_alone_is_a_block_of_its_own() -> None:
    (block,) = parsed(markdown_html("$$\n\\frac12\n$$")).elements
    assert block.tag == "div"
    assert block.attributes["class"] == "math display"
    assert block.elements[0].attributes["display"] == "block"


@pytest.mark.parametrize(
    "source", ["\\[ \\nosuchcommand{x} \\]", "$$ \\frac{ $$", "a \\(\\oops\\)"]
)
def test_a_formula_with_a_mistake_shows_its_source(source: str) -> None:
    elements = parsed(markdown_html(source)).everything()
    (mistake,) = [e for e in elements if e.attributes.get("class") == "math-error"]
    assert mistake.text in source
    assert mistake.tag in ("pre", "code")


def test_dollars_that_open_nothing_leave_the_text_what_it_is() -> None:
    with_dollars = markdown_html("$$\nnever closed\n\n- and\n- a list")
    assert with_dollars == "<p>$$\nnever closed</p><ul><li>and</li><li>a list</li></ul>"


def test_styles_become_classes_that_the_stylesheet_knows() -> None:
    html = markdown_html(
        "$$\n\\begin{array}{|c|r|}\\hline \\color{red}a & \\boxed{b}\\end{array}\n$$"
    )
    assert " style=" not in html
    assert 'mathcolor="#ff0000"' in html
    names = {
        name
        for element in parsed(html).everything()
        for name in element.attributes.get("class", "").split()
        if name.startswith("math-")
    }
    assert "math-line-left" in names
    assert all(f".{name}{{" in math_stylesheet() for name in names)


@pytest.mark.parametrize(
    "markup",
    [
        "<math><script>alert(1)</script></math>",
        "<math><mi onclick=alert(1)>x</mi></math>",
        "<math><mi>x</math></mi>",
        "<math></math><math></math>x",
        '<math><a href="javascript:alert(1)">x</a></math>',
        '<math><mi a="<">x</mi></math>',
        "<math><!-- --></math>",
        "<p></p>",
    ],
)
def test_markup_that_is_not_clean_mathml_is_refused(markup: str) -> None:
    assert allowed_mathml(markup) is None


def test_attributes_that_are_not_for_formulas_are_dropped() -> None:
    markup = '<math><mi href="https://a.example" id="b" style="position:fixed;top:0">x</mi></math>'
    assert allowed_mathml(markup) == "<math><mi>x</mi></math>"


@given(
    st.lists(
        st.sampled_from(
            [
                "x",
                "^",
                "_",
                "{",
                "}",
                "\\frac",
                "\\text{",
                "<",
                ">",
                '"',
                "'",
                "&",
                "\\\\",
                "\\href{",
                "\\class{",
                "\\style{",
                "\\htmlId{",
                "javascript:",
                "\\url{",
                "\\unicode{x3c}",
                "\\color{",
                "\\def\\a{",
                "\\a",
                "]",
                "\\begin{array}{cc}",
                "\\end{array}",
                "\\ref{",
                "\\label{",
                "\\includegraphics{",
                "#1",
                "%",
                "`",
                "é",
                "=",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_no_formula_is_harmful(tex: str) -> None:
    assert_harmless(markdown_html(f"\\[ {tex} \\]"))
    assert_harmless(markdown_html(f"$$\n{tex}\n$$"))
    assert_harmless(markdown_html(f"a ${tex}$ b"))


def test_a_formula_cannot_teach_the_next_one_a_command() -> None:
    markdown_html("\\[ \\gdef\\mine{x} \\mine \\]")
    assert formulas("\\[ \\mine + 1 \\]") == []


def test_formulas_that_would_grow_without_bound_are_refused() -> None:
    assert formulas("\\[ " + "\\cancelto{0}{" * 30 + "x" + "}" * 30 + " \\]") == []
    assert formulas("\\[ \\def\\a{\\a\\a}\\a \\]") == []
    assert formulas("\\[ " + "x" * 5_000 + " \\]") == []
    assert formulas("\\[ " + "{" * 1_500 + "}" * 1_500 + " \\]") == []


def test_an_engine_that_ran_out_of_memory_is_replaced() -> None:
    engine = Formulas(TEMML, memory_bytes=9_000_000)
    huge = "\\begin{matrix}" + "a&" * 100_000 + "\\end{matrix}"
    assert engine.get(huge, is_display=True) is None
    assert engine.get("x^2", is_display=False) is not None


def test_a_missing_engine_is_named_with_what_to_do(tmp_path: Path) -> None:
    engine = Formulas(tmp_path / "temml.min.js", memory_bytes=9_000_000)
    with pytest.raises(PartMissing, match="make install"):
        engine.get("x", is_display=False)
