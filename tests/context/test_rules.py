"""Choices that do not fit are refused with a sentence that says what would."""

from decimal import Decimal

import pytest

from windowpane.choices import CHAT_NAMES, CHOICE_NAMES, TOPIC_NAMES, Choices, Place
from windowpane.context.rules import MOST_CHARACTERS, check_choices
from windowpane.errors import BadChoice
from windowpane.settings import DEFAULT_CHOICES

FITTING = Choices(
    model="anthropic/claude-sonnet-4-5",
    system_prompt="Be brief.",
    prefill="Sure:",
    temperature=2.0,
    max_output_tokens=1,
    reasoning_effort="none",
    reasoning_budget_tokens=1024,
    reasoning_summary="detailed",
    reasoning_turns=0,
    has_web_search=True,
    message_format="template",
    message_metadata=("model", "timestamp_utc", "cost"),
    message_template="{{#hasCurrentCost}}{{currentCost}}{{/hasCurrentCost}} {{userMessage}}",
    cache_mode="all-off",
    when_full="ask",
    tool_mode="manual",
    tools={"memory": {"system_prompt": True}, "git.log": {"model": "a/b"}},
    tool_approvals={"javascript": "ask"},
    tool_turns="all",
    has_title=False,
    title_model="cheap",
    chat_soft_usd=Decimal("0.5"),
    chat_hard_usd=Decimal("0.5"),
    project_soft_usd=Decimal(1),
    project_hard_usd=Decimal(2),
    day_soft_usd=Decimal("0.01"),
    day_hard_usd=Decimal(3),
)


def test_what_fits_a_project_is_taken() -> None:
    check_choices(FITTING, place="project")
    check_choices(DEFAULT_CHOICES, place="project")


@pytest.mark.parametrize(
    ("choices", "key", "sentence"),
    [
        (Choices(temperature=2.1), "temperature", "2.1 does not fit temperature. It takes a"),
        (Choices(temperature=float("nan")), "temperature", "a number from 0 to 2"),
        (Choices(temperature=-0.1), "temperature", "a number from 0 to 2"),
        (Choices(max_output_tokens=0), "max_output_tokens", "above 0, or model for its own"),
        (Choices(max_output_tokens=2**70), "max_output_tokens", "a whole number of tokens"),
        (Choices(reasoning_budget_tokens=-1), "reasoning_budget_tokens", "above 0"),
        (Choices(reasoning_turns=-1), "reasoning_turns", "0 or more, or all"),
        (Choices(tool_turns=-1), "tool_turns", "0 or more, or all"),
        (Choices(model="gpt-5"), "model", "provider/model"),
        (Choices(title_model="dear"), "title_model", "or cheap for the provider's cheap model"),
        (
            Choices(message_metadata=("timestamp", "timestamp_utc")),
            "message_metadata",
            "one timestamp at most",
        ),
        (Choices(system_prompt="x" * (MOST_CHARACTERS + 1)), "system_prompt", "… does not"),
        (Choices(message_template="Hello"), "message_template", "Put {{userMessage}} into it"),
        (Choices(message_template="{{user}}"), "message_template", "There is no {{user}}"),
        (Choices(tools={"no good": {}}), "tools", "tools with their options"),
        (Choices(tool_approvals={"": "ask"}), "tool_approvals", "always, ask or never"),
        (Choices(chat_hard_usd=Decimal(0)), "chat_hard_usd", "an amount in US dollars above 0"),
        (Choices(day_soft_usd=Decimal("NaN")), "day_soft_usd", "an amount in US dollars"),
        (Choices(day_soft_usd=Decimal("inf")), "day_soft_usd", "an amount in US dollars"),
        (
            Choices(project_soft_usd=Decimal(3), project_hard_usd=Decimal(2)),
            "project_soft_usd",
            "The soft budget of $3 is above the hard one of $2",
        ),
    ],
)
def test_what_does_not_fit_is_named_with_what_it_takes(
    choices: Choices, key: str, sentence: str
) -> None:
    with pytest.raises(BadChoice) as refused:
        check_choices(choices, place="project")
    assert refused.value.key == key
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("place", "allowed"),
    [("chat", CHAT_NAMES), ("topic", TOPIC_NAMES), ("project", frozenset(CHOICE_NAMES))],
)
def test_each_place_takes_only_what_is_its_own(place: Place, allowed: frozenset[str]) -> None:
    for name in CHOICE_NAMES:
        alone = Choices(**{name: getattr(FITTING, name)})
        if name in allowed:
            check_choices(alone, place=place)
        else:
            with pytest.raises(BadChoice, match=f"{name} cannot be chosen for a {place}"):
                check_choices(alone, place=place)
