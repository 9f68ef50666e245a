"""Markdown to HTML that may stand in the page: parsed by comrak, sanitised by nh3.

No HTML that anybody wrote comes through alive, no image is loaded, links lead to the web or to a
mail address only. Nothing here knows formulas or coloured code; they are put in afterwards.
"""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import urlsplit

import nh3
from comrak import ExtensionOptions, ParseOptions, RenderOptions, render_markdown

# A parser would draw these too, but the page could not.
_MAX_DEPTH = 40
_MAX_CELLS = 50_000
_SUSPECT_CHARS = 80

_DEEP = re.compile(rf"^(?:[ \t]*(?:>|[-+*]|\d{{1,9}}[.)])){{{_MAX_DEPTH}}}", re.MULTILINE)
_IMAGE = re.compile(
    r'(?P<link><a )|(?P<end></a>)|<img src="(?P<address>[^"]*)" alt="(?P<text>[^"]*)"[^>]*/>'
)
_TASKS = {
    '<input type="checkbox" disabled="">': '<input type="checkbox" disabled aria-label="open">',
    '<input type="checkbox" checked="" disabled="">': (
        '<input type="checkbox" checked disabled aria-label="done">'
    ),
}

_TAGS = frozenset(
    "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr input li ol p pre strong "
    "table tbody td th thead tr ul".split()
)
_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    clean_content_tags=frozenset(),
    attributes={
        "*": set(),
        "a": {"href"},
        "code": {"class"},
        "input": {"checked", "disabled"},
        "ol": {"start"},
    },
    tag_attribute_values={
        "input": {"type": {"checkbox"}},
        "td": {"align": {"left", "center", "right"}},
        "th": {"align": {"left", "center", "right"}},
    },
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer nofollow",
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


def safe_html(markdown: str) -> str:
    """The HTML of one block, without line ends between its elements."""
    if _is_too_large(markdown):
        return f'<pre class="plain">{escape(markdown, quote=False)}</pre>'
    html = render_markdown(markdown, _EXTENSIONS, _PARSING, _RENDERING)
    if "<img " in html:
        html = _without_images(html)
    html = _CLEANER.clean(html)
    return _with_labels(html) if "<input " in html else html


def _is_too_large(markdown: str) -> bool:
    """Nested so deep, or a table with so many cells, that a small text makes a huge page."""
    if len(markdown) < _SUSPECT_CHARS:
        return False
    if _DEEP.search(markdown):
        return True
    lines = markdown.split("\n")
    return len(lines) * max(line.count("|") for line in lines) > _MAX_CELLS


def _without_images(html: str) -> str:
    """Images of other hosts are never fetched: a link with their text takes their place."""
    is_in_link = False

    def linked(match: re.Match[str]) -> str:
        nonlocal is_in_link
        if match["link"] or match["end"]:
            is_in_link = match["end"] is None
            return match[0]
        address, text = match["address"], match["text"]
        host = _host(address)
        label = f"{text} ({escape(host)})" if text and host else text or escape(host) or "image"
        return label if is_in_link or not host else f'<a href="{address}">{label}</a>'

    return _IMAGE.sub(linked, html)


def _host(address: str) -> str:
    try:
        return urlsplit(unescape(address)).hostname or ""
    except ValueError:  # an address that only looks like one, such as http://[
        return ""


def _with_labels(html: str) -> str:
    for plain, labelled in _TASKS.items():
        html = html.replace(plain, labelled)
    return html


def _extensions() -> ExtensionOptions:
    options = ExtensionOptions()
    options.autolink = True
    options.strikethrough = True
    options.table = True
    options.tasklist = True
    return options


def _rendering() -> RenderOptions:
    options = RenderOptions()
    options.compact_html = True
    options.escape = True
    return options


_EXTENSIONS, _PARSING, _RENDERING = _extensions(), ParseOptions(), _rendering()
