"""Counting what only a provider's own JSON holds: images, and blocks that have no plain form."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from io import BytesIO

import msgspec
from msgspec import Struct

from windowpane.parts import Native, Part, Reasoning, Text
from windowpane.tokens import Counter, TokenCache, counter_for, tokenizer_for

# An image behind an address, or one that cannot be read here, counts as one of this size.
NOMINAL_PX = (1024, 1024)


class _ImageUrl(Struct, frozen=True):
    url: str = ""


class _ImageSource(Struct, frozen=True):
    data: str = ""


class _Block(Struct, frozen=True):
    """An image in OpenAI's or in Anthropic's words, or any other block."""

    type: str = ""
    image_url: _ImageUrl | None = None
    source: _ImageSource | None = None


class BlockCounter(Counter):
    """Counts parts of which only the provider's own block is known."""

    def part(self, part: Part) -> int:
        if isinstance(part, Text | Reasoning) and part.native is not None and not part.text:
            return self._block(part.native)
        return super().part(part)

    def _block(self, native: Native) -> int:
        block = _decoded(native.block)
        if block is None or block.type not in ("image_url", "image"):
            return self.text(native.block)
        width_px, height_px = image_size(_image_data(block)) or NOMINAL_PX
        return self.image(width_px=width_px, height_px=height_px)


def block_counter(model: str, *, cache: TokenCache) -> BlockCounter:
    return BlockCounter(model, tokenizer=tokenizer_for(model), cache=cache)


def count(text: str, *, model: str) -> int:
    """How many tokens a text has for a model; exact where its tokenizer is known."""
    return counter_for(model, cache=TokenCache(max_entries=1)).text(text)


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, read from the head of an image file."""
    # A tenth of a second and some megabytes, so only a program with images pays for it.
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data)) as image:
            return image.size
    except (UnidentifiedImageError, OSError):
        return None


def _decoded(block: str) -> _Block | None:
    try:
        return msgspec.json.decode(block, type=_Block)
    except msgspec.ValidationError:
        return None


def _image_data(block: _Block) -> bytes:
    url = block.image_url.url if block.image_url else ""
    encoded = block.source.data if block.source else url.partition(";base64,")[2]
    try:
        return b64decode(encoded)
    except NotBase64:
        return b""
