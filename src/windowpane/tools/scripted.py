"""A tool that plays a script: for tests and demonstrations, beside the scripted provider.

It can do everything a tool does to its caller: tell how far it is, give output piece by piece,
take its time, fail, break, hang, and end without a result.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import msgspec
from msgspec import Struct

from windowpane.errors import InvalidInput
from windowpane.toolbox import Approval, ToolOptions
from windowpane.tools.base import (
    Arguments,
    Description,
    Output,
    Progress,
    Result,
    Schema,
    Step,
    Surroundings,
    ToolFace,
)
from windowpane.tools.drawing import Drawing, json_drawing, text_drawing

ANYTHING: Schema = {"type": "object"}


class Tell(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="progress"):
    message: str = ""
    fraction: float | None = None


class Give(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="output"):
    text: str


class Wait(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="wait"):
    seconds: float


class Hang(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hang"):
    """Do nothing until somebody gives up."""


class Break(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="break"):
    """Raise an error that nobody expects."""

    message: str


class Answer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="result"):
    text: str
    is_error: bool = False


PlayedStep = Tell | Give | Wait | Hang | Break | Answer


class ToolScript(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the tool is and what each call of it does."""

    name: str
    steps: tuple[PlayedStep, ...]
    description: str = "Plays a script."
    schema: Schema = {}
    prompt: str = ""
    approval: Approval = "always"
    is_simple: bool = True
    timeout_seconds: float = 60.0


class ScriptedTool:
    def __init__(self, script: ToolScript) -> None:
        self._script = script
        self.face = ToolFace(
            name=script.name,
            label=script.name,
            icon="tool",
            approval=script.approval,
            is_simple=script.is_simple,
            timeout_seconds=script.timeout_seconds,
        )

    def description(self, options: ToolOptions) -> Description:
        return Description(text=self._script.description, schema=self._script.schema or ANYTHING)

    async def prompt(self, options: ToolOptions, *, surroundings: Surroundings) -> str:
        return self._script.prompt

    async def execute(
        self, arguments: Arguments, *, options: ToolOptions, surroundings: Surroundings
    ) -> AsyncGenerator[Step, None]:
        for step in self._script.steps:
            match step:
                case Tell():
                    yield Progress(message=step.message, fraction=step.fraction)
                case Give():
                    yield Output(text=step.text)
                case Wait():
                    await asyncio.sleep(step.seconds)
                case Hang():
                    await asyncio.get_running_loop().create_future()
                case Break():
                    raise RuntimeError(step.message)
                case Answer():
                    yield Result(text=step.text, is_error=step.is_error)

    def input_drawing(self, arguments: str) -> Drawing:
        return json_drawing(arguments)

    def output_drawing(self, text: str) -> Drawing:
        return text_drawing(text)


def scripted_tools(described: Sequence[object]) -> tuple[ScriptedTool, ...]:
    """The tools that a script brings along, as plain data."""
    try:
        scripts = msgspec.convert(described, tuple[ToolScript, ...])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The tools of the script cannot be used: {error}.") from error
    return tuple(ScriptedTool(script) for script in scripts)
