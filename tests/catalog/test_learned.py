"""What a refusal and a response's headers teach about limits."""

import pytest

from windowpane.catalog import LimitValues, limits_in_headers, overflow_numbers

WINDOW, INPUT = "context_window_tokens", "input_tokens"


@pytest.mark.parametrize(
    ("message", "field", "limit_tokens", "sent_tokens"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", WINDOW, 200_000, 208_310),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, "
            "decrease input length or `max_tokens` and try again",
            WINDOW,
            200_000,
            209_573,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages "
            "resulted in 8227 tokens. Please reduce the length of the messages.",
            WINDOW,
            8192,
            8227,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 "
            "tokens (8000 in the messages, 1000 in the completion).",
            WINDOW,
            8192,
            9000,
        ),
        (
            "This endpoint's maximum context length is 128000 tokens. However, you requested "
            "about 150000 tokens",
            WINDOW,
            128_000,
            150_000,
        ),
        ("maximum context length is 131,072 tokens", WINDOW, 131_072, None),
        (
            "The input token count (132478) exceeds the maximum number of tokens allowed (131072).",
            INPUT,
            131_072,
            132_478,
        ),
        (
            "The input token count exceeds the maximum number of tokens allowed 1048576.",
            INPUT,
            1_048_576,
            None,
        ),
        (
            "the request (5120 tokens) exceeds the available context size (4096 tokens), "
            "try increasing it",
            WINDOW,
            4096,
            5120,
        ),
    ],
)
def test_an_overflow_message_teaches_the_limit_and_what_was_sent(
    message: str, field: str, limit_tokens: int, sent_tokens: int | None
) -> None:
    numbers = overflow_numbers(message)
    assert numbers is not None
    assert (numbers.limit_tokens, numbers.sent_tokens) == (limit_tokens, sent_tokens)
    assert numbers.limits == LimitValues(**{field: limit_tokens})


@pytest.mark.parametrize(
    "message",
    [
        "Input is too long for requested model.",
        "Your input exceeds the context window of this model. Please adjust your input.",
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000.",
        "",
    ],
)
def test_a_message_without_numbers_teaches_none(message: str) -> None:
    assert overflow_numbers(message) is None


def test_headers_teach_the_quotas_of_a_minute() -> None:
    openai = {"x-ratelimit-limit-tokens": "30000", "x-ratelimit-limit-requests": "500"}
    assert limits_in_headers(openai, provider="openai") == LimitValues(
        tokens_per_minute=30_000, requests_per_minute=500
    )
    anthropic = {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-input-tokens-limit": "30000",
        "anthropic-ratelimit-tokens-limit": "38000",
    }
    assert limits_in_headers(anthropic, provider="anthropic") == LimitValues(
        tokens_per_minute=30_000, requests_per_minute=50
    )


def test_requests_of_a_day_are_not_taken_for_those_of_a_minute() -> None:
    groq = {"x-ratelimit-limit-tokens": "6000", "x-ratelimit-limit-requests": "14400"}
    for provider in ("groq", None):
        taught = limits_in_headers(groq, provider=provider)
        assert taught == LimitValues(tokens_per_minute=6000)


def test_headers_without_numbers_teach_nothing() -> None:
    assert limits_in_headers({}, provider=None) == LimitValues()
    for odd in ("unlimited", "", "0", "-1", "1.5", "9" * 5000, "٣"):
        headers = {"x-ratelimit-limit-tokens": odd}
        assert limits_in_headers(headers, provider="openai") == LimitValues()
