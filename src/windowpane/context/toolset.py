"""The tools of a request: which are offered under a mode, and what each weighs.

The order is always that in which the tools are known, whatever order they were switched on in: a
provider remembers tool definitions only as long as they do not change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from windowpane.context.request import ToolDefinition
from windowpane.messages import Message
from windowpane.parts import ToolCall
from windowpane.tokens import Counter
from windowpane.toolbox import ToolMode

# For how many turns a server's tool that was used stays offered in ``auto`` mode.
USED_TURNS = 10


class KnownTool(Struct, frozen=True, kw_only=True):
    """A tool that could be offered; ``server`` is the one it comes from, empty if built in."""

    name: str
    server: str
    is_on: bool


class ToolPrompt(Struct, frozen=True, kw_only=True):
    """What a tool adds to the system text."""

    name: str
    text: str


class Toolset(Struct, frozen=True, kw_only=True):
    """The tools of one send. ``spells_calls``: past calls and results go as plain text."""

    definitions: tuple[ToolDefinition, ...]
    prompts: tuple[ToolPrompt, ...]
    spells_calls: bool


NO_TOOLS = Toolset(definitions=(), prompts=(), spells_calls=False)
# A model that is offered nothing may refuse calls of tools that it does not know.
ALL_OFF = Toolset(definitions=(), prompts=(), spells_calls=True)


class ToolWeight(Struct, frozen=True, kw_only=True):
    """What one tool costs in every request: its definition, and its words in the system text."""

    name: str
    definition_tokens: int
    prompt_tokens: int


def offered_names(
    mode: ToolMode, known: Sequence[KnownTool], *, used_names: Collection[str]
) -> tuple[str, ...]:
    """``used_names`` are the tools that were called in the last ``USED_TURNS`` turns."""
    return tuple(tool.name for tool in known if _is_offered(tool, mode, used_names))


def _is_offered(tool: KnownTool, mode: ToolMode, used_names: Collection[str]) -> bool:
    match mode:
        case "all-off":
            return False
        case "all-on":
            return True
        case "cached" | "manual":
            return tool.is_on
        case "auto":
            return tool.is_on and (not tool.server or tool.name in used_names)


def called_names(messages: Sequence[Message]) -> frozenset[str]:
    return frozenset(
        part.name for message in messages for part in message.parts if isinstance(part, ToolCall)
    )


def tool_weights(
    tools: Sequence[ToolDefinition], prompts: Sequence[ToolPrompt], *, counter: Counter
) -> tuple[ToolWeight, ...]:
    said = {prompt.name: prompt.text for prompt in prompts}
    return tuple(
        ToolWeight(
            name=tool.name,
            definition_tokens=counter.tool(tool),
            prompt_tokens=counter.text(said.get(tool.name, "")),
        )
        for tool in tools
    )
