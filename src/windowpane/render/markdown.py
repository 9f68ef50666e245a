"""Draws Markdown: a whole text, or one of its blocks.

Every block becomes exactly one element, or none if all it does is define something. Whole texts and
streamed ones are drawn by `block_html` alone, so they end as the same bytes.
"""

from __future__ import annotations

import re
from html import escape

from windowpane.render.blocks import Block, split
from windowpane.render.code import code_figure, figure, plain
from windowpane.render.fences import fenced_code
from windowpane.render.math import math_block
from windowpane.render.references import Used, footnote_label, footnote_text, no_references
from windowpane.render.safe import safe_html
from windowpane.render.shield import Code, clean_text, restore, shield
from windowpane.render.unfinished import with_closed_marks

_ROOT = re.compile(r"<([a-z0-9]+)[ >]")


def markdown_html(source: str) -> str:
    """The HTML of a whole text: one element for each block, joined."""
    blocks = split(normal_text(source))
    references = no_references()
    for block in blocks:
        references.collect(block)
    return "".join(block_html(block, used=references.used_by(block)) for block in blocks)


def normal_text(text: str) -> str:
    """The text as it is read: lines end in one way, and no sign is one of our own."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return clean_text(text)


def block_html(block: Block, *, used: Used) -> str:
    """One closed block as one element, or nothing."""
    if block.kind == "fence":
        fence, code = fenced_code(block.source)
        return code_figure(code, language=fence.language)
    if block.kind == "math":
        return math_block(block.source.strip()[2:-2], source=block.source.strip())
    return _text_html(block, used=used, is_open=False)


def open_block_html(block: Block, *, used: Used) -> str:
    """One block that still grows: what may change with the next word is not yet drawn in full."""
    if block.kind == "math":
        return f'<pre class="math-source">{escape(block.source, quote=False)}</pre>'
    shown = Block(block.kind, with_closed_marks(block.source))
    return _text_html(shown, used=used, is_open=True)


def _text_html(block: Block, *, used: Used, is_open: bool) -> str:
    if block.kind != "footnote":
        return as_element(_drawn(block.source, block=block, used=used, is_open=is_open))
    note = _drawn(footnote_text(block.source), block=block, used=used, is_open=is_open)
    label = escape(footnote_label(block.source))
    return f'<div class="footnote"><sup>{label}</sup>{note}</div>'


def _drawn(source: str, *, block: Block, used: Used, is_open: bool) -> str:
    def draw_code(code: Code) -> str:
        if is_open and code.is_last:
            return figure(plain(code.text), language=code.language)
        return code_figure(code.text, language=code.language)

    shielded = shield(source, is_quote=block.kind == "quote", footnotes=used.footnotes)
    definitions = "\n\n" + "".join(used.links) if used.links else ""
    html = safe_html(shielded.source + definitions)
    return restore(html, slots=shielded.slots, draw_code=draw_code)


def as_element(html: str) -> str:
    """The HTML as it is if it is one element or nothing, else with an element around it."""
    return html if not html or _is_one_element(html) else f'<div class="block">{html}</div>'


def _is_one_element(html: str) -> bool:
    root = _ROOT.match(html)
    if root is None:
        return False
    if root[1] == "hr":
        return html == "<hr>"
    closing = f"</{root[1]}>"
    if html.find(closing) == len(html) - len(closing):
        return True
    return html.endswith(closing) and _stays_open(html, root[1])


def _stays_open(html: str, element: str) -> bool:
    """Whether the first element of that name closes only at the very end."""
    depth = 0
    for tag in re.finditer(f"<(/?){element}[ >]", html):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end() == len(html)
    return False
