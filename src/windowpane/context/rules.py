"""Which choices fit, and where: a sentence for each that does not.

Only what can be said without a model; what a model makes of a choice is ``agent.remarks``'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeVar

from windowpane.choices import (
    CHAT_NAMES,
    CHEAP,
    CHOICE_NAMES,
    TOPIC_NAMES,
    Choices,
    MetadataLine,
    Place,
    Temperature,
    Tokens,
    Turns,
    chosen_names,
    wanted,
)
from windowpane.context.phrasing import check_template
from windowpane.errors import BadChoice, InvalidInput

T = TypeVar("T")

MOST_TEMPERATURE = 2.0
MOST_TOKENS = 100_000_000
MOST_TURNS = 1_000_000
MOST_USD = Decimal(1_000_000)
MOST_CHARACTERS = 500_000
MOST_TOOLS = 500
NAME_CHARACTERS = 500
SHOWN_CHARACTERS = 40
TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
ALLOWED: dict[Place, frozenset[str]] = {
    "send": CHAT_NAMES,
    "chat": CHAT_NAMES,
    "topic": TOPIC_NAMES,
    "project": frozenset(CHOICE_NAMES),
}
TIMESTAMPS = frozenset({"timestamp", "timestamp_utc", "timestamp_relative"})


def check_choices(choices: Choices, *, place: Place) -> None:
    """Raises ``BadChoice``, which names the choice and says what it takes."""
    fitting = _fitting(choices)
    for name in chosen_names(choices):
        if name not in ALLOWED[place]:
            raise BadChoice(name, f"{name} cannot be chosen for a {place}.")
        if not fitting.get(name, True):
            shown = _shown(getattr(choices, name))
            raise BadChoice(name, f"{shown} does not fit {name}. It takes {wanted(name)}.")
    _check_template(choices)
    _check_budgets(choices)


def _fitting(choices: Choices) -> dict[str, bool]:
    """Those whose type alone does not make them fit."""
    return {
        "model": _fits(choices.model, _is_model),
        "system_prompt": _fits(choices.system_prompt, _is_text),
        "prefill": _fits(choices.prefill, _is_text),
        "temperature": _fits(choices.temperature, _is_temperature),
        "max_output_tokens": _fits(choices.max_output_tokens, _is_tokens),
        "reasoning_budget_tokens": _fits(choices.reasoning_budget_tokens, _is_tokens),
        "reasoning_turns": _fits(choices.reasoning_turns, _is_turns),
        "message_metadata": _fits(choices.message_metadata, _is_metadata),
        "message_template": _fits(choices.message_template, _is_text),
        "tools": _fits(choices.tools, _are_tools),
        "tool_approvals": _fits(choices.tool_approvals, _are_tools),
        "tool_turns": _fits(choices.tool_turns, _is_turns),
        "title_model": _fits(choices.title_model, _is_title_model),
        "chat_soft_usd": _fits(choices.chat_soft_usd, _is_amount),
        "chat_hard_usd": _fits(choices.chat_hard_usd, _is_amount),
        "project_soft_usd": _fits(choices.project_soft_usd, _is_amount),
        "project_hard_usd": _fits(choices.project_hard_usd, _is_amount),
        "day_soft_usd": _fits(choices.day_soft_usd, _is_amount),
        "day_hard_usd": _fits(choices.day_hard_usd, _is_amount),
    }


def _fits(value: T | None, is_fitting: Callable[[T], bool]) -> bool:
    return value is None or is_fitting(value)


def _check_template(choices: Choices) -> None:
    if choices.message_template is not None:
        try:
            check_template(choices.message_template)
        except InvalidInput as error:
            raise BadChoice("message_template", str(error)) from error


def _check_budgets(choices: Choices) -> None:
    for name, soft, hard in (
        ("chat_soft_usd", choices.chat_soft_usd, choices.chat_hard_usd),
        ("project_soft_usd", choices.project_soft_usd, choices.project_hard_usd),
        ("day_soft_usd", choices.day_soft_usd, choices.day_hard_usd),
    ):
        if soft is not None and hard is not None and soft > hard:
            raise BadChoice(
                name,
                f"The soft budget of ${soft} is above the hard one of ${hard}, "
                "so it would never warn. Lower it.",
            )


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def _is_text(text: str) -> bool:
    return len(text) <= MOST_CHARACTERS


def _is_model(name: str) -> bool:
    provider, _, model = name.partition("/")
    return bool(provider and model) and len(name) <= NAME_CHARACTERS


def _is_title_model(name: str) -> bool:
    return name == CHEAP or _is_model(name)


def _is_temperature(value: Temperature) -> bool:
    return value == "model" or 0 <= value <= MOST_TEMPERATURE


def _is_tokens(value: Tokens) -> bool:
    return value == "model" or 1 <= value <= MOST_TOKENS


def _is_turns(value: Turns) -> bool:
    return value == "all" or 0 <= value <= MOST_TURNS


def _is_metadata(lines: tuple[MetadataLine, ...]) -> bool:
    return len(TIMESTAMPS.intersection(lines)) <= 1


def _are_tools(tools: Mapping[str, object]) -> bool:
    return len(tools) <= MOST_TOOLS and all(TOOL_NAME.fullmatch(name) for name in tools)


def _is_amount(usd: Decimal) -> bool:
    return usd.is_finite() and 0 < usd <= MOST_USD
