"""First count of new text against the tokenizer alone, in one run; prints one JSON line.

The text is made from a fixed seed: prose, code and Chinese in equal parts of bytes. Both sides use
the same tokenizer in turns and get a new text each time, so neither profits from what the other
has left in its memory. Seconds are CPU seconds: other work on the machine does not count.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import accumulate
from time import process_time

import msgspec

from windowpane.tokens import Counter, TokenCache
from windowpane.tokens.tokenizers import encoder

ROUNDS = 16
MESSAGES = 90
MESSAGE_BYTES = 8_000
GROWING_STEPS = 600
WORDS = (
    "window pane model context token budget boundary summary receipt turn filter branch topic "
    "the a of to and in is that it for was on are as with they be at one have this from by hot"
).split()
HAN = [chr(code) for code in range(0x4E00, 0x5200)]


def prose(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=12)).capitalize() + ".\n"


def code(chance: random.Random) -> str:
    name, value = chance.choices(WORDS, k=2)
    return f"    def {name}_{value}(self, {value}: int = {chance.randrange(9999)}) -> None:\n"


def chinese(chance: random.Random) -> str:
    return "".join(chance.choices(HAN, k=14)) + "。"


def message(chance: random.Random, sentence: Callable[[random.Random], str]) -> str:
    sentences: list[str] = []
    left = MESSAGE_BYTES
    while left > 0:
        sentences.append(sentence(chance))
        left -= len(sentences[-1].encode())
    return "".join(sentences)


def new_texts(chance: random.Random) -> list[str]:
    kinds = (prose, code, chinese)
    return [message(chance, kinds[number % len(kinds)]) for number in range(MESSAGES)]


def growing(sentences: Iterable[str]) -> list[str]:
    """One text as it grows, as a streamed answer does."""
    return list(accumulate(sentences))


def seconds_for(count: Callable[[str], object], texts: list[str]) -> float:
    start = process_time()
    for text in texts:
        count(text)
    return process_time() - start


def main() -> None:
    chance = random.Random(20_261_118)
    counter = Counter("gpt-4o", tokenizer="o200k_base", cache=TokenCache(max_entries=100_000))
    # Chinese, because the tokenizer builds a part of itself only when it has to merge.
    load_seconds = seconds_for(counter.text, [chinese(chance)])
    encode = encoder("o200k_base")
    seconds_for(encode, new_texts(chance))  # the tokenizer's own memory of common words fills up
    alone = first = second = megabytes = 0.0
    for number in range(ROUNDS):
        for_tokenizer, for_counter = new_texts(chance), new_texts(chance)
        if number % 2:
            alone += seconds_for(lambda text: len(encode(text)), for_tokenizer)
        first += seconds_for(counter.text, for_counter)
        second += seconds_for(counter.text, for_counter)
        if not number % 2:
            alone += seconds_for(lambda text: len(encode(text)), for_tokenizer)
        megabytes += sum(len(text.encode()) for text in for_counter) / 1e6
    grown = growing(prose(chance) for _ in range(GROWING_STEPS))
    again = seconds_for(lambda text: len(encode(text)), grown)
    result = {
        "bench": "tokens",
        "text_mb": round(megabytes, 1),
        "load_ms": round(load_seconds * 1000, 1),
        "tokenizer_mb_per_s": round(megabytes / alone, 1),
        "first_count_mb_per_s": round(megabytes / first, 1),
        "first_count_ratio": round(alone / first, 2),
        "goal_ratio": 0.8,
        "second_count_mb_per_s": round(megabytes / second, 1),
        "growing_text_times_cheaper": round(again / seconds_for(counter.text, grown), 1),
    }
    print(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    main()
