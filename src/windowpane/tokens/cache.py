"""Counts by content: a bounded memory that is passed in, and can be exported to be stored sealed.

It holds digests and numbers, no text, and may be dropped at any time: what it forgets is counted
again. It does no input or output itself.
"""

from __future__ import annotations

import struct
from hashlib import blake2b

from msgspec import DecodeError, Struct, ValidationError, msgpack

from windowpane.tokens.tokenizers import TokenizerName

_DIGEST_BYTES = 16
_ENTRY = struct.Struct(f"<{_DIGEST_BYTES}sI")


class _Export(Struct, frozen=True, tag="token_counts_1"):
    entries: bytes


def content_key(tokenizer: TokenizerName, content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES, person=tokenizer.encode()).digest()


class TokenCache:
    """At most ``max_entries`` counts; the one not used for longest leaves first."""

    def __init__(self, *, max_entries: int) -> None:
        self._max_entries = max_entries
        self._counts: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def get(self, key: bytes) -> int | None:
        tokens = self._counts.pop(key, None)
        if tokens is not None:
            self._counts[key] = tokens
        return tokens

    def put(self, key: bytes, tokens: int) -> None:
        self._counts[key] = tokens
        if len(self._counts) > self._max_entries:
            del self._counts[next(iter(self._counts))]

    def export(self) -> bytes:
        entries = b"".join(_ENTRY.pack(key, tokens) for key, tokens in self._counts.items())
        return msgpack.encode(_Export(entries=entries))

    @classmethod
    def load(cls, exported: bytes, *, max_entries: int) -> TokenCache:
        """An export of another format, or a damaged one, is an empty cache: nothing is lost."""
        cache = cls(max_entries=max_entries)
        try:
            entries = msgpack.decode(exported, type=_Export).entries
        except (DecodeError, ValidationError):
            return cache
        whole = len(entries) - len(entries) % _ENTRY.size
        for key, tokens in _ENTRY.iter_unpack(entries[:whole]):
            cache.put(key, tokens)
        return cache
