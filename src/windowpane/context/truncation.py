"""Requests that a server cut without a word, told from what it reports to have read.

Some servers drop the beginning of what does not fit, answer the rest, and call it a success.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from windowpane.context.receipt import Receipt
from windowpane.messages import Message
from windowpane.tokens import is_silently_truncated
from windowpane.usage import TokenUsage


class Truncation(Struct, frozen=True, kw_only=True):
    planned_tokens: int
    read_tokens: int

    @property
    def sentence(self) -> str:
        return (
            f"the server read {self.read_tokens:,} of about {self.planned_tokens:,} tokens, and "
            "did not say so; set the model's context window to what it was started with"
        )


def truncation_in(messages: Iterable[Message]) -> Truncation | None:
    """Of the last answer that shows one."""
    found = (
        _truncation(message.planned_tokens, message.usage)
        for message in messages
        if message.planned_tokens is not None
    )
    return next((one for one in reversed(list(found)) if one is not None), None)


def truncation_of(receipt: Receipt) -> Truncation | None:
    """An estimated usage reports nothing that could be compared."""
    if receipt.entry is None or receipt.entry.is_estimated:
        return None
    return _truncation(receipt.sizes.total_tokens, receipt.entry.usage)


def _truncation(planned_tokens: int, usage: TokenUsage | None) -> Truncation | None:
    if usage is None or not is_silently_truncated(estimated_tokens=planned_tokens, usage=usage):
        return None
    return Truncation(planned_tokens=planned_tokens, read_tokens=usage.request_tokens)
