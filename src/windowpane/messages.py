"""A message: who speaks, and the parts it is made of. A chat stores messages as records."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from windowpane.parts import Part, Text
from windowpane.usage import TokenUsage

Role = Literal["user", "assistant", "tool"]
Finish = Literal[
    "stop",
    "tool_use",
    "length",
    "filter",
    "refusal",
    "pause",
    "pending",
    "error",
    "stopped",
    "max_iterations",
]


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="message"):
    """``planned_tokens`` is what was counted for the request that the message answers.

    ``sent_text`` goes to the model in the place of the text, if a project words it otherwise.

    What was typed stays in the parts: that is shown, searched and edited. What was sent is
    counted, and never changes.
    """

    id: str
    role: Role
    parts: tuple[Part, ...]
    created_at: datetime
    model: str | None = None
    usage: TokenUsage | None = None
    planned_tokens: int | None = None
    finish: Finish | None = None
    sent_text: str | None = None

    @property
    def text(self) -> str:
        """The plain text a person reads, without reasoning and tool traffic."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))
