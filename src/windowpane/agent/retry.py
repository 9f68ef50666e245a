"""What to do about a failed request: leave something out, wait, or give up. Pure decisions.

Only what passes by itself is waited for, and only before the first word of an answer: what was
said cannot be unsaid.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from windowpane.errors import Failure, FailureKind
from windowpane.settings import Settings

PASSING: frozenset[FailureKind] = frozenset({"quota", "overloaded", "server", "net"})
# An empty account does not fill itself: these words stand in refusals that no waiting helps.
LASTING_WORDS = ("insufficient_quota", "insufficient quota", "billing", "credit", "balance")
GROWTH = 2.0
# A request that was on the line this long may have been worked on, and paid for, all the while.
SOON_SECONDS = 60.0


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """``most_retries`` in a row; a single wait is never longer than ``limit_seconds``."""

    most_retries: int
    first_wait_seconds: float
    limit_seconds: float


class Again(Struct, frozen=True):
    """Try the same request again after a while."""

    wait_seconds: float


Decision = Again | Literal["smaller", "give_up"]


def policy_from(settings: Settings) -> RetryPolicy:
    return RetryPolicy(
        most_retries=settings.most_retries,
        first_wait_seconds=settings.retry_wait_seconds,
        limit_seconds=settings.retry_limit_seconds,
    )


def decision(
    failure: Failure,
    *,
    has_begun: bool,
    seconds: float,
    retries: int,
    policy: RetryPolicy,
    chance: float,
) -> Decision:
    """``retries`` were made of this request already, the last one failed after ``seconds``.

    ``chance`` between 0 and 1 spreads the waits of those who failed together.
    """
    if has_begun or (failure.kind == "net" and seconds > SOON_SECONDS):
        return "give_up"
    if failure.kind == "overflow":
        return "smaller"
    if retries >= policy.most_retries or not _passes(failure):
        return "give_up"
    wait_seconds = _wait_seconds(failure, retries=retries, policy=policy, chance=chance)
    return "give_up" if wait_seconds > policy.limit_seconds else Again(wait_seconds)


def _passes(failure: Failure) -> bool:
    if failure.kind not in PASSING:
        return False
    said = failure.message.lower()
    return failure.kind != "quota" or not any(word in said for word in LASTING_WORDS)


def _wait_seconds(failure: Failure, *, retries: int, policy: RetryPolicy, chance: float) -> float:
    """As the provider says, else longer each time; never exactly when everybody else comes back."""
    if failure.retry_after_seconds is not None:
        return failure.retry_after_seconds + chance * policy.first_wait_seconds
    grown = min(policy.first_wait_seconds * GROWTH**retries, policy.limit_seconds)
    return grown * (1 + chance) / 2


def held_sentence(failure: Failure, *, wait_seconds: float) -> str:
    words: dict[FailureKind, str] = {
        "quota": "The provider's rate limit is reached",
        "overloaded": "The provider is overloaded",
        "server": "The provider had an error",
        "net": "The connection failed",
    }
    return f"{words[failure.kind]}; trying again in {wait_seconds:.0f} s. {failure.message}"
