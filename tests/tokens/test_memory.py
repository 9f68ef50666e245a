"""What was counted once is not counted again, and a growing text costs only what is new."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens.texts import TEXTS
from windowpane.tokens import Counter, TokenCache, TokenizerName
from windowpane.tokens.chunks import UNSPLITTABLE, chunks
from windowpane.tokens.tokenizers import FAMILIES, encoder

TOKENIZERS = sorted({name for _, name in FAMILIES})
SPLITTABLE = [name for name in TOKENIZERS if name not in UNSPLITTABLE]
SENTENCE = 'The boundary moved "because" of the draft.\n你好\uff0c世界\u3002 '
LONG = "".join(f"{number}. {SENTENCE}" for number in range(1000))


class WatchedCache(TokenCache):
    """Knows how often something had to be counted anew."""

    counted = 0

    def put(self, key: bytes, tokens: int) -> None:
        self.counted += 1
        super().put(key, tokens)


def counter(cache: TokenCache) -> Counter:
    return Counter("gpt-4o", tokenizer="o200k_base", cache=cache)


def test_a_second_count_counts_nothing_anew() -> None:
    cache = WatchedCache(max_entries=1000)
    first = counter(cache).text(LONG)
    before = cache.counted
    assert counter(cache).text(LONG) == first
    assert cache.counted == before > 5


def test_a_growing_text_costs_only_what_is_new() -> None:
    cache = WatchedCache(max_entries=1000)
    counter(cache).text(LONG)
    before = cache.counted
    grown = counter(cache).text(LONG + SENTENCE)
    assert grown == len(encoder("o200k_base")(LONG + SENTENCE))
    assert cache.counted - before <= 2


@pytest.mark.parametrize("name", SPLITTABLE)
def test_the_pieces_of_a_text_count_as_much_as_the_whole(name: TokenizerName) -> None:
    pieces = list(chunks(LONG, tokenizer=name))
    assert len(pieces) > 5
    assert "".join(pieces) == LONG
    assert sum(len(encoder(name)(piece)) for piece in pieces) == len(encoder(name)(LONG))


@pytest.mark.parametrize("name", SPLITTABLE)
@given(
    before=TEXTS,
    letter=st.sampled_from("azAZ你好"),
    after=st.sampled_from(' \n"\uff0c\u3002'),
    rest=TEXTS,
)
def test_a_text_may_be_cut_wherever_the_pieces_are_cut(
    name: TokenizerName, before: str, letter: str, after: str, rest: str
) -> None:
    encode = encoder(name)
    head, tail = before + letter, after + rest
    assert len(encode(head)) + len(encode(tail)) == len(encode(head + tail))


@pytest.mark.parametrize("name", sorted(UNSPLITTABLE))
def test_a_tokenizer_that_adds_to_its_text_gets_it_in_one_piece(name: TokenizerName) -> None:
    assert list(chunks(LONG, tokenizer=name)) == [LONG]


def test_a_text_without_a_safe_place_stays_in_one_piece() -> None:
    text = "A1+/" * 10_000
    assert list(chunks(text, tokenizer="o200k_base")) == [text]


def test_tokenizers_do_not_share_counts() -> None:
    cache = TokenCache(max_entries=10)
    text = "안녕하세요, 만나서 반갑습니다"
    for name in ("o200k_base", "cl100k_base"):
        ours = Counter("m", tokenizer=name, cache=cache)
        assert ours.text(text) == len(encoder(name)(text))
    assert len(cache) == 2


def test_a_full_memory_forgets_what_was_not_used_for_longest() -> None:
    cache = TokenCache(max_entries=2)
    cache.put(b"a" * 16, 1)
    cache.put(b"b" * 16, 2)
    assert cache.get(b"a" * 16) == 1
    cache.put(b"c" * 16, 3)
    assert [cache.get(key * 16) for key in (b"a", b"b", b"c")] == [1, None, 3]


def test_an_exported_memory_comes_back_with_all_its_counts() -> None:
    cache = TokenCache(max_entries=1000)
    tokens = counter(cache).text(LONG)
    loaded = TokenCache.load(cache.export(), max_entries=1000)
    assert len(loaded) == len(cache)
    assert counter(loaded).text(LONG) == tokens
    assert loaded.export() == cache.export()


def test_an_export_holds_no_text() -> None:
    cache = TokenCache(max_entries=10)
    counter(cache).text("canary in the coal mine")
    assert b"canary" not in cache.export()


@pytest.mark.parametrize("exported", [b"", b"\x00", b"nonsense", b"\x81\xa4type\xa1x"])
def test_a_damaged_export_is_an_empty_memory(exported: bytes) -> None:
    assert len(TokenCache.load(exported, max_entries=10)) == 0


def test_a_smaller_memory_keeps_the_newest_of_an_export() -> None:
    cache = TokenCache(max_entries=100)
    for number in range(100):
        cache.put(number.to_bytes(16, sys.byteorder), number)
    loaded = TokenCache.load(cache.export(), max_entries=10)
    assert len(loaded) == 10
    assert loaded.get((99).to_bytes(16, sys.byteorder)) == 99
