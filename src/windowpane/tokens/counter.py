"""The counter: how many tokens a text, a part, a message, a system text or a tool weighs.

Everything that is sent is counted here and nowhere else, so the screen, the plan and the budget
cannot disagree. What a provider reported for a whole request is never given to one message.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import assert_never

from msgspec import DecodeError, Raw, Struct, json

from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.parts import Image, Opaque, Part, Reasoning, ServerTool, Text, ToolCall, ToolResult
from windowpane.tokens.cache import TokenCache, content_key
from windowpane.tokens.chunks import chunks
from windowpane.tokens.images import image_rule_for, image_tokens
from windowpane.tokens.tokenizers import TokenizerName, encoder, tokenizer_for

MESSAGE_OVERHEAD_TOKENS = 4
"""What the role and the separators around one message cost."""


# An image behind an address counts as one of this size.
NOMINAL_PX = (1024, 1024)


class CharsEstimate(Struct, frozen=True):
    """Characters by a fixed ratio, for those who choose it over an exact tokenizer."""

    chars_per_token: float


class _CallShape(Struct):
    id: str
    name: str
    arguments: Raw | str


class _ResultShape(Struct, omit_defaults=True):
    id: str
    name: str
    is_error: bool = False


class _AttachmentShape(Struct):
    name: str
    type: str
    size: int


class Counter:
    """Counts for one model. Two counters may share a cache, also for different tokenizers."""

    def __init__(
        self, model: str, *, tokenizer: TokenizerName | CharsEstimate, cache: TokenCache
    ) -> None:
        self.model = model
        self.tokenizer: TokenizerName | CharsEstimate = tokenizer
        self._cache = cache

    def text(self, text: str) -> int:
        if isinstance(self.tokenizer, CharsEstimate):
            return ceil(len(text) / self.tokenizer.chars_per_token)
        pieces = chunks(text, tokenizer=self.tokenizer)
        return sum(self._piece(piece, self.tokenizer) for piece in pieces if piece)

    def part(self, part: Part) -> int:
        match part:
            case Text() | Reasoning():
                return self.text(part.text)
            case ToolCall():
                return self._json(
                    _CallShape(part.call_id, part.name, _compact_or_text(part.arguments))
                )
            case ToolResult():
                # The envelope as JSON, the text as the model reads it: escaping it as well would
                # count every line break and quotation mark of a file twice.
                envelope = _ResultShape(part.call_id, part.name, part.is_error)
                return self._json(envelope) + self.text(part.text)
            case Image():
                return self._image(part)
            case ServerTool() | Opaque():
                return self.text(part.native.block)
            case _:
                assert_never(part)

    def message(self, message: Message, *, sent: tuple[Part, ...]) -> int:
        """The weight of a stored message of which ``sent`` goes out.

        What the model itself wrote has a known size: the reported output without reasoning, as
        long as the same model gets back the text and the calls that it gave.
        """
        recorded = self._recorded(message, sent)
        size = recorded if recorded is not None else self._parts(sent)
        return MESSAGE_OVERHEAD_TOKENS + size

    def system(self, text: str) -> int:
        return MESSAGE_OVERHEAD_TOKENS + self.text(text) if text else 0

    def tool(self, definition: object) -> int:
        """One tool definition: any value that is sent as JSON."""
        return self._json(definition)

    def tools(self, definitions: Iterable[object]) -> int:
        """The sum of the single weights, so that what is shown per tool adds up."""
        return sum(self.tool(definition) for definition in definitions)

    def attachment(self, *, name: str, media_type: str, size_bytes: int) -> int:
        """What is said about a file that is not sent itself."""
        return self._json(_AttachmentShape(name, media_type, size_bytes))

    def image(self, *, width_px: int, height_px: int) -> int:
        return image_tokens(image_rule_for(self.model), width_px=width_px, height_px=height_px)

    def _image(self, image: Image) -> int:
        width_px, height_px = (image.width_px, image.height_px) if image.width_px else NOMINAL_PX
        return self.image(width_px=width_px, height_px=height_px)

    def _parts(self, parts: Iterable[Part]) -> int:
        return sum(self.part(part) for part in parts)

    def _json(self, value: object) -> int:
        return self.text(json.encode(value).decode())

    def _piece(self, piece: str, tokenizer: TokenizerName) -> int:
        try:
            key = content_key(tokenizer, piece.encode())
        except UnicodeEncodeError as error:
            raise InvalidInput(
                "The text holds half a character (a lone surrogate), which cannot be sent. "
                f"Remove it near {piece[: error.start][-20:]!r}."
            ) from error
        tokens = self._cache.get(key)
        if tokens is None:
            tokens = len(encoder(tokenizer)(piece))
            self._cache.put(key, tokens)
        return tokens

    def _recorded(self, message: Message, sent: tuple[Part, ...]) -> int | None:
        usage = message.usage
        if message.role != "assistant" or message.model != self.model or usage is None:
            return None
        written_tokens = usage.output_tokens - usage.reasoning_tokens
        if written_tokens <= 0 or _without_reasoning(sent) != _without_reasoning(message.parts):
            return None
        # The beginning that the model was given is no output of it.
        written_tokens += self._parts(p for p in sent if isinstance(p, Text) and p.is_prefill)
        if usage.reasoning_tokens:
            return written_tokens + self._parts(p for p in sent if isinstance(p, Reasoning))
        # Reasoning that was not reported apart is inside the output, so it must be sent as well.
        return written_tokens if sent == message.parts else None


def counter_for(model: str, *, cache: TokenCache) -> Counter:
    """A counter with the model's own tokenizer, or its stand-in."""
    return Counter(model, tokenizer=tokenizer_for(model), cache=cache)


def _without_reasoning(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(part for part in parts if not isinstance(part, Reasoning))


def _compact_or_text(arguments: str) -> Raw | str:
    """Arguments as compact JSON; what a model wrote wrongly counts as the text that it is."""
    try:
        return Raw(json.format(arguments, indent=-1))
    except DecodeError:
        return arguments
