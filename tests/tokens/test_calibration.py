"""The correction that reported usage teaches: in steps, on the budget only, and said in words."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.parts import Citation, Native, Part, ServerTool, Text
from windowpane.tokens import UNCALIBRATED, Calibration, calibrated, is_silently_truncated
from windowpane.usage import TokenUsage

ANSWER = (Text(text="Yes."),)
SEARCH = ServerTool(
    name="web_search",
    arguments='{"query": "rain"}',
    native=Native(family="anthropic", block="{}"),
)
CITING = Text(text="Rain.", citations=(Citation(url="https://example.org"),))
PARTS: tuple[Part, ...] = (*ANSWER, SEARCH, CITING)


def after(*reported: int, estimated_tokens: int = 10_000) -> Calibration:
    return reduce(
        lambda known, tokens: calibrated(
            known,
            estimated_tokens=estimated_tokens,
            usage=TokenUsage(input_tokens=tokens),
            answer=ANSWER,
        ),
        reported,
        UNCALIBRATED,
    )


def test_without_calls_nothing_is_corrected_and_that_is_said() -> None:
    assert UNCALIBRATED.budget_tokens(105_216) == 105_216
    assert UNCALIBRATED.sentence == "estimates not yet compared with reported usage"


def test_a_tokenizer_that_gives_more_tokens_shrinks_the_budget() -> None:
    known = after(11_960, 12_040, 12_000)
    assert known.factor_percent == 120
    assert known.budget_tokens(120_000) == 100_000


def test_the_spread_of_fifty_calls_is_told_in_one_sentence() -> None:
    known = after(*[10_000, 10_400, 9_600, 10_000, 10_100] * 10)
    assert known.sentence == "estimates within ±4 % over 50 calls"


def test_one_call_is_told_as_one() -> None:
    assert after(10_300).sentence == "estimates within ±3 % over 1 call"


def test_the_factor_waits_for_a_whole_step() -> None:
    assert after(*[10_190] * 10).factor_percent == 100
    assert after(*[10_210] * 10).factor_percent == 102


def test_the_factor_does_not_flutter_between_two_steps() -> None:
    known = after(*[10_210] * 50)
    for tokens in [10_090, 10_210] * 40:
        usage = TokenUsage(input_tokens=tokens)
        known = calibrated(known, estimated_tokens=10_000, usage=usage, answer=ANSWER)
        assert known.factor_percent == 102


def test_two_odd_calls_change_nothing_yet() -> None:
    assert after(20_000, 20_000).factor_percent == 100


def test_only_the_last_fifty_calls_count() -> None:
    known = after(*[15_000] * 60, *[10_000] * 50)
    assert (known.calls, known.factor_percent) == (50, 100)


def test_cached_tokens_were_sent_too() -> None:
    usage = TokenUsage(input_tokens=1_000, cache_read_tokens=8_000, cache_write_tokens=2_000)
    known = UNCALIBRATED
    for _ in range(3):
        known = calibrated(known, estimated_tokens=10_000, usage=usage, answer=ANSWER)
    assert known.factor_percent == 110


def test_short_requests_and_missing_reports_teach_nothing() -> None:
    assert after(*[900] * 10, estimated_tokens=150) == UNCALIBRATED
    assert after(*[0] * 10) == UNCALIBRATED


def test_a_request_cut_in_silence_is_noticed_and_teaches_nothing() -> None:
    cut = TokenUsage(input_tokens=4_096)
    assert is_silently_truncated(estimated_tokens=9_000, usage=cut)
    known = calibrated(UNCALIBRATED, estimated_tokens=9_000, usage=cut, answer=ANSWER)
    assert known == UNCALIBRATED


def test_a_loose_estimate_is_not_taken_for_a_cut() -> None:
    for estimated, reported in ((1_000, 700), (1_000, 501), (9_000, 6_300), (9_000, 0)):
        usage = TokenUsage(input_tokens=reported)
        assert not is_silently_truncated(estimated_tokens=estimated, usage=usage)
    assert is_silently_truncated(estimated_tokens=1_000, usage=TokenUsage(input_tokens=500))


@given(st.lists(st.integers(min_value=7_000, max_value=40_000), max_size=80))
def test_the_factor_is_always_a_whole_number_of_steps(reported: list[int]) -> None:
    known = after(*reported)
    assert known.factor_percent % 2 == 0
    assert 70 <= known.factor_percent <= 400
    assert known.calls == min(50, len(reported))


@pytest.mark.parametrize(
    ("answer", "web_searches"), [((*ANSWER, SEARCH), 0), ((CITING,), 0), (ANSWER, 2)]
)
def test_what_a_provider_searched_itself_is_no_miscounting_of_ours(
    answer: tuple[Part, ...], web_searches: int
) -> None:
    usage = TokenUsage(input_tokens=2_000, web_searches=web_searches)
    known = calibrated(UNCALIBRATED, estimated_tokens=1_000, usage=usage, answer=answer)
    assert known == UNCALIBRATED


@given(
    st.lists(
        st.tuples(
            st.integers(min_value=0, max_value=2_000_000),
            st.integers(min_value=0, max_value=2_000_000),
            st.integers(min_value=0, max_value=3),
            st.lists(st.sampled_from(PARTS), max_size=3),
        ),
        max_size=80,
    )
)
def test_whatever_is_reported_a_quarter_of_the_window_stays_usable(
    calls: list[tuple[int, int, int, list[Part]]],
) -> None:
    known = UNCALIBRATED
    for estimated_tokens, reported_tokens, web_searches, answer in calls:
        usage = TokenUsage(input_tokens=reported_tokens, web_searches=web_searches)
        known = calibrated(known, estimated_tokens=estimated_tokens, usage=usage, answer=answer)
    assert 31_500 <= known.budget_tokens(126_000) <= 252_000
