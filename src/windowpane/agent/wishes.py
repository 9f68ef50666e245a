"""What settings ask of a model, and which of two things gives way that it does not take together.

Gemini searches only without tools. Whoever switched the search on has chosen it; a tool that is on
because nobody said otherwise was not chosen, so it gives way. Where tools were chosen too, they
stay: the search is left out, and a remark says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from windowpane.context.applied import Applied, context_settings, request_options
from windowpane.context.request import ToolDefinition
from windowpane.definitions import ProviderDefinition
from windowpane.providers.heeding import Wish, is_search_displaced


def wish_of(
    settings: Applied,
    *,
    definition: ProviderDefinition,
    tools: Sequence[ToolDefinition],
    uses_long_context: bool,
) -> Wish:
    return Wish(
        definition=definition,
        model=settings.model.partition("/")[2],
        max_output_tokens=context_settings(settings).max_output_tokens,
        options=request_options(settings, uses_long_context=uses_long_context),
        tools=tuple(tools),
    )


def tools_give_way(settings: Applied, wish: Wish) -> bool:
    are_by_default = all(settings.sources[name] == "default" for name in ("tools", "tool_mode"))
    return are_by_default and is_search_displaced(wish)
