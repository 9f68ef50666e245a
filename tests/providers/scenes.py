"""What every family is asked to put in its own words: one talk with tools, one tool."""

import msgspec
from msgspec import Raw

from tests.providers.asking import message, request
from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.parts import Reasoning, Text, ToolCall, ToolResult

Wire = dict[str, object]
LOOK = ToolDefinition(name="look", description="Looks.", schema=Raw(b'{"type":"object"}'))
HELLO = message("user", Text(text="Hi"))


def about_clocks(*, error: str, model: str, system: str) -> ModelRequest:
    """Two calls at once; the second fails with ``error``."""
    return request(
        message("user", Text(text="What time "), Text(text="is it?")),
        message(
            "assistant",
            Reasoning(text="I need a clock."),
            Text(text="I look."),
            ToolCall(call_id="c1", name="now", arguments=""),
            ToolCall(call_id="c2", name="zone", arguments='{"of": "me"}'),
        ),
        message(
            "tool",
            ToolResult(call_id="c1", name="now", text="12:00"),
            ToolResult(call_id="c2", name="zone", text=error, is_error=True),
        ),
        model=model,
        system=system,
    )


def as_json(*natives: str) -> list[object]:
    return [msgspec.json.decode(one) for one in natives]
