import pytest

from windowpane.options import EFFORTS, Effort, clamped_effort
from windowpane.providers.efforts import is_sealed, supported_efforts, takes_temperature

THINKING = {
    "o1": "low medium high",
    "o3-mini-2025-01-31": "low medium high",
    "o4-mini": "low medium high",
    "o4-mini-deep-research": "medium",
    "codex-mini-latest": "low medium high",
    "gpt-5": "minimal low medium high",
    "gpt-5-nano-2025-08-07": "minimal low medium high",
    "gpt-5-pro": "high",
    "gpt-5-codex": "low medium high",
    "gpt-5.1": "none low medium high",
    "gpt-5.1-chat-latest": "medium",
    "gpt-5.1-codex-mini": "low medium high",
    "gpt-5.1-codex-max": "low medium high xhigh",
    "gpt-5.2-2025-12-11": "none low medium high xhigh",
    "gpt-5.2-pro": "medium high xhigh",
    "gpt-5.3-codex": "low medium high xhigh",
    "gpt-5.10": "none low medium high xhigh",
    "gpt-6-mini": "none low medium high xhigh",
    "openai/GPT-5": "minimal low medium high",
    "openai.gpt-5.6-luna": "none low medium high xhigh",
    "our-o3-mini-in-sweden": "low medium high",
    "openai.gpt-oss-120b-1:0": "low medium high",
    "grok-3-mini": "low high",
    "grok-4.3": "none low medium high",
    "grok-4.5": "low medium high",
    "deepseek-v4-flash": "low medium high xhigh",
}
PLAIN = [
    "gpt-4o",
    "gpt-4.1-nano",
    "gpt-35-turbo",
    "chatgpt-4o-latest",
    "gpt-5-chat-latest",
    "grok-3",
    "grok-4-fast",
    "foo1",
    "llama-3.3-70b",
    "",
]


@pytest.mark.parametrize(("model", "efforts"), THINKING.items())
def test_a_thinking_model_says_what_it_takes(model: str, efforts: str) -> None:
    assert supported_efforts(model) == tuple(efforts.split())


@pytest.mark.parametrize("model", THINKING)
def test_efforts_go_from_the_least_to_the_most(model: str) -> None:
    places = [EFFORTS.index(effort) for effort in supported_efforts(model)]
    assert places == sorted(places)


@pytest.mark.parametrize("model", PLAIN)
def test_a_model_that_does_not_think_takes_no_effort(model: str) -> None:
    assert supported_efforts(model) == ()
    assert not is_sealed(model)


@pytest.mark.parametrize(
    ("model", "wish", "given"),
    [
        ("gpt-5-pro", "low", "high"),
        ("gpt-5", "none", "minimal"),
        ("gpt-5.1", "minimal", "none"),
        ("gpt-5.1", "xhigh", "high"),
        ("grok-3-mini", "medium", "low"),
        ("o3", "xhigh", "high"),
    ],
)
def test_a_wish_becomes_what_the_model_takes(model: str, wish: Effort, given: Effort) -> None:
    assert clamped_effort(wish, supported_efforts(model)) == given


def test_a_temperature_is_for_models_that_do_not_think_out_of_sight() -> None:
    assert takes_temperature("gpt-4o", effort=None)
    assert takes_temperature("gpt-oss-20b", effort="high")
    assert takes_temperature("gpt-5.2", effort="none")
    assert not takes_temperature("gpt-5.2", effort=None)
    assert not takes_temperature("o3-mini", effort="low")
