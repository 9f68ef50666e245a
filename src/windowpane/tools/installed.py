"""The tools that come with the product, in the order in which models are told of them."""

from __future__ import annotations

from windowpane.tools.base import Tool
from windowpane.tools.recall import RECALL

INSTALLED: tuple[Tool, ...] = (RECALL,)


def installed(name: str) -> Tool | None:
    return next((tool for tool in INSTALLED if tool.face.name == name), None)
