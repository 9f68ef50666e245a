"""What applies to a send: one value out of all the places where something was chosen.

Pure: the page, the command line and the planner read the same answer, and where it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import msgspec
from msgspec import Struct

from windowpane.choices import (
    CHOICE_NAMES,
    PLACES,
    Choices,
    Level,
    MessageFormat,
    MetadataLine,
    Place,
    Summary,
    Temperature,
    Tokens,
    Turns,
)
from windowpane.options import CacheMode, ReasoningOptions, RequestOptions, WhenFull
from windowpane.settings import ContextSettings
from windowpane.toolbox import Approval, Toolbox, ToolMode, ToolOptions


class Applied(Struct, frozen=True, kw_only=True):
    """Every choice as it applies, by the names of ``Choices``, and the place that made it.

    A budget of None is none. ``topic_message`` is added to the system prompt, whoever chose that.
    """

    model: str
    system_prompt: str
    prefill: str
    temperature: Temperature
    max_output_tokens: Tokens
    reasoning_effort: Level
    reasoning_budget_tokens: Tokens
    reasoning_summary: Summary
    reasoning_turns: Turns
    has_web_search: bool
    message_format: MessageFormat
    message_metadata: tuple[MetadataLine, ...]
    message_template: str
    cache_mode: CacheMode
    when_full: WhenFull
    tool_mode: ToolMode
    tools: dict[str, ToolOptions]
    tool_approvals: dict[str, Approval]
    tool_turns: Turns
    has_title: bool
    title_model: str
    chat_soft_usd: Decimal | None
    chat_hard_usd: Decimal | None
    project_soft_usd: Decimal | None
    project_hard_usd: Decimal | None
    day_soft_usd: Decimal | None
    day_hard_usd: Decimal | None
    topic_message: str
    sources: dict[str, Place]


def applied(chosen: Mapping[Place, Choices], *, topic_message: str) -> Applied:
    """The nearest place that has chosen decides. ``chosen`` holds the defaults, with a model."""
    sources: dict[str, Place] = {name: _decider(name, chosen) for name in CHOICE_NAMES}
    values = {name: getattr(chosen[place], name) for name, place in sources.items()}
    return msgspec.convert({**values, "topic_message": topic_message, "sources": sources}, Applied)


def _decider(name: str, chosen: Mapping[Place, Choices]) -> Place:
    for place in PLACES:
        if place in chosen and getattr(chosen[place], name) is not None:
            return place
    return "default"


def request_options(settings: Applied, *, uses_long_context: bool) -> RequestOptions:
    """What is asked of the model beside the words; a family leaves out what it does not take."""
    temperature = settings.temperature
    return RequestOptions(
        temperature=None if temperature == "model" else temperature,
        reasoning=reasoning_options(settings),
        has_web_search=settings.has_web_search,
        # Some families refuse a space at the end, and an answer begins with its own.
        prefill=settings.prefill.rstrip(),
        uses_long_context=uses_long_context,
    )


def reasoning_options(settings: Applied) -> ReasoningOptions | None:
    """None: the model thinks as it does by default."""
    effort, summary = settings.reasoning_effort, settings.reasoning_summary
    budget_tokens = settings.reasoning_budget_tokens
    if effort == budget_tokens == summary == "model":
        return None
    return ReasoningOptions(
        effort=None if effort == "model" else effort,
        budget_tokens=None if budget_tokens == "model" else budget_tokens,
        summary=None if summary == "model" else summary,
    )


def toolbox_of(settings: Applied) -> Toolbox:
    return Toolbox(mode=settings.tool_mode, tools=settings.tools, approvals=settings.tool_approvals)


def context_settings(settings: Applied) -> ContextSettings:
    output_tokens = settings.max_output_tokens
    return ContextSettings(
        max_output_tokens=None if output_tokens == "model" else output_tokens,
        reasoning_turns=_kept_turns(settings.reasoning_turns),
        tool_turns=_kept_turns(settings.tool_turns),
        cache_mode=settings.cache_mode,
    )


def _kept_turns(turns: Turns) -> int | None:
    return None if turns == "all" else turns
