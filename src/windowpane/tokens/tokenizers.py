"""Which tokenizer counts for which model, and the one place where a tokenizer is loaded.

Ranks are loaded on the first count, never at import. Text is always encoded as ordinary text: a
person who writes ``<|endoftext|>`` has written thirteen characters, not a control token.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Literal

TokenizerName = Literal[
    "o200k_base",
    "cl100k_base",
    "llama2",
    "llama3",
    "qwen3",
    "glm4",
    "kimi_k2",
    "deepseek_v3",
    "mistral_v1",
    "mistral_v2",
    "mistral_v3",
    "gemma2",
    "gemma4",
    "phi4",
]

STAND_IN: TokenizerName = "o200k_base"
"""Counts for models whose own tokenizer is not published (Claude, Grok, …) or not embedded."""

# First match wins; searched in the last segment of the lower-case name, because hosts put their
# own words in front ("us.anthropic.", "meta.", "accounts/…/models/"). Vocabularies that give the
# same ids for ordinary text share one entry: gpt-oss is o200k, Code Llama is Llama 2, OLMo 2 is
# Phi 4, Kimi K3 is K2. Gemma 3, Gemma 4 and Gemini (by Google's own SDK) are one vocabulary too.
FAMILIES: tuple[tuple[str, TokenizerName], ...] = (
    (r"gpt-oss|gpt-4o|gpt-4\.[15]|gpt-[5-9]|(^|[^a-z])o[134]($|[^a-z0-9])", "o200k_base"),
    (r"gpt-4|gpt-3\.5|gpt-35", "cl100k_base"),
    (r"distill-llama|llama-?v?3", "llama3"),
    (r"code-?llama|tinyllama|vicuna|llama-?v?2", "llama2"),
    # Qwen 3.5 and later have another vocabulary.
    (r"distill-qwen|qwq|qvq|qwen-?(2\.5|2|3)(?!\.?\d|p\d)", "qwen3"),
    (r"glm-?4", "glm4"),
    (r"kimi", "kimi_k2"),
    (r"deepseek[-.]?(v3|r1|chat|reasoner)", "deepseek_v3"),
    (r"mistral-7b.*v0[.:]3|mixtral-8x22b|codestral[-:](22b|2405)|^mistral(:|$)", "mistral_v2"),
    (r"mixtral|mistral-7b", "mistral_v1"),
    (r"istral|pixtral|devstral|codestral|voxtral", "mistral_v3"),
    (r"gemma-?[34]|gemini-[23]", "gemma4"),
    (r"gemma", "gemma2"),
    (r"phi-?4|olmo-?2", "phi4"),
)


def tokenizer_for(model: str) -> TokenizerName:
    """The model's own tokenizer where it is embedded, else the stand-in."""
    return _own_tokenizer(model) or STAND_IN


def has_own_tokenizer(model: str) -> bool:
    """Whether counts for this model are exact, or those of the stand-in."""
    return _own_tokenizer(model) is not None


@lru_cache(maxsize=1024)
def _own_tokenizer(model: str) -> TokenizerName | None:
    name = model.rpartition("/")[2].lower()
    return next((own for pattern, own in FAMILIES if re.search(pattern, name)), None)


@cache
def encoder(name: TokenizerName) -> Callable[[str], list[int]]:
    # 40 ms and some 40 MB for the default, so only a process that counts pays for it.
    from splintr import Tokenizer

    return Tokenizer.from_pretrained(name).encode_ordinary
