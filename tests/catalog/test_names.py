"""Finding a model by name, and how sure the find is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.catalog import (
    LimitValues,
    Match,
    MatchMode,
    ModelOverride,
    NamePattern,
    find,
    mode_of,
    override_for,
    score,
)
from windowpane.errors import InvalidInput

KNOWN = ["gpt-4", "gpt-4o", "gpt-5", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929"]


@pytest.mark.parametrize(
    ("name", "known", "mode"),
    [
        ("gpt-4o", "gpt-4o", "exact"),
        ("GPT-4o", "gpt-4o", "exact"),
        ("openai/gpt-4o", "gpt-4o", "exact"),
        ("openrouter/openai/gpt-4o", "gpt-4o", "exact"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5", "exact"),
        ("gpt-4o-2024-08-06", "gpt-4o", "fuzzy"),
        ("gpt-4-0613", "gpt-4", "fuzzy"),
        ("gpt-5-latest", "gpt-5", "fuzzy"),
        ("gpt-5-preview-05-06", "gpt-5", "fuzzy"),
        ("openai/gpt-5:free", "gpt-5", "fuzzy"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929", "fuzzy"),
        ("claude-sonnet-4-5@20251101", "claude-sonnet-4-5", "fuzzy"),
        ("gpt-5-ultra", "gpt-5", "catch_all"),
        ("gpt-5.9", "gpt-5", "catch_all"),
        ("gpt-4-1106-preview", "gpt-4", "catch_all"),
    ],
)
def test_a_name_finds_its_model_and_says_how(name: str, known: str, mode: MatchMode) -> None:
    assert find(name, KNOWN) == Match(known, mode)
    assert Match(known, mode).is_reliable == (mode != "catch_all")


@pytest.mark.parametrize("name", ["gpt-45", "gpt", "my-gpt-4o", "gpt-4omni", "", "/", "llama"])
def test_a_name_that_only_looks_alike_finds_nothing(name: str) -> None:
    assert find(name, KNOWN) is None


def test_a_release_beats_a_longer_name_that_only_catches() -> None:
    assert find("gpt-5-mini-2025-08-07", ["gpt-5-mini", "gpt-5"]) == Match("gpt-5-mini", "fuzzy")
    assert find("gpt-5-mini-x", ["gpt-5", "gpt-5-mini"]) == Match("gpt-5-mini", "catch_all")


def test_both_ends_beat_the_end_and_the_end_beats_the_beginning() -> None:
    name = "claude-opus-latest"
    patterns = [
        NamePattern("claude-", "-latest"),
        NamePattern("", "opus-latest"),
        NamePattern("claude-opus", ""),
        NamePattern("claude", ""),
        NamePattern("gpt", ""),
    ]
    assert [score(pattern, name) for pattern in patterns] == [3014, 2011, 1011, 1006, 0]


def test_the_two_ends_of_a_pattern_may_not_overlap() -> None:
    assert score(NamePattern("gpt-4", "4o"), "gpt-4o") == 0


@given(st.text(max_size=30), st.text(min_size=1, max_size=15))
def test_any_name_can_be_asked_for(name: str, known: str) -> None:
    assert mode_of(name, known) in ("exact", "fuzzy", "catch_all", "none")
    match = find(name, [known])
    assert match is None or match.known == known


def override(models: str) -> ModelOverride:
    return ModelOverride(models=models, limits=LimitValues(output_tokens=len(models)))


def test_the_override_that_says_most_about_a_model_is_taken() -> None:
    overrides = [override(models) for models in ("gpt-*", "gpt-5*", "*-mini", "gpt-5-nano")]
    taken = {
        name: found.models
        for name in ("gpt-4o", "gpt-5", "gpt-5-mini", "gpt-5-nano", "openai/gpt-5", "claude")
        if (found := override_for(name, overrides))
    }
    assert taken == {
        "gpt-4o": "gpt-*",
        "gpt-5": "gpt-5*",
        "gpt-5-mini": "*-mini",
        "gpt-5-nano": "gpt-5-nano",
        "openai/gpt-5": "gpt-5*",
    }


@pytest.mark.parametrize("models", ["", "*", "**", "a*b*c"])
def test_an_override_must_name_its_models(models: str) -> None:
    with pytest.raises(InvalidInput, match="at most one"):
        override(models)
