"""Links and footnotes that are defined in one block and used in another.

Blocks are drawn alone, so what a block refers to is handed to it. Definitions are collected from
the beginnings of paragraphs, one line each, as they are written in practice.
"""

from __future__ import annotations

import re

from msgspec import Struct

from windowpane.render.blocks import Block

_DEFINITION = re.compile(
    r" {0,3}\[(?!\^)(?P<label>(?:[^\[\]\\\n]|\\.){1,200})\]:[ \t]*(?:<[^<>\n]*>|\S+)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\n"
)
_FOOTNOTE = re.compile(r" {0,3}\[\^([^\]\s]{1,64})\]:[ \t]*")
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){1,200})\]", re.DOTALL)
_FOOTNOTE_MARK = re.compile(r"\[\^([^\]\s]{1,64})\]")


class References(Struct):
    """Everything defined so far; of two definitions the first one counts."""

    links: dict[str, str]
    footnotes: set[str]

    def collect(self, block: Block) -> None:
        if block.kind == "footnote":
            self.footnotes.add(footnote_label(block.source))
        elif block.kind == "text" and block.source.lstrip(" ").startswith("["):
            self._collect_links(block.source)

    def used_by(self, block: Block) -> Used:
        """What of it the block refers to."""
        source = block.source
        if "[" not in source or block.kind in ("fence", "math"):
            return NOTHING_USED
        labels = _LABEL.findall(source) if self.links else []
        marks = _FOOTNOTE_MARK.findall(source) if self.footnotes else []
        folded = dict.fromkeys(map(_folded, labels))
        return Used(
            links=tuple(self.links[label] for label in folded if label in self.links),
            footnotes=frozenset(self.footnotes.intersection(marks)),
        )

    def _collect_links(self, source: str) -> None:
        position = 0
        while definition := _DEFINITION.match(source, position):
            self.links.setdefault(_folded(definition["label"]), definition[0])
            position = definition.end()


class Used(Struct, frozen=True):
    """The definitions that one block needs: link definitions as lines, labels of footnotes."""

    links: tuple[str, ...]
    footnotes: frozenset[str]


NOTHING_USED = Used((), frozenset())


def no_references() -> References:
    return References(links={}, footnotes=set())


def footnote_label(source: str) -> str:
    mark = _FOOTNOTE.match(source)
    assert mark is not None
    return mark[1]


def footnote_text(source: str) -> str:
    """The note itself, as Markdown of its own."""
    first, *rest = _FOOTNOTE.sub("", source, count=1).split("\n")
    return "\n".join([first, *(line.removeprefix("    ") for line in rest)])


def _folded(label: str) -> str:
    return " ".join(label.casefold().split())
