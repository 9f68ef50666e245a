"""Prices: snapshots that stay true, what is unreliable, what a person sets, what is free."""

from datetime import UTC, datetime
from decimal import Decimal

import genai_prices
import msgspec
import pytest

from windowpane.accounting import Cost, cost_of
from windowpane.catalog import (
    MatchMode,
    ModelOverride,
    PriceSnapshot,
    PriceTier,
    PriceValues,
    Rate,
    catalog_price,
    price_of,
)
from windowpane.definitions import Family, ModelPrices, ProviderDefinition
from windowpane.usage import TokenUsage

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
USAGE = TokenUsage(
    input_tokens=1000, output_tokens=500, cache_read_tokens=10_000, cache_write_tokens=2000
)


def price(model: str, *, base_url: str = "", taken_at: datetime = NOON) -> PriceSnapshot:
    return catalog_price(model, base_url=base_url, taken_at=taken_at)


def definition(base_url: str, *, is_local: bool) -> ProviderDefinition:
    return ProviderDefinition(
        id="prv_1", name="p", family="openai_chat", base_url=base_url, is_local=is_local
    )


def test_the_worked_example_of_opus_costs_four_and_a_half_cents() -> None:
    usage = msgspec.structs.replace(USAGE, web_searches=1)
    assert cost_of(usage, price("claude-opus-4-5")) == Cost(Decimal("0.045"), False)


@pytest.mark.parametrize(
    ("model", "base_url", "match", "matched"),
    [
        ("gpt-4o", "https://api.openai.com/v1", "exact", "openai/gpt-4o"),
        ("openai/gpt-4o", "", "exact", "openai/gpt-4o"),
        ("claude-opus-4-5-20251101", "", "fuzzy", "anthropic/claude-opus-4-5"),
        (
            "openrouter/anthropic/claude-sonnet-4.5",
            "https://openrouter.ai/api/v1",
            "exact",
            "openrouter/anthropic/claude-sonnet-4.5",
        ),
        ("claude-opus-4-5-ultra", "", "catch_all", "anthropic/claude-opus-4-5"),
        ("gpt-4o", "https://gateway.example.com/v1", "catch_all", "openai/gpt-4o"),
        ("my-own-model", "", "none", ""),
    ],
)
def test_a_price_says_how_it_was_found(
    model: str, base_url: str, match: MatchMode, matched: str
) -> None:
    found = price(model, base_url=base_url)
    assert (found.match, found.matched) == (match, matched)
    assert found.is_unreliable == (match in ("catch_all", "none"))


@pytest.mark.parametrize(
    "model",
    [
        *("gpt-5", "gpt-4o", "gpt-4o-mini", "gpt-4-turbo"),
        *("claude-sonnet-4-5-20250929", "claude-opus-4-1", "claude-haiku-4-5"),
        *("claude-3-5-sonnet-20241022", "claude-3-opus-20240229", "claude-3-haiku-20240307"),
        *("gemini-2.5-pro", "gemini-2.5-flash"),
    ],
)
def test_the_models_of_the_design_cost_what_the_package_itself_calculates(model: str) -> None:
    usage = msgspec.structs.replace(USAGE, cache_write_tokens=0)
    theirs = genai_prices.calc_price(
        # Theirs counts cached tokens as input too.
        genai_prices.Usage(
            input_tokens=usage.input_tokens + usage.cache_read_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            output_tokens=usage.output_tokens,
        ),
        model,
        genai_request_timestamp=NOON,
    )
    assert cost_of(usage, price(model)) == Cost(theirs.total_price, False)


def test_a_long_request_pays_the_dearer_tier_for_all_its_tokens() -> None:
    sonnet = price("claude-sonnet-4-5")
    assert sonnet.input == Rate(Decimal(3), (PriceTier(200_000, Decimal(6)),))
    short = TokenUsage(input_tokens=50_000, cache_read_tokens=150_000)
    assert cost_of(short, sonnet).known_usd == Decimal("0.15") + Decimal("0.045")
    long = TokenUsage(input_tokens=50_001, cache_read_tokens=150_000)
    assert cost_of(long, sonnet).known_usd == Decimal("0.300006") + Decimal("0.09")


