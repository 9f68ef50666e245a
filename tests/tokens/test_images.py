"""What an image weighs with each maker; the numbers are the makers' own examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.errors import InvalidInput
from windowpane.tokens import TokenCache, counter_for, image_rule_for, image_tokens

EXAMPLES = [
    ("gpt-4o", 1024, 1024, 765),
    ("gpt-4o", 2048, 4096, 1105),
    ("gpt-4o", 512, 512, 255),
    ("gpt-4o-mini", 512, 512, 8500),
    ("gpt-5", 1024, 1024, 630),
    ("o3", 1024, 1024, 675),
    ("gpt-4.1-mini", 1024, 1024, 1659),
    ("gpt-4.1-mini", 1800, 2400, 2353),
    ("o4-mini", 1800, 2400, 2498),
    ("anthropic/claude-sonnet-4-5", 1000, 1000, 1296),
    ("openrouter/anthropic/claude-opus-4.5", 1000, 1000, 1296),
    ("claude-haiku-4-5", 3000, 2000, 1536),
    ("claude-opus-4-8", 1000, 1000, 1296),
    ("claude-opus-4-8", 8000, 8000, 4761),
    ("gemini-2.5-pro", 384, 384, 258),
    ("gemini-2.5-pro", 960, 540, 1548),
    ("gemini-3-pro-preview", 960, 540, 1120),
    ("xai/grok-4", 448, 448, 512),
    ("xai/grok-4", 2000, 2000, 1792),
    ("my-own-model", 1024, 1024, 765),
]
MODELS = sorted({model for model, *_ in EXAMPLES})
SIDES = st.integers(min_value=1, max_value=12_000)


@pytest.mark.parametrize(("model", "width_px", "height_px", "tokens"), EXAMPLES)
def test_an_image_weighs_what_its_maker_says(
    model: str, width_px: int, height_px: int, tokens: int
) -> None:
    counter = counter_for(model, cache=TokenCache(max_entries=1))
    assert counter.image(width_px=width_px, height_px=height_px) == tokens


@given(st.sampled_from(MODELS), SIDES, SIDES)
def test_a_turned_image_weighs_the_same_and_every_image_something(
    model: str, width_px: int, height_px: int
) -> None:
    rule = image_rule_for(model)
    weight = image_tokens(rule, width_px=width_px, height_px=height_px)
    assert weight == image_tokens(rule, width_px=height_px, height_px=width_px) > 0


@given(SIDES, SIDES)
def test_a_shrunk_image_keeps_within_what_claude_takes(width_px: int, height_px: int) -> None:
    for model, most in (("claude-sonnet-4-5", 1568), ("claude-opus-4-8", 4784)):
        rule = image_rule_for(model)
        assert image_tokens(rule, width_px=width_px, height_px=height_px) <= most


def test_an_image_without_area_is_refused() -> None:
    with pytest.raises(InvalidInput):
        image_tokens(image_rule_for("gpt-4o"), width_px=0, height_px=10)
