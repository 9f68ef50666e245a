import pytest

from windowpane.errors import InvalidInput
from windowpane.providers.choose import dialect_of, is_ready
from windowpane.providers.presets import PRESETS, Preset, definition_from, preset_called

every_preset = pytest.mark.parametrize("preset", PRESETS, ids=[one.id for one in PRESETS])


@every_preset
def test_a_preset_with_what_it_asks_for_can_be_used_at_once(preset: Preset) -> None:
    base_url = preset.base_url or "https://models.example/v1"
    made = definition_from(preset, name="mine", base_url=base_url, api_key="sk-key")
    assert made.name == "mine"
    assert is_ready(made)
    assert dialect_of(made).base_url.startswith("http")


@every_preset
def test_a_key_that_is_needed_is_asked_for_by_its_name(preset: Preset) -> None:
    if preset.needs_key:
        with pytest.raises(InvalidInput, match="API key"):
            definition_from(preset, name="", base_url="https://models.example/v1", api_key="")


def test_an_address_that_nobody_can_know_is_asked_for() -> None:
    with pytest.raises(InvalidInput, match="base URL is missing"):
        definition_from(preset_called("azure"), name="", base_url="", api_key="k")


def test_a_mistyped_preset_is_met_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match="Did you mean anthropic"):
        preset_called("antropic")
