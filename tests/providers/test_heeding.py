"""What of the options would not be in a request, told by the request itself."""

import pytest
from msgspec import Raw, structs

from windowpane.context.request import ToolDefinition
from windowpane.definitions import Family, ProviderDefinition
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.providers.heeding import (
    OptionName,
    Wish,
    heeded_prefill,
    is_search_displaced,
    unheeded,
)

EVERYTHING = RequestOptions(
    temperature=0.5,
    reasoning=ReasoningOptions(effort="high", budget_tokens=2000, summary="auto"),
    has_web_search=True,
    prefill="Sure:",
)
LOOK = ToolDefinition(name="look", description="Looks.", schema=Raw(b'{"type": "object"}'))
CALM = structs.replace(EVERYTHING, reasoning=None)


def wish(family: Family, model: str, options: RequestOptions, *, base_url: str = "") -> Wish:
    definition = ProviderDefinition(
        id="prv_1", name="there", family=family, base_url=base_url, api_key="sk"
    )
    return Wish(
        definition=definition, model=model, max_output_tokens=None, options=options, tools=()
    )


@pytest.mark.parametrize(
    ("family", "model", "base_url", "left_out"),
    [
        ("anthropic", "claude-sonnet-4-5", "", set[OptionName]()),
        ("anthropic", "claude-opus-4-6", "", {"prefill"}),
        ("google", "gemini-2.0-flash", "", set[OptionName]()),
        ("bedrock", "amazon.nova-lite-v1:0", "", {"has_web_search"}),
        ("bedrock", "meta.llama3-70b", "", {"has_web_search", "prefill"}),
        ("openai_responses", "gpt-4o", "", {"prefill"}),
        ("openai_responses", "gpt-5", "", {"prefill", "temperature"}),
        ("openai_chat", "gpt-4o", "", {"prefill", "has_web_search"}),
        ("openai_chat", "mistral-large", "https://api.mistral.ai/v1", {"has_web_search"}),
        ("openai_chat", "anything", "http://127.0.0.1:11434/v1", {"has_web_search"}),
        ("local", "smollm2", "", {"has_web_search"}),
        ("scripted", "scripted", "", set[OptionName]()),
    ],
)
def test_what_a_family_has_no_words_for_is_left_out(
    family: Family, model: str, base_url: str, left_out: set[OptionName]
) -> None:
    asked = wish(family, model, CALM, base_url=base_url)
    assert unheeded(asked) == left_out
    assert heeded_prefill(asked) == ("" if "prefill" in left_out else "Sure:")


def test_a_claude_that_thinks_takes_neither_temperature_nor_a_beginning() -> None:
    asked = wish("anthropic", "claude-sonnet-4-5", EVERYTHING)
    # The number is the more exact, so the level is not told; summaries have no words there.
    assert unheeded(asked) == {"temperature", "prefill", "reasoning_effort", "reasoning_summary"}
    assert heeded_prefill(asked) == ""


def test_a_model_that_does_not_reason_is_not_told_to() -> None:
    options = RequestOptions(reasoning=ReasoningOptions(effort="low"))
    assert unheeded(wish("openai_responses", "gpt-4o", options)) == {"reasoning_effort"}
    assert unheeded(wish("openai_responses", "gpt-5", options)) == set()


def test_a_temperature_that_is_the_familys_own_is_heeded_all_the_same() -> None:
    assert unheeded(wish("local", "smollm2", RequestOptions(temperature=0.2))) == set()
    for temperature in (0.0, 0.5, 1.0):
        options = RequestOptions(temperature=temperature)
        assert unheeded(wish("openai_responses", "gpt-5", options)) == {"temperature"}


def test_what_was_not_asked_for_is_not_missed() -> None:
    assert unheeded(wish("openai_responses", "gpt-5", RequestOptions())) == set()


@pytest.mark.parametrize(
    ("family", "model", "is_displaced"),
    [
        ("google", "gemini-2.5-flash", True),
        ("anthropic", "claude-sonnet-4-5", False),
        ("openai_responses", "gpt-5", False),
        # It has no search with tools or without.
        ("bedrock", "amazon.nova-lite-v1:0", False),
    ],
)
def test_tools_may_keep_a_search_out(family: Family, model: str, is_displaced: bool) -> None:
    alone = wish(family, model, RequestOptions(has_web_search=True))
    assert not is_search_displaced(alone)
    beside = structs.replace(alone, tools=(LOOK,))
    assert is_search_displaced(beside) is is_displaced
    assert ("has_web_search" in unheeded(beside)) is (is_displaced or family == "bedrock")
