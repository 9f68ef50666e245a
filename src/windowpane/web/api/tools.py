"""The tools there are, over HTTP."""

from __future__ import annotations

from litestar import get

from windowpane.tools.base import ToolFace
from windowpane.tools.installed import INSTALLED


@get("/api/tools")
async def list_tools() -> list[ToolFace]:
    """Every tool that can be switched on, with its options and what it may do unasked."""
    return [tool.face for tool in INSTALLED]
