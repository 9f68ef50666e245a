from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.frames import exception
from tests.providers.recordings import dialect_for
from windowpane.definitions import Family
from windowpane.providers.classify import complaint_from, failure_from
from windowpane.providers.retry_after import (
    ANTHROPIC_QUOTAS,
    MOST_SECONDS,
    OPENAI_QUOTAS,
    wait_in_headers,
    wait_in_sentence,
    wait_in_text,
)

NOON = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)
NAMES = (
    "retry-after",
    "retry-after-ms",
    "x-ratelimit-reset",
    *(f"anthropic-ratelimit-{name}-reset" for name in ANTHROPIC_QUOTAS),
    *(f"x-ratelimit-reset-{name}" for name in OPENAI_QUOTAS),
)
NONSENSE = (
    "",
    "soon",
    "-5",
    "1e3",
    "nan",
    "inf",
    "9" * 400,
    "9" * 15,
    "1.2.3",
    "٣",
    "5 apples",
    "5s5",
    "Sun, 99 Nov 2026 12:00:00 GMT",
    "Sun, 01 Nov 99999999999 12:00:00 GMT",
    "2026-13-01T12:00:00Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00+23:59",
)


def wait(headers: dict[str, str], *, status: int = 429) -> float | None:
    return wait_in_headers(headers, status=status, now=NOON)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "4"}, 4.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "30s"}, 30.0),
        ({"retry-after": "Sun, 01 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 01 Nov 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"x-ratelimit-reset": "1793534430000"}, 30.0),
        ({"x-ratelimit-reset": "60"}, None),
        ({"anthropic-ratelimit-requests-reset": "2026-11-01T12:00:20Z"}, 20.0),
        ({"anthropic-ratelimit-requests-reset": "2026-11-01T11:59:00Z"}, 0.0),
        ({"x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-reset-tokens": "1h2m59.56s"}, 3779.56),
        ({}, None),
    ],
)
def test_the_wait_is_read_wherever_a_service_tells_it(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert wait(headers) == (None if seconds is None else pytest.approx(seconds))


def test_what_is_used_up_decides_how_long_to_wait() -> None:
    resets = {"x-ratelimit-reset-requests": "50s", "x-ratelimit-reset-tokens": "7s"}
    assert wait(resets) == 7.0, "a request takes more tokens than are left"
    assert wait(resets | {"x-ratelimit-remaining-requests": "0"}) == 50.0
    used_up = {f"x-ratelimit-remaining-{name}": "0" for name in OPENAI_QUOTAS}
    assert wait(resets | used_up) == 50.0
    anthropic = {
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-01T12:00:01Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-01T12:00:40Z",
        "anthropic-ratelimit-output-tokens-remaining": "8000",
        "anthropic-ratelimit-output-tokens-reset": "2026-11-01T12:00:59Z",
    }
    assert wait(anthropic) == 40.0


def test_the_quotas_of_a_service_that_is_merely_busy_are_no_reason_to_wait() -> None:
    resets = {"x-ratelimit-reset-tokens": "7s"}
    assert wait(resets, status=529) is None
    assert wait(resets | {"retry-after": "2"}, status=529) == 2.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_in_a_header_is_no_wait(name: str, text: str) -> None:
    assert wait({name: text}) in (None, 0.0)


@given(
    st.dictionaries(
        st.sampled_from(NAMES),
        st.text(max_size=40) | st.from_regex(r"[-+0-9.eE:TZhms ]{0,30}", fullmatch=True),
    )
)
def test_whatever_stands_in_headers_is_a_sensible_wait_or_none(headers: dict[str, str]) -> None:
    seconds = wait(headers)
    assert seconds is None or 0 <= seconds <= MOST_SECONDS


@given(st.text(max_size=60) | st.from_regex(r"try again in [0-9.a-z ]{0,30}", fullmatch=True))
def test_whatever_stands_in_a_text_is_a_sensible_wait_or_none(text: str) -> None:
    for seconds in (wait_in_text(text), wait_in_sentence(text)):
        assert seconds is None or 0 <= seconds <= MOST_SECONDS


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached for m on tokens per min. Please try again in 1.242s. Visit x.", 1.242),
        ("Rate limit reached for m. Please try again in 6m0s.", 360.0),
        ("Please try again in 512ms.", 0.512),
        ("You exceeded your current quota. Please retry in 34.07s.", 34.07),
        ("Please retry after 20 seconds.", 20.0),
        ("Try again in 2 minutes 30 seconds, or pay.", 150.0),
        ("Try again in 5 requests.", None),
        ("Please try again later.", None),
        ("Limit 30000, used 29000.", None),
    ],
)
def test_the_wait_is_read_from_a_sentence(message: str, seconds: float | None) -> None:
    assert wait_in_sentence(message) == (None if seconds is None else pytest.approx(seconds))


def data(event: object) -> bytes:
    return b"data: " + msgspec.json.encode(event) + b"\n\n"


MESSAGE = "Rate limit reached. Please try again in 1.5s."
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "30s"}
# The same complaint inside an answer that had begun: there are no headers to read then.
IN_STREAMS: list[tuple[Family, bytes, float]] = [
    ("openai_chat", data({"error": {"message": MESSAGE, "code": 429}}), 1.5),
    (
        "openai_responses",
        data(
            {
                "type": "response.failed",
                "response": {
                    "status": "failed",
                    "error": {"code": "rate_limit_exceeded", "message": MESSAGE},
                },
            }
        ),
        1.5,
    ),
    (
        "anthropic",
        data({"type": "error", "error": {"type": "rate_limit_error", "message": MESSAGE}}),
        1.5,
    ),
    ("bedrock", exception("throttlingException", {"message": MESSAGE}), 1.5),
    (
        "google",
        data({"error": {"code": 429, "message": "Slow down", "details": [RETRY_INFO]}}),
        30.0,
    ),
]


@pytest.mark.parametrize(("family", "body", "seconds"), IN_STREAMS)
def test_an_error_inside_an_answer_says_when_to_come_again(
    family: Family, body: bytes, seconds: float
) -> None:
    mapper = dialect_for(family).mapper()
    mapper.feed(body)
    mapper.end()
    assert mapper.failure is not None
    assert (mapper.failure.kind, mapper.failure.retry_after_seconds) == ("quota", seconds)


@pytest.mark.parametrize(
    ("details", "seconds"),
    [
        ([RETRY_INFO], 30.0),
        ([{"retryDelay": 5}, {"@type": "Help"}, RETRY_INFO], 30.0),
        ([{"retryDelay": "3.5s"}], 3.5),
        ([{"retryDelay": "1e9s"}], None),
        ([{"retryDelay": "-3s"}], None),
        ([{"retryDelay": "nan"}], None),
        ([1, RETRY_INFO], None),
    ],
)
def test_google_tells_the_wait_among_the_details(details: object, seconds: float | None) -> None:
    body = msgspec.json.encode({"error": {"message": "Slow down", "details": details}})
    complaint = complaint_from(body, http_status=429)
    failure = failure_from(complaint, secrets=(), retry_after_seconds=None)
    assert failure.retry_after_seconds == seconds