def test_a_price_that_depends_on_the_hour_is_that_of_the_hour() -> None:
    by_day = price("deepseek-chat", base_url="https://api.deepseek.com")
    by_night = price(
        "deepseek-chat",
        base_url="https://api.deepseek.com",
        taken_at=datetime(2026, 11, 18, 20, tzinfo=UTC),
    )
    assert by_day.input is not None and by_night.input is not None
    assert by_night.input.usd_per_million < by_day.input.usd_per_million


def test_a_price_for_each_request_is_paid_for_each_request() -> None:
    sonar = price("sonar-pro", base_url="https://api.perplexity.ai")
    assert sonar.request_usd > 0
    assert cost_of(TokenUsage(), sonar).known_usd == sonar.request_usd


def test_a_stored_snapshot_gives_the_same_cost_later() -> None:
    for model in ("claude-sonnet-4-5", "gpt-4o", "sonar-pro", "my-own-model"):
        taken = price(model)
        stored = msgspec.json.encode(taken)
        assert msgspec.json.decode(stored, type=PriceSnapshot) == taken


def test_a_local_model_is_free_and_reliably_so() -> None:
    local = price_of(
        "llama3.3",
        definition=definition("http://127.0.0.1:11434/v1", is_local=True),
        told=None,
        override=None,
        taken_at=NOON,
    )
    usage = msgspec.structs.replace(USAGE, web_searches=2, reasoning_tokens=100)
    assert cost_of(usage, local) == Cost(Decimal(0), False)


def test_an_unknown_price_is_not_zero() -> None:
    cost = cost_of(USAGE, price("my-own-model"))
    assert cost.is_unreliable
    assert cost.is_unknown


def test_prices_set_by_hand_replace_those_of_the_catalog() -> None:
    prices = PriceValues(output=Rate(Decimal(20)))
    override = ModelOverride(models="gpt-4o", prices=prices)
    openai = definition("https://api.openai.com/v1", is_local=False)
    manual = price_of("gpt-4o", definition=openai, told=None, override=override, taken_at=NOON)
    assert (manual.source, manual.match) == ("manual", "exact")
    assert (manual.input, manual.output) == (price("gpt-4o").input, Rate(Decimal(20)))


def test_both_main_prices_set_by_hand_make_an_unknown_model_reliable() -> None:
    gateway = definition("https://gateway.example.com/v1", is_local=False)
    only_input = PriceValues(input=Rate(Decimal(1)))
    both = PriceValues(input=Rate(Decimal(1)), output=Rate(Decimal(2)))
    costs = [
        cost_of(
            TokenUsage(input_tokens=1_000_000, output_tokens=500_000),
            price_of(
                "my-own-model",
                definition=gateway,
                told=None,
                override=ModelOverride(models="my-*", prices=prices),
                taken_at=NOON,
            ),
        )
        for prices in (PriceValues(), only_input, both)
    ]
    assert costs == [
        Cost(Decimal(0), True),
        Cost(Decimal(1), True),
        Cost(Decimal(2), False),
    ]


def test_what_a_provider_says_it_charges_beats_the_catalog() -> None:
    openrouter = definition("https://openrouter.ai/api/v1", is_local=False)
    told = ModelPrices(input_usd=Decimal(3), output_usd=Decimal(9), cache_read_usd=Decimal("0.3"))
    found = price_of(
        "some/unheard-of-model", definition=openrouter, told=told, override=None, taken_at=NOON
    )
    assert (found.source, found.is_unreliable) == ("provider", False)
    assert (found.input, found.output) == (Rate(Decimal(3)), Rate(Decimal(9)))
    assert found.cache_read == Rate(Decimal("0.3"))


@pytest.mark.parametrize(
    ("family", "base_url", "model"),
    [
        ("anthropic", "", "claude-sonnet-4-5"),
        ("anthropic", "bedrock:eu-central-1", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("bedrock", "us-west-2", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("google", "", "gemini-2.5-pro"),
        ("openai_responses", "", "gpt-5"),
    ],
)
def test_a_definition_without_an_address_has_the_prices_of_its_family(
    family: Family, base_url: str, model: str
) -> None:
    made = ProviderDefinition(id="prv_1", name="test", family=family, base_url=base_url)
    found = price_of(model, definition=made, told=None, override=None, taken_at=NOON)
    assert found.source == "catalog"
    assert not found.is_unreliable
