"""What goes to an adapter: the request as a value. Only ``context.plan`` constructs one."""

from __future__ import annotations

from msgspec import Raw, Struct

from windowpane.messages import Message
from windowpane.options import PLAIN, RequestOptions


class ToolDefinition(Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it; ``schema`` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Raw


class CacheMark(Struct, frozen=True, kw_only=True):
    """The provider may remember everything up to here: the system text, or a message's id."""

    after_message_id: str | None


class ModelRequest(Struct, frozen=True, kw_only=True):
    """What an adapter serialises: nothing is added to it and nothing left out."""

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    marks: tuple[CacheMark, ...] = ()
    max_output_tokens: int | None = None
    options: RequestOptions = PLAIN

    @property
    def begun(self) -> tuple[Message, ...]:
        """What was said since the user's last message: the turn that is being answered, so far."""
        places = [number for number, one in enumerate(self.messages) if one.role == "user"]
        return self.messages[places[-1] + 1 :] if places else self.messages

    @property
    def prefill(self) -> str:
        """How the answer shall begin; nothing where it has begun, before a tool or a pause."""
        return "" if self.begun else self.options.prefill
