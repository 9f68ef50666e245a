"""Options of tools: what applies where something, nothing or too much was chosen."""

from windowpane.tools.base import (
    BooleanOption,
    LongTextOption,
    ModelOption,
    ToolFace,
    options_with_defaults,
)

FACE = ToolFace(
    name="minion",
    label="Minion",
    icon="tool",
    approval="ask",
    is_simple=False,
    timeout_seconds=60.0,
    options=(
        BooleanOption(id="has_web", label="Web search", note="", default=False),
        LongTextOption(id="instructions", label="Instructions", note="", default="Be brief."),
        ModelOption(id="model", label="Model", note=""),
    ),
)


def test_what_nobody_chose_has_its_default_and_a_model_has_none() -> None:
    assert options_with_defaults(FACE, {}) == {"has_web": False, "instructions": "Be brief."}


def test_what_was_chosen_holds_and_what_is_gone_is_left_out() -> None:
    chosen: dict[str, bool | str] = {"has_web": True, "model": "a/b", "old": True}
    assert options_with_defaults(FACE, chosen) == {
        "has_web": True,
        "instructions": "Be brief.",
        "model": "a/b",
    }
