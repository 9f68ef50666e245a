"""A page in miniature: the elements of a part, changed by patches as a browser would change them.

It parses with the standard library, so it shares no code with what it checks.
"""

from html import escape
from html.parser import HTMLParser

from windowpane.render import TOKEN_CLASSES, Patch

_VOID = {"br", "hr", "input", "img"}
_TEXT_ELEMENTS = (
    "a blockquote br button code del div em figcaption figure h1 h2 h3 h4 h5 h6 hr input li ol p "
    "pre span strong sup table tbody td th thead tr ul"
)
_MATH_ELEMENTS = (
    "math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms "
    "mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none"
)
_MATH_ATTRIBUTES = (
    "accent accentunder columnalign columnlines columnspacing columnspan depth display "
    "displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize "
    "mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel "
    "separator stretchy symmetric voffset width class"
)
_ATTRIBUTES = {
    "a": {"href", "target", "rel"},
    "button": {"type", "class", "data-copy"},
    "code": {"class"},
    "div": {"class", "data-tex", "tabindex"},
    "figure": {"class", "data-language"},
    "input": {"type", "checked", "disabled", "aria-label"},
    "ol": {"start"},
    "pre": {"class", "tabindex"},
    "span": {"class", "data-tex"},
    "sup": {"class"},
    "td": {"align"},
    "th": {"align"},
}
_ALLOWED = {tag: _ATTRIBUTES.get(tag, set[str]()) for tag in _TEXT_ELEMENTS.split()} | {
    tag: set(_MATH_ATTRIBUTES.split()) for tag in _MATH_ELEMENTS.split()
}
_CLASSES = {"code", "copy", "math", "display", "math-error", "math-source", "footnote", "plain"} | {
    "block",
    *TOKEN_CLASSES,
}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []

    @property
    def elements(self) -> list["Element"]:
        return [child for child in self.children if isinstance(child, Element)]

    @property
    def text(self) -> str:
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def everything(self) -> list["Element"]:
        """This element and all below, without recursion: hostile pages are deep."""
        found, waiting = list[Element](), [self]
        while waiting:
            element = waiting.pop()
            found.append(element)
            waiting += element.elements
        return found

    def html(self) -> str:
        attributes = "".join(f' {k}="{escape(v)}"' for k, v in self.attributes.items())
        inner = "".join(escape(c) if isinstance(c, str) else c.html() for c in self.children)
        return f"<{self.tag}{attributes}>{inner}</{self.tag}>"


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("part", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in <{tag}>"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def parsed(html: str) -> Element:
    """The elements of a part, below one root; fails on anything that does not nest."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert len(builder.open) == 1, f"<{builder.open[-1].tag}> is never closed"
    return builder.open[0]


class Page:
    """What a browser shows of one part."""

    def __init__(self) -> None:
        self.part = Element("part", {})

    def apply(self, patch: Patch | None) -> None:
        if patch is None:
            return
        place = self.part
        for _ in range(patch.inside):
            place = place.elements[-1]
        assert all(isinstance(child, Element) for child in place.children)
        assert 0 <= patch.keep <= len(place.children)
        del place.children[patch.keep :]
        place.children += parsed(patch.html).children
        if patch.open_text:
            _last(place).children.append(patch.open_text)

    def html(self) -> str:
        return self.part.html()


def _last(place: Element) -> Element:
    element = place.elements[-1]
    while element.children and isinstance(last := element.children[-1], Element):
        assert last.tag not in _VOID
        element = last
    return element


def assert_harmless(html: str) -> None:
    """Only known elements and attributes, and links that lead to the web: nothing runs or loads."""
    for element in parsed(html).everything()[1:]:
        assert element.tag in _ALLOWED, element.tag
        unknown = element.attributes.keys() - _ALLOWED[element.tag]
        assert not unknown, f"{element.tag}: {unknown}"
        if href := element.attributes.get("href"):
            assert href.startswith(("http://", "https://", "mailto:")), href
        if element.tag not in _MATH_ELEMENTS.split():
            assert set(element.attributes.get("class", "").split()) <= _CLASSES, element.attributes
        if element.tag == "a":
            assert element.attributes["rel"] == "noopener noreferrer nofollow"
            assert element.attributes["target"] == "_blank"
