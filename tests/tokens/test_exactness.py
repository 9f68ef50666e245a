"""Counts are exact: the ranks are the published ones, and the reference gives the same tokens.

The reference is ``tiktoken``, which gets the ranks from here, because it would download them; that
they are the true ones is proven by the digest that ``tiktoken`` itself checks a download against.
"""

import base64
import hashlib
from functools import cache
from typing import Protocol

import pytest
import splintr
import tiktoken
from hypothesis import given

from tests.tokens.texts import TEXTS
from windowpane.tokens import Counter, TokenCache
from windowpane.tokens.tokenizers import encoder

O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
O200K_SIZE = 199_998

# Counted with tiktoken 0.14.
KNOWN = {
    "": 0,
    "Hello, world!": 4,
    "<|endoftext|>": 7,
    "The quick brown fox jumps over the lazy dog.": 10,
    "def f(x: int) -> int:\n    return x + 1\n": 16,
    "你好\uff0c世界\u3002": 4,
    "こんにちは世界": 2,
    "안녕하세요": 2,
    "مرحبا بالعالم": 4,
    "👍🏽👩‍👩‍👧": 11,
    "naïve café — ½ Ⅷ": 10,
    "we'll, it's, I'VE": 7,
    "1234567890": 4,
    "\r\n\r\n\t\t  x": 3,
}


class Reference(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


@cache
def ranks() -> dict[bytes, int]:
    tokenizer = splintr.Tokenizer.from_pretrained("o200k_base")
    return {tokenizer.decode_token_bytes(rank): rank for rank in range(O200K_SIZE)}


@cache
def reference() -> Reference:
    return tiktoken.Encoding(
        name="o200k_base",
        pat_str=splintr.O200K_BASE_PATTERN,
        mergeable_ranks=ranks(),
        special_tokens={"<|endoftext|>": 199_999},
    )


def counter() -> Counter:
    return Counter("gpt-4o", tokenizer="o200k_base", cache=TokenCache(max_entries=1000))


def test_the_ranks_are_the_published_ones() -> None:
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks().items())
    assert hashlib.sha256(b"".join(lines)).hexdigest() == O200K_SHA256


@pytest.mark.parametrize(("text", "tokens"), KNOWN.items())
def test_known_texts_have_their_known_counts(text: str, tokens: int) -> None:
    assert counter().text(text) == tokens


@given(TEXTS)
def test_every_text_is_tokenized_as_the_reference_does(text: str) -> None:
    assert encoder("o200k_base")(text) == reference().encode_ordinary(text)
    assert counter().text(text) == len(reference().encode_ordinary(text))


@pytest.mark.parametrize(
    "unit", ["a", " ", "\n", "!", "1", "aA", "\u4f60\u597d", "👍🏽", " \n", "zq", "\u200d"]
)
def test_long_runs_are_counted_as_the_reference_does(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    assert counter().text(text) == len(reference().encode_ordinary(text))
