"""What a model makes of settings, where that may surprise: left out, refused, too much.

Nothing is forbidden here. A setting may be meant for another model; but a person shall not believe
that it acts where it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from windowpane.agent.wishes import tools_give_way, wish_of
from windowpane.catalog.limits import Limits
from windowpane.context.applied import Applied
from windowpane.context.request import ToolDefinition
from windowpane.definitions import ProviderDefinition
from windowpane.providers.heeding import OptionName, Wish, is_search_displaced, unheeded
from windowpane.providers.room import room_for

CLAUDES_MOST_TEMPERATURE = 1.0
NOT_TAKEN: dict[OptionName, str] = {
    "temperature": "{model} takes no temperature, so it is left out.",
    "reasoning_effort": "{model} is not told a level, so it is left out.",
    "reasoning_budget_tokens": "{model} is not told a number of tokens, so it is left out.",
    "reasoning_summary": "{model} is not asked for summaries, so it is left out.",
    "has_web_search": "{model} has no web search here, so it is left out.",
    "prefill": "{model} does not let one begin its answer, so this is left out.",
}
WHILE_REASONING = "{model} does not take it while it reasons, so it is left out."
BESIDE_TOOLS = "{model} does not search while it has tools, so it is left out."


class Remark(Struct, frozen=True, kw_only=True):
    """``key`` is the name of the choice that it is about."""

    key: str
    sentence: str


def remarks(
    settings: Applied,
    *,
    definition: ProviderDefinition,
    limits: Limits,
    tools: Sequence[ToolDefinition],
) -> tuple[Remark, ...]:
    """``tools`` are those that are on and that the model could call."""
    wish = wish_of(settings, definition=definition, tools=tools, uses_long_context=False)
    yielding = tuple(_yielding(wish)) if tools_give_way(settings, wish) else ()
    if yielding:
        wish = structs.replace(wish, tools=())
    told = structs.replace(wish, max_output_tokens=room_for(wish, limits=limits).told_tokens)
    found = (*_left_out(told), *_too_warm(wish), *_too_long(wish, limits), *yielding)
    return tuple(
        Remark(key=key, sentence=sentence.format(model=wish.model)) for key, sentence in found
    )


def _yielding(wish: Wish) -> Iterator[tuple[str, str]]:
    names = " and ".join(tool.name for tool in wish.tools)
    verb = "is" if len(wish.tools) == 1 else "are"
    yield "tools", f"{{model}} takes no tools beside its web search, so {names} {verb} left out."


def _left_out(wish: Wish) -> Iterator[tuple[str, str]]:
    left_out = unheeded(wish)
    calm = structs.replace(wish, options=structs.replace(wish.options, reasoning=None))
    without_reasoning = unheeded(calm)
    for name, sentence in NOT_TAKEN.items():
        if name in left_out:
            is_conflict = name in ("temperature", "prefill") and name not in without_reasoning
            if name == "has_web_search" and is_search_displaced(wish):
                sentence = BESIDE_TOOLS
            yield name, WHILE_REASONING if is_conflict else sentence


def _too_warm(wish: Wish) -> Iterator[tuple[str, str]]:
    temperature = wish.options.temperature
    is_claude = wish.definition.family == "anthropic" or "claude" in wish.model.lower()
    if temperature is not None and temperature > CLAUDES_MOST_TEMPERATURE and is_claude:
        yield "temperature", "{model} takes at most 1, and refuses a request with more."


def _too_long(wish: Wish, limits: Limits) -> Iterator[tuple[str, str]]:
    most, wished = limits.output_tokens.value, wish.max_output_tokens
    if most is not None and wished is not None and wished > most:
        yield (
            "max_output_tokens",
            f"{{model}} writes at most {most:,} tokens, and may refuse a request for more.",
        )
