"""Which tools a request offers under each mode, and what they weigh."""

import pytest
from msgspec import Raw, structs

from tests.context.histories import COUNTER, given, message, text, tool_round, turn
from windowpane.context.plan import plan
from windowpane.context.request import ToolDefinition
from windowpane.context.toolset import KnownTool, ToolPrompt, called_names, offered_names
from windowpane.context.words import explanation
from windowpane.toolbox import ToolMode

KNOWN = (
    KnownTool(name="recall", server="", is_on=True),
    KnownTool(name="javascript", server="", is_on=False),
    KnownTool(name="time", server="clock", is_on=True),
    KnownTool(name="zone", server="clock", is_on=True),
    KnownTool(name="alarm", server="clock", is_on=False),
)


@pytest.mark.parametrize(
    ("mode", "offered"),
    [
        ("auto", ("recall", "zone")),
        ("cached", ("recall", "time", "zone")),
        ("manual", ("recall", "time", "zone")),
        ("all-on", ("recall", "javascript", "time", "zone", "alarm")),
        ("all-off", ()),
    ],
)
def test_each_mode_offers_its_tools_in_the_order_in_which_they_are_known(
    mode: ToolMode, offered: tuple[str, ...]
) -> None:
    assert offered_names(mode, KNOWN, used_names={"zone", "alarm"}) == offered


def test_a_tool_that_was_called_counts_as_used() -> None:
    assert called_names(tool_round("one", result="found")) == {"look"}
    assert called_names([message("ask", "user", text("a", 10))]) == frozenset()


def test_the_plan_tells_what_each_tool_weighs() -> None:
    tools = tuple(
        ToolDefinition(name=name, description=f"does {name} things", schema=Raw(b"{}"))
        for name in ("recall", "memory")
    )
    prompts = (ToolPrompt(name="memory", text="You have a memory. Use it."),)
    ready = plan(structs.replace(given([turn("t1")]), tools=tools, tool_prompts=prompts))
    recall, memory = ready.tool_weights
    assert recall.definition_tokens + memory.definition_tokens == ready.fixed.tools_tokens
    assert (recall.prompt_tokens, memory.prompt_tokens) == (0, COUNTER.text(prompts[0].text))
    told = explanation(ready)
    assert f"{recall.definition_tokens}    recall\n" in told
    assert f"memory, and {memory.prompt_tokens} in the system prompt" in told
