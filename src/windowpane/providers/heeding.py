"""Which options leave no trace in a request, because the model's family has no words for them.

Found by writing the request with an option and again without it, so that what is said here cannot
differ from the bytes that are sent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct, structs

from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.definitions import ProviderDefinition
from windowpane.messages import Message
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import Text
from windowpane.providers.choose import dialect_of

OptionName = Literal[
    "temperature",
    "reasoning_effort",
    "reasoning_budget_tokens",
    "reasoning_summary",
    "has_web_search",
    "prefill",
]
NO_REASONING = ReasoningOptions()
# Any message will do: it is written and never sent.
QUESTION = Message(
    id="question",
    role="user",
    parts=(Text(text="?"),),
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


class Wish(Struct, frozen=True, kw_only=True):
    """What is asked of which model."""

    definition: ProviderDefinition
    model: str
    max_output_tokens: int | None
    options: RequestOptions
    tools: tuple[ToolDefinition, ...]


def unheeded(wish: Wish) -> frozenset[OptionName]:
    """The options that were asked for and would not be in the request."""
    asked = _written(wish)
    return frozenset(
        name
        for name, options in _otherwise(wish.options).items()
        if options != wish.options and _written(structs.replace(wish, options=options)) == asked
    )


def is_search_displaced(wish: Wish) -> bool:
    """Whether a web search was asked for and would be in the request, were it not for the tools."""
    if not (wish.options.has_web_search and wish.tools):
        return False
    alone = structs.replace(wish, tools=())
    return "has_web_search" in unheeded(wish) and "has_web_search" not in unheeded(alone)


def heeded_prefill(wish: Wish) -> str:
    """The beginning of the answer, if the model would be given it."""
    prefill = wish.options.prefill
    return "" if not prefill or "prefill" in unheeded(wish) else prefill


def _otherwise(options: RequestOptions) -> dict[OptionName, RequestOptions]:
    replace = structs.replace
    reasoning = options.reasoning or NO_REASONING
    return {
        # Another one instead of none: a family may have the same for its default.
        "temperature": replace(options, temperature=_other(options.temperature)),
        "reasoning_effort": _reasoning(options, replace(reasoning, effort=None)),
        "reasoning_budget_tokens": _reasoning(options, replace(reasoning, budget_tokens=None)),
        "reasoning_summary": _reasoning(options, replace(reasoning, summary=None)),
        "has_web_search": replace(options, has_web_search=False),
        "prefill": replace(options, prefill=""),
    }


def _other(temperature: float | None) -> float | None:
    if temperature is None:
        return None
    return 1.0 if temperature == 0.5 else 0.5


def _reasoning(options: RequestOptions, reasoning: ReasoningOptions) -> RequestOptions:
    return structs.replace(options, reasoning=None if reasoning == NO_REASONING else reasoning)


def _written(wish: Wish) -> object:
    definition = wish.definition
    request = ModelRequest(
        model=wish.model,
        system="",
        messages=(QUESTION,),
        tools=wish.tools,
        max_output_tokens=wish.max_output_tokens,
        options=wish.options,
    )
    match definition.family:
        case "scripted":
            # A script is given the request as it is.
            return wish.options
        case "local":
            from windowpane.providers.local import local_body

            return local_body(request, base_url=definition.base_url).body
        case _:
            return dialect_of(definition).to_wire(request).body
