"""Where a text may be cut so that the counts of the pieces add up to the count of the whole.

This makes counting a growing text cost only what is new: the pieces before the last cut stay
equal, so their counts are remembered. Exactness wins: a text without a safe place is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windowpane.tokens.tokenizers import TokenizerName

CHUNK_CHARS = 4096

# After a letter and before a blank, a line break, a quotation mark or a full-width comma or stop.
# - Tokenizers that split by pattern first: no pattern lets one of these follow a letter inside a
#   piece, and none looks back, so a boundary is always here, whatever comes before or after.
# - Gemma merges over the whole text, but no entry of its vocabulary holds such a pair, so no merge
#   can cross the cut.
_SAFE_CUT = re.compile('[A-Za-z\u4e00-\u9fa5](?=[ \\n"\uff0c\u3002])')

# These put a blank before the text they are given, which a second piece must not get.
UNSPLITTABLE: frozenset[TokenizerName] = frozenset({"llama2", "mistral_v1", "mistral_v2"})


def chunks(text: str, *, tokenizer: TokenizerName) -> Iterator[str]:
    """The pieces of ``text`` in order; a longer text begins with the same pieces."""
    start = 0
    if tokenizer not in UNSPLITTABLE:
        while cut := _SAFE_CUT.search(text, start + CHUNK_CHARS):
            yield text[start : cut.end()]
            start = cut.end()
    yield text[start:]
