"""The longest answer: one number for the plan, the budget and the bytes, thought included."""

import pytest
from msgspec import structs

from tests.providers.asking import asked
from windowpane.catalog import Limit, Limits, catalog_limits
from windowpane.catalog.limits import Source
from windowpane.definitions import Family, ProviderDefinition
from windowpane.options import Effort, ReasoningOptions, RequestOptions
from windowpane.providers.choose import dialect_of
from windowpane.providers.heeding import Wish
from windowpane.providers.room import Room, room_for

SONNET = "claude-sonnet-4-5"
ON_BEDROCK = f"us.anthropic.{SONNET}-20250929-v1:0"
NOVA = "us.amazon.nova-2-lite-v1:0"


def wish(
    *,
    family: Family = "anthropic",
    model: str = SONNET,
    tokens: int | None = None,
    effort: Effort | None = None,
    budget_tokens: int | None = None,
) -> Wish:
    definition = ProviderDefinition(
        id="prv_1", name="there", family=family, base_url="", api_key="sk"
    )
    reasoning = ReasoningOptions(effort=effort, budget_tokens=budget_tokens)
    is_wished = effort is not None or budget_tokens is not None
    options = RequestOptions(reasoning=reasoning if is_wished else None)
    return Wish(
        definition=definition, model=model, max_output_tokens=tokens, options=options, tools=()
    )


def told(wished: Wish) -> int | None:
    limits = catalog_limits(wished.model, provider=None)
    return room_for(wished, limits=limits).told_tokens


@pytest.mark.parametrize(
    ("model", "tokens", "expected"),
    [
        (SONNET, None, 64_000),
        (SONNET, 300, 300),
        ("claude-3-haiku-20240307", None, 4096),
        ("claude-opus-99", None, 32_000),
        ("claude-unheard-of", None, 8192),
    ],
)
def test_claude_is_told_the_limit_wished_for_or_else_its_own(
    model: str, tokens: int | None, expected: int
) -> None:
    assert told(wish(model=model, tokens=tokens)) == expected


@pytest.mark.parametrize(
    ("effort", "budget_tokens", "tokens", "expected"),
    [
        ("high", None, 4096, 20_480),
        ("low", None, 1000, 3048),
        ("xhigh", None, None, 64_000),
        (None, 5000, 1000, 6000),
        ("high", 100, 1000, 2024),
        (None, 100_000, None, 64_000),
        (None, 100_000, 1000, 64_000),
        ("none", 5000, 1000, 1000),
    ],
)
@pytest.mark.parametrize(("family", "model"), [("anthropic", SONNET), ("bedrock", ON_BEDROCK)])
def test_a_budget_for_thought_comes_on_top_of_the_answer_up_to_what_the_model_writes(
    effort: Effort | None,
    budget_tokens: int | None,
    tokens: int | None,
    expected: int,
    family: Family,
    model: str,
) -> None:
    limits = catalog_limits(SONNET, provider=None)
    wished = wish(
        family=family, model=model, tokens=tokens, effort=effort, budget_tokens=budget_tokens
    )
    assert room_for(wished, limits=limits).told_tokens == expected


@pytest.mark.parametrize("source", ["manual", "provider", "learned"])
def test_a_limit_that_somebody_knows_better_beats_the_catalogs(source: Source) -> None:
    limits = Limits(output_tokens=Limit(9000, source))
    assert room_for(wish(), limits=limits).told_tokens == 9000
    assert room_for(wish(tokens=4096, effort="high"), limits=limits).told_tokens == 9000


def test_no_answer_takes_more_than_half_the_window() -> None:
    limits = Limits(
        context_window_tokens=Limit(100_000, "manual"), output_tokens=Limit(64_000, "catalog")
    )
    assert room_for(wish(), limits=limits) == Room(requested_tokens=None, told_tokens=50_000)
    wished = wish(family="openai_chat", model="m", tokens=80_000)
    assert room_for(wished, limits=limits) == Room(requested_tokens=80_000, told_tokens=50_000)


def test_where_no_thought_fits_the_answer_gets_what_was_wished_for() -> None:
    limits = Limits(output_tokens=Limit(1000, "manual"))
    assert room_for(wish(tokens=500, effort="high"), limits=limits).told_tokens == 500


@pytest.mark.parametrize(
    ("family", "model", "effort", "tokens", "expected"),
    [
        ("openai_responses", "gpt-5", "high", 4096, 4096),
        ("google", "gemini-2.5-flash", "high", None, None),
        ("anthropic", "claude-opus-4-6", "high", 4096, 4096),
        ("bedrock", ON_BEDROCK, None, None, None),
        ("bedrock", NOVA, "medium", 4096, 4096),
        # It refuses to be limited, so its own limit is what an answer can cost.
        ("bedrock", NOVA, "high", 4096, None),
    ],
)
def test_elsewhere_thought_counts_against_what_was_wished_for(
    family: Family, model: str, effort: Effort | None, tokens: int | None, expected: int | None
) -> None:
    assert told(wish(family=family, model=model, effort=effort, tokens=tokens)) == expected


@pytest.mark.parametrize(("family", "model"), [("anthropic", SONNET), ("bedrock", ON_BEDROCK)])
def test_the_bytes_say_what_was_decided(family: Family, model: str) -> None:
    wished = wish(family=family, model=model, tokens=1000, effort="low")
    limits = catalog_limits(SONNET, provider=None)
    request = structs.replace(
        asked("Hello?", model=model, system=""),
        max_output_tokens=room_for(wished, limits=limits).told_tokens,
        options=wished.options,
    )
    body = dialect_of(wished.definition).to_wire(request).body
    assert b"3048" in body
    assert b'"budget_tokens":2048' in body
