"""The library's face: the names, what importing costs, and that they are what they say."""

from __future__ import annotations

import subprocess
import sys

import pytest

import windowpane
from windowpane.context.plan import plan
from windowpane.library import Conversation

NAMES = {
    "ActiveSummary",
    "BadMessages",
    "Budget",
    "ContextPlan",
    "ContextSettings",
    "Conversation",
    "Counter",
    "FilterError",
    "InvalidInput",
    "Message",
    "ModelRequest",
    "Plan",
    "PlanInput",
    "PlanSettings",
    "PlannedTurn",
    "PromptTooLarge",
    "Scope",
    "ToolDefinition",
    "Turn",
    "TurnContent",
    "TurnRange",
    "TurnStanding",
    "TurnWeight",
    "View",
    "WindowpaneError",
    "__version__",
    "assemble",
    "budget_for",
    "count",
    "counter_for",
    "plan",
    "plan_diff",
    "prefix_diff",
    "weigh",
}


def test_the_face_is_these_names_and_no_others() -> None:
    assert set(windowpane.__all__) == NAMES
    assert len(windowpane.__all__) == len(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(windowpane, name) is not None


def test_a_name_is_the_thing_itself() -> None:
    assert windowpane.plan is plan
    assert windowpane.Conversation is Conversation


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'conversation'"):
        _ = windowpane.conversation  # pyright: ignore[reportAttributeAccessIssue]


def loaded_after(statement: str) -> set[str]:
    """Which modules a new interpreter holds after a statement."""
    program = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_importing_windowpane_loads_nothing_else() -> None:
    loaded = loaded_after("import windowpane")
    assert {name for name in loaded if name.startswith("windowpane")} == {"windowpane"}
    assert "msgspec" not in loaded


def test_a_conversation_needs_no_server_and_no_store() -> None:
    loaded = loaded_after("from windowpane import Conversation")
    heavy = {"aiohttp", "litestar", "sqlite3", "psycopg", "genai_prices", "PIL", "splintr", "mcp"}
    assert not loaded & heavy
    parts = {"storage", "providers", "agent", "web", "cli", "workspace"}
    assert not loaded & {f"windowpane.{part}" for part in parts}
