"""What an image weighs: each maker has a formula of its own, from the size in pixels alone.

Taken from the makers' pages as of November 2026. Where a maker resizes first, so does the formula;
the size given is the one that is sent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil, floor, sqrt
from typing import assert_never

from msgspec import Struct

from windowpane.errors import InvalidInput


class OpenAITiles(Struct, frozen=True):
    """Fitted into 2048 × 2048, then the short side to 768, then tiles of 512."""

    base_tokens: int
    tile_tokens: int


class OpenAIPatches(Struct, frozen=True):
    """Patches of 32 pixels, at most 1536 of them, times a factor of the model."""

    factor: float


class ClaudePatches(Struct, frozen=True):
    """Patches of 28 pixels after shrinking to the model's own resolution."""

    max_edge_px: int
    max_tokens: int


class GrokTiles(Struct, frozen=True):
    """Tiles of 448 pixels, at most six, and one for the whole; 256 tokens each."""


class GeminiTiles(Struct, frozen=True):
    """258 tokens when both sides are at most 384, else 258 for each tile."""


class FixedSize(Struct, frozen=True):
    tokens: int


ImageRule = OpenAITiles | OpenAIPatches | ClaudePatches | GrokTiles | GeminiTiles | FixedSize

# First match wins, as for tokenizers. The 1.2 of GPT-5.2 and later is not on OpenAI's page; users
# measured it.
RULES: tuple[tuple[str, ImageRule], ...] = (
    (r"claude-(3|haiku-4|(sonnet|opus)-4([-.][0156]|-2025|$))", ClaudePatches(1568, 1568)),
    (r"claude", ClaudePatches(2576, 4784)),
    (r"gemini-[12]", GeminiTiles()),
    (r"gemini", FixedSize(1120)),
    (r"grok", GrokTiles()),
    (r"gpt-4o-mini", OpenAITiles(2833, 5667)),
    (r"gpt-(4\.1|5)-mini", OpenAIPatches(1.62)),
    (r"gpt-(4\.1|5)-nano", OpenAIPatches(2.46)),
    (r"o4-mini", OpenAIPatches(1.72)),
    (r"gpt-5\.[2-9]|gpt-[6-9]", OpenAIPatches(1.2)),
    (r"gpt-5", OpenAITiles(70, 140)),
    (r"(^|[^a-z])o[13]($|[^a-z0-9])", OpenAITiles(75, 150)),
)
# Also for makers that publish no formula: the most common one, and an estimate that calibration
# corrects.
COMMON_RULE: ImageRule = OpenAITiles(85, 170)


@lru_cache(maxsize=1024)
def image_rule_for(model: str) -> ImageRule:
    name = model.rpartition("/")[2].lower()
    return next((rule for pattern, rule in RULES if re.search(pattern, name)), COMMON_RULE)


def image_tokens(rule: ImageRule, *, width_px: int, height_px: int) -> int:
    if width_px < 1 or height_px < 1:
        raise InvalidInput(f"An image of {width_px} × {height_px} pixels cannot be sent.")
    short, long = sorted((width_px, height_px))
    match rule:
        case OpenAITiles():
            return rule.base_tokens + rule.tile_tokens * _openai_tiles(short, long)
        case OpenAIPatches():
            return ceil(_openai_patches(short, long) * rule.factor)
        case ClaudePatches():
            return _claude_patches(short, long, rule)
        case GrokTiles():
            return 256 * (1 + min(6, _cover(short, long, 448)))
        case GeminiTiles():
            return 258 * _gemini_tiles(short, long)
        case FixedSize():
            return rule.tokens
        case _:
            assert_never(rule)


def _cover(short: float, long: float, side: float) -> int:
    return ceil(short / side) * ceil(long / side)


def _openai_tiles(short: float, long: float) -> int:
    if long > 2048:
        short, long = short * 2048 / long, 2048
    if short > 768:
        short, long = 768, long * 768 / short
    return _cover(short, long, 512)


def _openai_patches(short: int, long: int) -> int:
    if _cover(short, long, 32) <= 1536:
        return _cover(short, long, 32)
    shrink = sqrt(32 * 32 * 1536 / (short * long))
    columns, rows = short * shrink / 32, long * shrink / 32
    # Shrunk a little more, until the first of the two sides is a whole number of patches.
    shrink = min(floor(columns) / columns, floor(rows) / rows)
    return ceil(round(columns * shrink, 6)) * ceil(round(rows * shrink, 6))


def _claude_patches(short: int, long: int, rule: ClaudePatches) -> int:
    """The largest size of the same shape that keeps within edge and tokens."""
    fits, too_large = 0, min(long, rule.max_edge_px) + 1
    while too_large - fits > 1:
        edge = (fits + too_large) // 2
        if _cover(short * edge / long, edge, 28) <= rule.max_tokens:
            fits = edge
        else:
            too_large = edge
    return _cover(short * fits / long, fits, 28)


def _gemini_tiles(short: int, long: int) -> int:
    if long <= 384:
        return 1
    side = min(768, max(256, floor(short / 1.5)))
    return _cover(short, long, side)
