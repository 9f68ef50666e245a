"""Answers of Chat Completions as they come over the wire, in every server's variant.

Only the fields that are read are named: decoding skips the others without building them.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.providers.decoding import reader_of
from windowpane.providers.openai_chat_native import Fields
from windowpane.usage import TokenUsage


class WireFunction(Struct, gc=False):
    """``input`` is the text of a custom tool, which is no JSON."""

    name: str | None = None
    arguments: str | Fields | None = None
    input: str | None = None


class WireCall(Struct, gc=False):
    """``extra_content``: where Google puts a signature that must come back with the call."""

    index: int | None = None
    id: str | None = None
    function: WireFunction | None = None
    custom: WireFunction | None = None
    extra_content: Fields | None = None


class WireWords(Struct, gc=False):
    text: str | None = None


class WirePart(Struct, gc=False):
    """Mistral: content as a list of parts, some of them reasoning."""

    type: str
    text: str | None = None
    thinking: list[WireWords] | None = None


class WireLink(Struct, gc=False):
    url: str | None = None
    title: str | None = None
    content: str | None = None


class WireAnnotation(WireLink, gc=False):
    """The source stands in a field of its own; some servers leave that level out."""

    type: str | None = None
    url_citation: WireLink | None = None


class WireExecuted(Struct, gc=False):
    """Groq: a tool that ran there. In a stream it is told twice, first without its output."""

    type: str = ""
    name: str | None = None
    arguments: str | Fields | None = None
    output: object = None


class WirePicture(Struct, gc=False):
    image_url: WireLink | None = None


class WireDelta(Struct, gc=False):
    content: str | list[Fields] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[Fields] | None = None
    extra_content: Fields | None = None
    refusal: str | None = None
    tool_calls: list[WireCall] | None = None
    annotations: list[WireAnnotation] | None = None
    executed_tools: list[Fields] | None = None
    images: list[WirePicture] | None = None


class WireChoice(Struct, gc=False):
    """``message`` takes the place of ``delta`` in an answer that is not streamed."""

    index: int = 0
    delta: WireDelta | None = None
    message: WireDelta | None = None
    finish_reason: str | None = None
    error: object = None


class WirePromptDetails(Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class WireCompletionDetails(Struct, gc=False):
    reasoning_tokens: int | None = None


class WireServerTools(Struct, gc=False):
    web_search_requests: int | None = None


class WireUsage(Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_cache_hit_tokens: int | None = None
    num_search_queries: int | None = None
    prompt_tokens_details: WirePromptDetails | None = None
    completion_tokens_details: WireCompletionDetails | None = None
    server_tool_use: WireServerTools | None = None


class WireGroq(Struct, gc=False):
    usage: WireUsage | None = None


class WireChunk(Struct, gc=False):
    """Perplexity and xAI tell their sources beside the choices: addresses, or with titles."""

    id: str | None = None
    choices: list[WireChoice] | None = None
    usage: WireUsage | None = None
    error: object = None
    x_groq: WireGroq | None = None
    citations: list[str] | None = None
    search_results: list[WireLink] | None = None


decoded = reader_of(WireChunk)


def normalised(usage: WireUsage, *, executed_searches: int) -> TokenUsage:
    """Input without what was cached, output with reasoning, as ``TokenUsage`` wants it."""
    prompt_tokens = usage.prompt_tokens or 0
    output_tokens = usage.completion_tokens or 0
    prompt = usage.prompt_tokens_details or WirePromptDetails()
    completion = usage.completion_tokens_details or WireCompletionDetails()
    cache_read_tokens = prompt.cached_tokens or usage.prompt_cache_hit_tokens or 0
    cache_write_tokens = prompt.cache_write_tokens or 0
    reasoning_tokens = completion.reasoning_tokens or 0
    # xAI counts reasoning beside the completion; the total gives it away.
    if usage.total_tokens == prompt_tokens + output_tokens + reasoning_tokens:
        output_tokens += reasoning_tokens
    counted = (usage.server_tool_use or WireServerTools()).web_search_requests
    if counted is None:
        counted = usage.num_search_queries
    return TokenUsage(
        input_tokens=max(0, prompt_tokens - cache_read_tokens - cache_write_tokens),
        output_tokens=output_tokens,
        cache_read_tokens=cache_read_tokens,
        cache_write_tokens=cache_write_tokens,
        reasoning_tokens=reasoning_tokens,
        web_searches=executed_searches if counted is None else counted,
    )
