"""What a person chooses about sends: in a project, for a topic, in a chat, or for one send.

Every place holds the same value, and what it leaves open the place above it decides. Which of
them applies is ``context.applied``'s; which values fit is ``context.rules``'s.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct, structs

from windowpane.options import CacheMode, Effort, ReasoningSummary, WhenFull
from windowpane.toolbox import Approval, ToolMode, ToolOptions

# From the nearest to the farthest: the first that has chosen decides.
Place = Literal["send", "chat", "topic", "project", "default"]
PLACES: tuple[Place, ...] = ("send", "chat", "topic", "project", "default")

MessageFormat = Literal["plain", "metadata", "template"]
MetadataLine = Literal[
    "timestamp", "timestamp_utc", "timestamp_relative", "model", "context", "cost"
]

# The title model that stands for the provider's cheap one; a model's name has a slash.
CHEAP = "cheap"

# The description completes the sentence "it takes …" when a value does not fit.
Words = Annotated[str, Meta(description="text")]
ModelName = Annotated[str, Meta(description="a model's full name: provider/model")]
Temperature = Annotated[
    float | Literal["model"], Meta(description="a number from 0 to 2, or model for its own")
]
Tokens = Annotated[
    int | Literal["model"],
    Meta(description="a whole number of tokens above 0, or model for its own"),
]
Level = Annotated[
    Effort | Literal["model"],
    Meta(description="none, minimal, low, medium, high, xhigh, or model for its own"),
]
Summary = Annotated[
    ReasoningSummary | Literal["model"],
    Meta(description="auto, concise, detailed, or model for its own"),
]
Turns = Annotated[
    int | Literal["all"], Meta(description="a whole number of turns, 0 or more, or all")
]
Switch = Annotated[bool, Meta(description="true or false")]
Format = Annotated[MessageFormat, Meta(description="plain, metadata or template")]
Lines = Annotated[
    tuple[MetadataLine, ...],
    Meta(
        description="one timestamp at most (timestamp, timestamp_utc or timestamp_relative), "
        "and any of model, context and cost"
    ),
]
Caching = Annotated[CacheMode, Meta(description="all-off, system or cached")]
Fullness = Annotated[WhenFull, Meta(description="compress, slide or ask")]
Mode = Annotated[ToolMode, Meta(description="auto, cached, all-on, all-off or manual")]
Tools = Annotated[
    dict[str, ToolOptions],
    Meta(description='tools with their options, such as {"memory": {"system_prompt": true}}'),
]
Approvals = Annotated[
    dict[str, Approval],
    Meta(description='always, ask or never for each tool, such as {"javascript": "ask"}'),
]
TitleModel = Annotated[
    str, Meta(description="a model's full name, or cheap for the provider's cheap model")
]
Dollars = Annotated[Decimal, Meta(description="an amount in US dollars above 0")]


class Choices(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """None: not chosen here. ``model`` and ``all`` are choices: the model's own value, for ever.

    ``tools`` holds the tools that are switched on, each with its options, as plain data.
    ``has_title``: whether a model names the chat.
    """

    model: ModelName | None = None
    system_prompt: Words | None = None
    prefill: Words | None = None
    temperature: Temperature | None = None
    max_output_tokens: Tokens | None = None
    reasoning_effort: Level | None = None
    reasoning_budget_tokens: Tokens | None = None
    reasoning_summary: Summary | None = None
    reasoning_turns: Turns | None = None
    has_web_search: Switch | None = None
    message_format: Format | None = None
    message_metadata: Lines | None = None
    message_template: Words | None = None
    cache_mode: Caching | None = None
    when_full: Fullness | None = None
    tool_mode: Mode | None = None
    tools: Tools | None = None
    tool_approvals: Approvals | None = None
    tool_turns: Turns | None = None
    has_title: Switch | None = None
    title_model: TitleModel | None = None
    chat_soft_usd: Dollars | None = None
    chat_hard_usd: Dollars | None = None
    project_soft_usd: Dollars | None = None
    project_hard_usd: Dollars | None = None
    day_soft_usd: Dollars | None = None
    day_hard_usd: Dollars | None = None


NOTHING_CHOSEN = Choices()
CHOICE_NAMES: tuple[str, ...] = Choices.__struct_fields__

# What acts for the turns of a topic; its system message is no choice, it is added.
TOPIC_NAMES = frozenset(
    {
        "model",
        "temperature",
        "max_output_tokens",
        "reasoning_effort",
        "reasoning_budget_tokens",
        "reasoning_summary",
        "has_web_search",
    }
)
# Sums over more than one chat, which no single chat may change.
PROJECT_NAMES = frozenset({"project_soft_usd", "project_hard_usd", "day_soft_usd", "day_hard_usd"})
CHAT_NAMES = frozenset(CHOICE_NAMES) - PROJECT_NAMES


def chosen_names(choices: Choices) -> tuple[str, ...]:
    return tuple(name for name in CHOICE_NAMES if getattr(choices, name) is not None)


def with_changes(choices: Choices, changes: Choices, *, names: Iterable[str]) -> Choices:
    """What ``changes`` says of some names, None included: that takes a choice away."""
    return structs.replace(choices, **{name: getattr(changes, name) for name in names})


def choice_types() -> dict[str, object]:
    """What each choice takes, without the None that stands for no choice."""
    return {field.name: get_args(field.type)[0] for field in structs.fields(Choices)}


def wanted(name: str) -> str:
    """Completes "it takes …"."""
    metas = (meta for meta in get_args(choice_types()[name]) if isinstance(meta, Meta))
    return next(meta.description or "" for meta in metas)
