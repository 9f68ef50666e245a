"""The one door to counting tokens: exact where the tokenizer is known, remembered by content.

Nothing here reads a clock, a file or a network; tokenizers are loaded on the first count.
"""

from windowpane.tokens.cache import TokenCache
from windowpane.tokens.calibration import (
    UNCALIBRATED,
    Calibration,
    calibrated,
    is_silently_truncated,
)
from windowpane.tokens.counter import (
    MESSAGE_OVERHEAD_TOKENS,
    CharsEstimate,
    Counter,
    counter_for,
)
from windowpane.tokens.images import image_rule_for, image_tokens
from windowpane.tokens.tokenizers import TokenizerName, has_own_tokenizer, tokenizer_for

__all__ = [
    "MESSAGE_OVERHEAD_TOKENS",
    "UNCALIBRATED",
    "Calibration",
    "CharsEstimate",
    "Counter",
    "TokenCache",
    "TokenizerName",
    "calibrated",
    "counter_for",
    "has_own_tokenizer",
    "image_rule_for",
    "image_tokens",
    "is_silently_truncated",
    "tokenizer_for",
]
