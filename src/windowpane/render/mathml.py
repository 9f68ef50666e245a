"""Lets MathML through that the page may show, and nothing else.

The formula engine is trusted to escape; this is the second lock behind it. Inline styles, which
the page's policy forbids, become classes, and `math_stylesheet` says what these classes look like.
"""

from __future__ import annotations

import re

_ELEMENTS = frozenset(
    "math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms "
    "mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none span".split()
)
_ATTRIBUTES = frozenset(
    "accent accentunder class columnalign columnlines columnspacing columnspan depth display "
    "displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize "
    "mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel "
    "separator stretchy symmetric voffset width".split()
)
_TAG = re.compile(r'<(/?)([a-z]+)((?: [a-z-]+="[^"<>]*")*)>|<')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"<>]*)"')
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-z]{3,20}")

# Each inline style the engine writes, with the class that stands for it. Others are dropped.
_STYLES = {
    "border-bottom:0.06em dashed": "math-dashed-below",
    "border-bottom:0.06em solid": "math-line-below",
    "border-bottom:0.15em double": "math-lines-below",
    "border-left:0.06em dashed": "math-dashed-left",
    "border-left:0.06em solid": "math-line-left",
    "border-left:0.15em double": "math-lines-left",
    "border-right:0.06em dashed": "math-dashed-right",
    "border-right:0.06em solid": "math-line-right",
    "border-right:0.15em double": "math-lines-right",
    "border-top:0.06em dashed": "math-dashed-above",
    "border-top:0.06em solid": "math-line-above",
    "border-top:0.15em double": "math-lines-above",
    "border:1px solid": "math-boxed",
    "bottom:0": "math-at-bottom",
    "display:flex": "math-flex",
    "font-weight:bold": "math-bold",
    "justify-content:center": "math-centred",
    "left:0.1em": "math-nudged",
    "margin-left:-0.1667em": "math-tight",
    "math-depth:0": "math-full-size",
    "math-depth:2": "math-small-size",
    "padding-bottom:0": "math-flush-below",
    "padding-left:0.1389em": "math-pad-left-1",
    "padding-left:0.25em": "math-pad-left-2",
    "padding-left:0.4em": "math-pad-left-3",
    "padding-left:0em": "math-flush-left",
    "padding-left:1em": "math-pad-left-4",
    "padding-left:5.9776pt": "math-pad-left-3",
    "padding-right:0.1389em": "math-pad-right-1",
    "padding-right:0.2em": "math-pad-right-2",
    "padding-right:0.25em": "math-pad-right-2",
    "padding-right:0.4em": "math-pad-right-3",
    "padding-right:0em": "math-flush-right",
    "padding-right:5.9776pt": "math-pad-right-3",
    "padding-top:0": "math-flush-above",
    "padding:0": "math-flush",
    "padding:0.3em": "math-padded",
    "padding:3pt": "math-padded",
    "position:absolute": "math-absolute",
    "position:relative": "math-relative",
    "right:0": "math-at-right",
    "text-align:left": "tml-left",
    "transform:scaleX(-1)": "math-mirrored",
    "width:100%": "math-wide",
    "width:50%": "math-half",
    "width:7.5%": "math-gap",
    "width:90%": "math-most",
}

# The classes that the engine itself writes, as far as today's browsers need help with them.
_ENGINE_RULES = {
    ".math math": "font-family:'Cambria Math','STIX Two Math','Noto Sans Math',math",
    ".math.display": "overflow-x:auto;overflow-y:hidden",
    ".math .tml-left": "text-align:-webkit-left",
    ".math .tml-right": "text-align:-webkit-right",
    ".math .tml-jot mtd": "padding-top:0.7ex;padding-bottom:0.7ex",
    ".math .tml-small mtd": "padding-top:0.35ex;padding-bottom:0.35ex",
    ".math .tml-sml-pad": "padding-left:0.05em",
    ".math .tml-med-pad": "padding-left:0.1em",
    ".math .tml-lrg-pad": "padding-left:0.15em",
    ".math .tml-overline": "padding-top:0.1em;border-top:0.065em solid",
    ".math .tml-underline": "padding-bottom:0.1em;border-bottom:0.065em solid",
    ".math .tml-fbox": "padding:3pt;border:1px solid",
    ".math menclose,.math .menclose": "position:relative",
    ".math .tml-cancel": (
        "display:inline-block;position:absolute;left:0;bottom:0;width:100%;height:100%;"
        "background:currentColor"
    ),
    ".math .tml-cancelto": (
        "display:inline-block;position:absolute;left:0;bottom:0;width:100%;height:100%;"
        "background:currentColor;clip-path:polygon(0 94%,94% 0,100% 6%,6% 100%)"
    ),
    ".math .upstrike": "clip-path:polygon(0 94%,94% 0,100% 6%,6% 100%)",
    ".math .downstrike": "clip-path:polygon(6% 0,100% 94%,94% 100%,0 6%)",
    ".math .sout": "clip-path:inset(48% 0)",
    ".math .tml-xcancel": (
        "clip-path:polygon(6% 0,50% 44%,94% 0,100% 6%,56% 50%,100% 94%,94% 100%,50% 56%,6% 100%,"
        "0 94%,44% 50%,0 6%)"
    ),
}


def allowed_mathml(markup: str) -> str | None:
    """The markup with allowed attributes and without styles; None if it is no clean MathML."""
    opened: list[str] = []
    pieces: list[str] = []
    end = 0
    for tag in _TAG.finditer(markup):
        slash, element, attributes = tag.groups()
        if element not in _ELEMENTS or (slash and (not opened or opened.pop() != element)):
            return None
        pieces.append(markup[end : tag.start()])
        if slash:
            pieces.append(tag[0])
        else:
            opened.append(element)
            pieces.append(f"<{element}{_allowed_attributes(attributes)}>")
        end = tag.end()
    is_one_formula = not opened and markup.startswith("<math") and markup.endswith("</math>")
    return "".join(pieces) if is_one_formula else None


def math_stylesheet() -> str:
    """The CSS of the classes in formulas."""
    styles = {f".math .{name}": style for style, name in reversed(_STYLES.items())}
    rules = _ENGINE_RULES | {name: rule for name, rule in styles.items() if "tml-" not in name}
    return "".join(f"{selector}{{{rule}}}\n" for selector, rule in sorted(rules.items()))


def _allowed_attributes(attributes: str) -> str:
    if not attributes:
        return ""
    kept: dict[str, str] = {}
    classes: list[str] = []
    for name, value in _ATTRIBUTE.findall(attributes):
        if name == "style":
            classes += _style_classes(value)
            kept |= _colours(value)
        elif name == "class":
            classes += value.split()
        elif name in _ATTRIBUTES:
            kept[name] = value
    if classes:
        kept["class"] = " ".join(dict.fromkeys(classes))
    return "".join(f' {name}="{value}"' for name, value in kept.items())


def _declarations(style: str) -> list[str]:
    return [one.strip().replace(": ", ":") for one in style.split(";")]


def _style_classes(style: str) -> list[str]:
    return [_STYLES[one] for one in _declarations(style) if one in _STYLES]


def _colours(style: str) -> dict[str, str]:
    """A colour is allowed as an attribute of its own."""
    for one in _declarations(style):
        name, _, value = one.partition(":")
        if name == "color" and value != "undefined" and _COLOUR.fullmatch(value):
            return {"mathcolor": value}
    return {}
