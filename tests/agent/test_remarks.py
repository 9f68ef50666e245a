"""What a person is told of settings that a model would not heed."""

import pytest

from windowpane.agent.equipment import standing_tools
from windowpane.agent.remarks import Remark, remarks
from windowpane.catalog import UNKNOWN_LIMITS, Limit, Limits
from windowpane.choices import Choices
from windowpane.context.applied import applied, toolbox_of
from windowpane.definitions import Family, ProviderDefinition
from windowpane.settings import DEFAULT_CHOICES


def told(
    choices: Choices, *, family: Family, limits: Limits = UNKNOWN_LIMITS
) -> tuple[Remark, ...]:
    definition = ProviderDefinition(id="prv_1", name="there", family=family, api_key="sk")
    settings = applied({"project": choices, "default": DEFAULT_CHOICES}, topic_message="")
    tools = standing_tools(definition, toolbox_of(settings))
    return remarks(settings, definition=definition, limits=limits, tools=tools)


@pytest.mark.parametrize(
    ("family", "choices", "key", "sentence"),
    [
        (
            "openai_responses",
            Choices(model="there/gpt-5", temperature=0.2),
            "temperature",
            "gpt-5 takes no temperature, so it is left out.",
        ),
        (
            "openai_responses",
            Choices(model="there/gpt-4o", prefill="Sure"),
            "prefill",
            "gpt-4o does not let one begin its answer, so this is left out.",
        ),
        (
            "anthropic",
            Choices(model="there/claude-sonnet-4-5", prefill="Sure", reasoning_budget_tokens=2000),
            "prefill",
            "claude-sonnet-4-5 does not take it while it reasons, so it is left out.",
        ),
        (
            "anthropic",
            Choices(model="there/claude-sonnet-4-5", temperature=1.5),
            "temperature",
            "claude-sonnet-4-5 takes at most 1, and refuses a request with more.",
        ),
        (
            "google",
            Choices(model="there/gemini-2.5-flash", has_web_search=True),
            "tools",
            "gemini-2.5-flash takes no tools beside its web search, so recall is left out.",
        ),
        (
            "google",
            Choices(model="there/gemini-2.5-flash", has_web_search=True, tools={"recall": {}}),
            "has_web_search",
            "gemini-2.5-flash does not search while it has tools, so it is left out.",
        ),
        (
            "bedrock",
            Choices(model="there/meta.llama3-70b", has_web_search=True),
            "has_web_search",
            "meta.llama3-70b has no web search here, so it is left out.",
        ),
    ],
)
def test_a_setting_that_will_not_act_is_remarked_on(
    family: Family, choices: Choices, key: str, sentence: str
) -> None:
    assert told(choices, family=family) == (Remark(key=key, sentence=sentence),)


def test_more_output_than_the_model_can_write_is_warned_of_and_not_refused() -> None:
    limits = Limits(output_tokens=Limit(64_000, "catalog"))
    choices = Choices(model="there/claude-sonnet-4-5", max_output_tokens=64_001)
    [remark] = told(choices, family="anthropic", limits=limits)
    assert remark.key == "max_output_tokens"
    assert remark.sentence == (
        "claude-sonnet-4-5 writes at most 64,000 tokens, and may refuse a request for more."
    )
    allowed = Choices(model="there/claude-sonnet-4-5", max_output_tokens=64_000)
    assert told(allowed, family="anthropic", limits=limits) == ()


def test_settings_that_act_are_not_remarked_on() -> None:
    choices = Choices(
        model="there/claude-sonnet-4-5", temperature=0.3, prefill="Sure", has_web_search=True
    )
    assert told(choices, family="anthropic") == ()
