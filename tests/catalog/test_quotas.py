from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from windowpane.catalog.limits import UNKNOWN_LIMITS, Limits, LimitValues, merged
from windowpane.catalog.quotas import NOTHING_SENT, QuotaUse, noted, wait_seconds

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def limits(**values: int) -> Limits:
    return merged(UNKNOWN_LIMITS, LimitValues(**values), source="manual")


def after(use: QuotaUse, *sent: tuple[float, int]) -> QuotaUse:
    for seconds, tokens in sent:
        use = noted(use, tokens=tokens, at=NOON + timedelta(seconds=seconds))
    return use


def test_without_known_quotas_nothing_waits() -> None:
    use = after(NOTHING_SENT, *((0.0, 10**6) for _ in range(100)))
    assert wait_seconds(use, UNKNOWN_LIMITS, tokens=10**6, now=NOON) == 0


def test_a_request_waits_until_the_oldest_of_the_minute_is_a_minute_old() -> None:
    use = after(NOTHING_SENT, (0, 1), (10, 1))
    now = NOON + timedelta(seconds=15)
    assert wait_seconds(use, limits(requests_per_minute=2), tokens=1, now=now) == 45
    assert wait_seconds(use, limits(requests_per_minute=3), tokens=1, now=now) == 0


def test_tokens_of_a_minute_and_of_a_day_count_apart() -> None:
    use = after(NOTHING_SENT, (0, 600), (30, 300))
    now = NOON + timedelta(seconds=40)
    minute, day = limits(tokens_per_minute=1000), limits(tokens_per_day=1000)
    assert wait_seconds(use, minute, tokens=200, now=now) == 20
    assert wait_seconds(use, day, tokens=200, now=now) == 24 * 3600 - 40


def test_a_request_larger_than_its_quota_waits_for_an_unused_one_and_goes() -> None:
    use = after(NOTHING_SENT, (0, 10))
    quota = limits(tokens_per_minute=100)
    assert wait_seconds(use, quota, tokens=500, now=NOON) == 60
    assert wait_seconds(NOTHING_SENT, quota, tokens=500, now=NOON) == 0


@given(
    sent=st.lists(st.tuples(st.floats(0, 300), st.integers(1, 50)), max_size=30),
    rpm=st.integers(1, 10),
    tpm=st.integers(50, 200),
)
def test_who_waits_as_told_stays_within_every_quota(
    sent: list[tuple[float, int]], rpm: int, tpm: int
) -> None:
    quota = limits(requests_per_minute=rpm, tokens_per_minute=tpm)
    use, now = NOTHING_SENT, NOON
    for pause_seconds, tokens in sent:
        now += timedelta(seconds=pause_seconds)
        now += timedelta(seconds=wait_seconds(use, quota, tokens=tokens, now=now))
        use = noted(use, tokens=tokens, at=now)
        within = [one for one in use.sent if one.at > now - timedelta(minutes=1)]
        assert len(within) <= rpm
        assert sum(one.tokens for one in within) <= tpm
