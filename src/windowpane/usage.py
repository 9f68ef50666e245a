"""Token usage of one API call, normalised across providers.

``input`` is without cached tokens, ``output`` is with reasoning; adapters convert.
"""

from __future__ import annotations

from msgspec import Struct


class TokenUsage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    web_searches: int = 0

    @property
    def request_tokens(self) -> int:
        """All that was sent: what a cache took or gave was sent as well."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def context_tokens(self) -> int:
        """What the context measures after a reply, which the next request sends back as well."""
        return self.request_tokens + self.output_tokens

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            web_searches=self.web_searches + other.web_searches,
        )
