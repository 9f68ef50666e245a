"""Which tools a turn has: those that are on, with their options and what they may do unasked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from windowpane.context.request import ToolDefinition
from windowpane.context.toolset import KnownTool, ToolPrompt, Toolset, offered_names
from windowpane.definitions import Ability, Family, ProviderDefinition
from windowpane.providers.scripted import load_script
from windowpane.toolbox import Approval, Toolbox, ToolOptions
from windowpane.tools.base import Schema, Surroundings, Tool, options_with_defaults
from windowpane.tools.installed import INSTALLED
from windowpane.tools.scripted import scripted_tools

# Those who know all about their models, so that silence means no.
KNOWS_ITS_MODELS = frozenset[Family]({"local", "scripted"})
# Whose lists say of every model whether it can call tools, if they speak of abilities at all.
LISTS_TOOLS = frozenset[Family]({"openai_chat", "local", "scripted"})


class Equipped(Struct, frozen=True, kw_only=True):
    """A tool as it was chosen for a turn."""

    tool: Tool
    options: ToolOptions
    approval: Approval
    description: str
    schema: Schema

    @property
    def name(self) -> str:
        return self.tool.face.name

    @property
    def definition(self) -> ToolDefinition:
        schema = Raw(msgspec.json.encode(self.schema))
        return ToolDefinition(name=self.name, description=self.description, schema=schema)


class Equipment(Struct, frozen=True, kw_only=True):
    """The tools of one turn, and what their calls may touch.

    A result of more than ``result_characters`` goes to the model in part.
    """

    tools: tuple[Equipped, ...]
    surroundings: Surroundings
    result_characters: int

    def tool(self, name: str) -> Equipped | None:
        return next((equipped for equipped in self.tools if equipped.name == name), None)


def can_call_tools(family: Family, abilities: Collection[Ability] | None) -> bool:
    if abilities is None:
        return family not in KNOWS_ITS_MODELS
    return "tools" in abilities or family not in LISTS_TOOLS


def available_tools(definition: ProviderDefinition) -> tuple[Tool, ...]:
    """What is installed, and what a script brings along for its own models."""
    if definition.family != "scripted":
        return INSTALLED
    return (*INSTALLED, *scripted_tools(load_script(Path(definition.base_url)).tools))


def chosen_tools(
    available: Sequence[Tool], toolbox: Toolbox, *, used_names: Collection[str]
) -> tuple[Equipped, ...]:
    """The tools that a turn is given, in the order in which they are known.

    What is not installed is brought along by the model's provider, and on unless it is off.
    """
    known = [
        KnownTool(
            name=tool.face.name,
            server="",
            is_on=tool.face.name in toolbox.tools or tool not in INSTALLED,
        )
        for tool in available
    ]
    offered = offered_names(toolbox.mode, known, used_names=used_names)
    return tuple(_equipped(tool, toolbox) for tool in available if tool.face.name in offered)


def standing_tools(definition: ProviderDefinition, toolbox: Toolbox) -> tuple[ToolDefinition, ...]:
    """What any turn would be offered, whatever was used before it."""
    chosen = chosen_tools(available_tools(definition), toolbox, used_names=())
    return tuple(equipped.definition for equipped in chosen)


def _equipped(tool: Tool, toolbox: Toolbox) -> Equipped:
    face = tool.face
    options = options_with_defaults(face, toolbox.tools.get(face.name, {}))
    described = tool.description(options)
    return Equipped(
        tool=tool,
        options=options,
        approval=toolbox.approvals.get(face.name, face.approval),
        description=described.text,
        schema=described.schema,
    )


async def toolset_of(equipment: Equipment, *, toolbox: Toolbox) -> Toolset:
    """What the plan is told of the tools; each is asked for its prompt once."""
    prompts = [
        ToolPrompt(
            name=one.name,
            text=await one.tool.prompt(one.options, surroundings=equipment.surroundings),
        )
        for one in equipment.tools
    ]
    return Toolset(
        definitions=tuple(one.definition for one in equipment.tools),
        prompts=tuple(prompt for prompt in prompts if prompt.text),
        spells_calls=toolbox.mode == "all-off",
    )
