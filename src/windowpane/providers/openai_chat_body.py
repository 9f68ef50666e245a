"""A planned request in the words of Chat Completions, as JSON that can be shown and sent.

Pure: the same request gives the same bytes. What the servers take differs by ``Host``; how messages
are put is ``openai_chat_messages``', and sending is the adapter's work.
"""

from __future__ import annotations

from windowpane.context.request import ModelRequest
from windowpane.options import Effort, ReasoningOptions, clamped_effort
from windowpane.providers.efforts import supported_efforts, takes_temperature
from windowpane.providers.openai_chat_hosts import Host
from windowpane.providers.openai_chat_messages import chat_tools, sourced_messages
from windowpane.providers.openai_chat_native import Fields
from windowpane.providers.writing import Written, written

USAGE_TOO = {"include_usage": True}


def chat_body(request: ModelRequest, *, host: Host) -> Written:
    options = request.options
    has_usage_option = options.is_streamed and host.has_stream_options
    return written(
        {
            "model": request.model,
            "messages": list(sourced_messages(request, host=host)),
            "tools": chat_tools(request) or None,
            host.limit_name: request.max_output_tokens,
            "temperature": _temperature(request),
            **_reasoning(request, host),
            **(_search(request, host) if options.has_web_search else {}),
            **_prefill(request, host),
            "stream": options.is_streamed,
            "stream_options": USAGE_TOO if has_usage_option else None,
        }
    )


def _temperature(request: ModelRequest) -> float | None:
    if _is_search_model(request.model):
        return None
    wish = request.options.reasoning
    effort = _clamped(wish.effort, supported_efforts(request.model)) if wish else None
    is_taken = takes_temperature(request.model, effort=effort)
    return request.options.temperature if is_taken else None


def _is_search_model(model: str) -> bool:
    """OpenAI's, which also take no temperature."""
    return "-search-" in model


def _reasoning(request: ModelRequest, host: Host) -> Fields:
    wish = request.options.reasoning
    if wish is None:
        return {}
    match host.reasoning:
        case "openrouter":
            return _openrouter_reasoning(wish)
        case "google" if wish.budget_tokens is not None:
            config = {"thinking_budget": wish.budget_tokens}
            return {"extra_body": {"google": {"thinking_config": config}}}
        case "on_or_off":
            is_off = wish.effort == "none"
            level = {} if is_off else _effort(wish, model=request.model, host=host)
            return {"thinking": {"type": "disabled" if is_off else "enabled"}, **level}
        case _:
            return _effort(wish, model=request.model, host=host)


def _openrouter_reasoning(wish: ReasoningOptions) -> Fields:
    """Either a number or a level, the number being the more exact."""
    if wish.budget_tokens is not None:
        return {"reasoning": {"max_tokens": wish.budget_tokens}}
    return {} if wish.effort is None else {"reasoning": {"effort": wish.effort}}


def _effort(wish: ReasoningOptions, *, model: str, host: Host) -> Fields:
    if wish.effort is None:
        return {}
    if host.reasoning == "high_or_none":
        return {"reasoning_effort": "none" if wish.effort == "none" else "high"}
    supported = supported_efforts(model) or host.efforts
    if not supported and host.reasoning != "effort":
        return {}
    return {"reasoning_effort": _clamped(wish.effort, supported)}


def _clamped(effort: Effort | None, supported: tuple[Effort, ...]) -> Effort | None:
    """A model of which nothing is known is told the wish as it is."""
    return clamped_effort(effort, supported) if effort and supported else effort


def _search(request: ModelRequest, host: Host) -> Fields:
    """Models that search by themselves, as Groq's compound and Perplexity's, are not asked to."""
    match host.search:
        case "openai":
            return {"web_search_options": {}} if _is_search_model(request.model) else {}
        case "openrouter":
            return {"plugins": [{"id": "web"}]}
        case "xai":
            return {"search_parameters": {"mode": "auto"}}
        case "unsupported":
            return {}


def _prefill(request: ModelRequest, host: Host) -> Fields:
    if request.prefill and host.prefill == "continue":
        return {"continue_final_message": True, "add_generation_prompt": False}
    return {}
