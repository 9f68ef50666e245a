"""Windowpane: a self-hosted AI chat workspace in which you see exactly what the model sees.

As a library: ``from windowpane import Conversation``. The names below are its whole face; each is
imported when it is first used, so that ``import windowpane`` itself costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windowpane.context.assemble import assemble
    from windowpane.context.budget import Budget, budget_for
    from windowpane.context.diff import plan_diff, prefix_diff
    from windowpane.context.given import ActiveSummary, PlanInput, PlanSettings, View
    from windowpane.context.plan import ContextPlan, plan
    from windowpane.context.request import ModelRequest, ToolDefinition
    from windowpane.context.scope import Scope
    from windowpane.context.states import PlannedTurn, TurnRange, TurnStanding
    from windowpane.context.weights import TurnWeight, weigh
    from windowpane.errors import InvalidInput, PromptTooLarge, WindowpaneError
    from windowpane.filters import FilterError
    from windowpane.library import BadMessages, Conversation, Plan, count
    from windowpane.messages import Message
    from windowpane.settings import ContextSettings
    from windowpane.tokens import Counter, counter_for
    from windowpane.turns import Turn, TurnContent

__version__ = "0.1.0"

__all__ = [
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
]

_HOMES = {
    "context.assemble": ("assemble",),
    "context.budget": ("Budget", "budget_for"),
    "context.diff": ("plan_diff", "prefix_diff"),
    "context.given": ("ActiveSummary", "PlanInput", "PlanSettings", "View"),
    "context.plan": ("ContextPlan", "plan"),
    "context.request": ("ModelRequest", "ToolDefinition"),
    "context.scope": ("Scope",),
    "context.states": ("PlannedTurn", "TurnRange", "TurnStanding"),
    "context.weights": ("TurnWeight", "weigh"),
    "errors": ("InvalidInput", "PromptTooLarge", "WindowpaneError"),
    "filters": ("FilterError",),
    "library": ("BadMessages", "Conversation", "Plan", "count"),
    "messages": ("Message",),
    "settings": ("ContextSettings",),
    "tokens": ("Counter", "counter_for"),
    "turns": ("Turn", "TurnContent"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"windowpane.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'windowpane' has no attribute {name!r}")
