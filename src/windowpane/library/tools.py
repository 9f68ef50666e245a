"""Tool definitions in a provider's own JSON, as far as they weigh something."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Raw

from windowpane.context.request import ToolDefinition
from windowpane.library.reading import Field, Json


def tools_from(tools: Sequence[Json]) -> tuple[ToolDefinition, ...]:
    return tuple(_tool(tool) for tool in Field(tools, "tools", parent=None).items())


def _tool(tool: Field) -> ToolDefinition:
    """A function in either family's words; a provider's own tool counts as the JSON it is."""
    function = tool if tool["function"].is_missing else tool["function"]
    keys = function.fields()
    schema = function["parameters"] if "parameters" in keys else function["input_schema"]
    return ToolDefinition(
        name=(function["name"] if "name" in keys else tool["type"]).text(),
        description="" if function["description"].is_missing else function["description"].text(),
        schema=Raw(msgspec.json.encode(tool.value if schema.is_missing else schema.value)),
    )
