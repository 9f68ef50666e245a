"""Which failures are tried again, and after how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.agent.retry import Again, Decision, RetryPolicy, decision
from windowpane.errors import Failure, FailureKind

POLICY = RetryPolicy(most_retries=4, first_wait_seconds=1.0, limit_seconds=60.0)


def decided(
    failure: Failure, *, has_begun: bool = False, seconds: float = 0.1, retries: int = 0
) -> Decision:
    return decision(
        failure,
        has_begun=has_begun,
        seconds=seconds,
        retries=retries,
        policy=POLICY,
        chance=1.0,
    )


def failure(kind: FailureKind, message: str = "no", after: float | None = None) -> Failure:
    return Failure(kind=kind, message=message, retry_after_seconds=after)


@pytest.mark.parametrize("kind", ["quota", "overloaded", "server", "net"])
def test_what_passes_by_itself_is_tried_again(kind: FailureKind) -> None:
    waits = [decided(failure(kind), retries=retries) for retries in range(5)]
    assert waits == [Again(1.0), Again(2.0), Again(4.0), Again(8.0), "give_up"]


@pytest.mark.parametrize("kind", ["auth", "invalid", "model", "refused", "aborted", "unknown"])
def test_what_stays_wrong_is_not_tried_again(kind: FailureKind) -> None:
    assert decided(failure(kind)) == "give_up"


def test_an_overflow_asks_for_less_and_never_for_a_wait() -> None:
    assert decided(failure("overflow", after=3.0)) == "smaller"


def test_the_provider_says_how_long_to_wait() -> None:
    assert decided(failure("quota", after=20.0), retries=3) == Again(21.0)


def test_a_wait_beyond_the_limit_is_not_begun() -> None:
    assert decided(failure("quota", after=3600.0)) == "give_up"


def test_an_empty_account_is_not_waited_for() -> None:
    said = "You exceeded your current quota, please check your plan and billing details."
    assert decided(failure("quota", said)) == "give_up"


def test_nothing_is_tried_again_once_a_word_was_said() -> None:
    for kind in ("quota", "overflow", "net"):
        assert decided(failure(kind), has_begun=True) == "give_up"


def test_a_line_that_broke_after_a_long_time_may_have_been_paid_for() -> None:
    assert decided(failure("net"), seconds=300.0) == "give_up"


@given(
    kind=st.sampled_from(("quota", "overloaded", "server", "net")),
    after=st.none() | st.floats(0, 1e9),
    retries=st.integers(0, 10),
    chance=st.floats(0, 1),
)
def test_no_wait_is_longer_than_the_limit(
    kind: FailureKind, after: float | None, retries: int, chance: float
) -> None:
    step = decision(
        failure(kind, after=after),
        has_begun=False,
        seconds=0.0,
        retries=retries,
        policy=POLICY,
        chance=chance,
    )
    assert step == "give_up" or (isinstance(step, Again) and 0 <= step.wait_seconds <= 60)
