"""What a tool is: a face for people, a description for models, and what it does.

A tool keeps nothing between calls: whatever it may touch is in its ``Surroundings``. It yields how
it goes and ends with its ``Result``. Running it, bounding what it gives and turning its faults into
results is the agent's work, so a tool need not fear to fail.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from msgspec import Struct

from windowpane.parts import Image
from windowpane.toolbox import Approval, ToolOptions
from windowpane.tools.drawing import Drawing
from windowpane.tools.history import History

# A JSON schema, and arguments that fit it.
Schema = dict[str, object]
Arguments = dict[str, object]


class BooleanOption(Struct, frozen=True, kw_only=True, tag="boolean"):
    id: str
    label: str
    note: str
    default: bool


class LongTextOption(Struct, frozen=True, kw_only=True, tag="long_text"):
    id: str
    label: str
    note: str
    default: str


class ModelOption(Struct, frozen=True, kw_only=True, tag="model"):
    """Without a choice it is the model of the chat, so it has no default of its own."""

    id: str
    label: str
    note: str


ToolOption = BooleanOption | LongTextOption | ModelOption


class ToolFace(Struct, frozen=True, kw_only=True):
    """What is known of a tool without running it.

    ``icon`` names a drawing of the page. ``approval`` holds where nobody has chosen otherwise.
    Simple tools may run beside each other.
    """

    name: str
    label: str
    icon: str
    approval: Approval
    is_simple: bool
    timeout_seconds: float
    options: tuple[ToolOption, ...] = ()


class Description(Struct, frozen=True, kw_only=True):
    """What a model is told of a tool, under some options."""

    text: str
    schema: Schema


class Progress(Struct, frozen=True, kw_only=True):
    """How far a call is; ``fraction`` is between 0 and 1 where it can be told."""

    message: str = ""
    fraction: float | None = None


class Output(Struct, frozen=True, kw_only=True):
    """A piece of what a call gives while it runs; the result says what counts in the end."""

    text: str


class Result(Struct, frozen=True, kw_only=True):
    """The end of a call. Images go with the results as pictures that the model sees."""

    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


Step = Progress | Output | Result


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a call may touch, and whose call it is."""

    chat_id: str
    turn_id: str
    history: History


class Tool(Protocol):
    @property
    def face(self) -> ToolFace: ...

    def description(self, options: ToolOptions) -> Description: ...

    async def prompt(self, options: ToolOptions, *, surroundings: Surroundings) -> str:
        """What joins the system text, read once for each turn; usually nothing."""
        ...

    def execute(
        self, arguments: Arguments, *, options: ToolOptions, surroundings: Surroundings
    ) -> AsyncGenerator[Step, None]:
        """Carry out a call whose arguments fit the schema. The last step is the result."""
        ...

    def input_drawing(self, arguments: str) -> Drawing:
        """How a call is shown, from its arguments as the model wrote them."""
        ...

    def output_drawing(self, text: str) -> Drawing: ...


def options_with_defaults(face: ToolFace, chosen: ToolOptions) -> ToolOptions:
    """Every option that has a value; what was chosen for options that are gone is left out."""
    defaults: ToolOptions = {
        option.id: option.default for option in face.options if not isinstance(option, ModelOption)
    }
    known = {option.id for option in face.options}
    return defaults | {id: value for id, value in chosen.items() if id in known}
