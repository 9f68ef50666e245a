"""What applies to a send, and which place chose it."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.choices import CHOICE_NAMES, PLACES, Choices, Place, chosen_names
from windowpane.context.applied import (
    Applied,
    applied,
    context_settings,
    reasoning_options,
    request_options,
)
from windowpane.options import ReasoningOptions
from windowpane.settings import DEFAULT_CHOICES, ContextSettings

WITH_MODEL = Choices(model="demo/small")


def settings(**chosen: Choices) -> Applied:
    places: dict[Place, Choices] = {"project": WITH_MODEL, "default": DEFAULT_CHOICES}
    places |= {place: chosen[place] for place in PLACES if place in chosen}
    return applied(places, topic_message="")


@pytest.mark.parametrize(
    ("places", "expected", "source"),
    [
        (("send", "chat", "topic", "project"), 0.1, "send"),
        (("chat", "topic", "project"), 0.2, "chat"),
        (("topic", "project"), 0.3, "topic"),
        (("project",), 0.4, "project"),
        ((), "model", "default"),
    ],
)
def test_the_nearest_place_that_has_chosen_decides(
    places: tuple[Place, ...], expected: object, source: Place
) -> None:
    warm = {"send": 0.1, "chat": 0.2, "topic": 0.3, "project": 0.4}
    chosen = {place: Choices(temperature=warm[place], model="demo/small") for place in places} or {
        "project": WITH_MODEL
    }
    found = settings(**chosen)
    assert found.temperature == expected
    assert found.sources["temperature"] == source


def test_an_explicit_no_beats_what_a_farther_place_has_chosen() -> None:
    found = settings(
        project=Choices(model="demo/small", max_output_tokens=1000, reasoning_turns=3, prefill="x"),
        chat=Choices(max_output_tokens="model", reasoning_turns="all", prefill=""),
    )
    assert context_settings(found) == ContextSettings()
    assert request_options(found, uses_long_context=False).prefill == ""


def test_where_nobody_has_chosen_the_engine_works_with_its_own_defaults() -> None:
    found = settings()
    assert context_settings(found) == ContextSettings()
    assert reasoning_options(found) is None
    assert found.chat_hard_usd is None
    assert set(found.sources) == set(CHOICE_NAMES)
    assert {name for name, place in found.sources.items() if place == "project"} == {"model"}


def test_every_choice_but_the_model_and_the_budgets_has_a_default() -> None:
    unset = set(CHOICE_NAMES) - set(chosen_names(DEFAULT_CHOICES))
    assert unset == {"model", *(name for name in CHOICE_NAMES if name.endswith("_usd"))}


def test_settings_become_what_is_asked_of_the_model() -> None:
    found = settings(
        project=Choices(
            model="demo/small",
            temperature=0.5,
            reasoning_effort="high",
            reasoning_summary="auto",
            has_web_search=True,
            prefill="Dear reader, ",
            max_output_tokens=700,
            tool_turns=4,
            cache_mode="system",
            day_hard_usd=Decimal("2.50"),
        )
    )
    options = request_options(found, uses_long_context=True)
    assert (options.temperature, options.has_web_search) == (0.5, True)
    assert options.reasoning == ReasoningOptions(effort="high", summary="auto")
    assert (options.prefill, options.uses_long_context) == ("Dear reader,", True)
    assert context_settings(found) == ContextSettings(
        max_output_tokens=700, tool_turns=4, cache_mode="system"
    )
    assert found.day_hard_usd == Decimal("2.50")


choices = st.builds(
    Choices,
    model=st.just("a/b"),
    temperature=st.none() | st.floats(0, 2),
    max_output_tokens=st.none() | st.integers(1, 9),
    has_web_search=st.none() | st.booleans(),
    tools=st.none() | st.dictionaries(st.sampled_from("abc"), st.just({"on": True})),
)


@given(st.fixed_dictionaries({place: choices for place in PLACES[:-1]}))
def test_every_value_is_that_of_its_source_and_no_nearer_place_has_one(
    chosen: dict[Place, Choices],
) -> None:
    found = applied({**chosen, "default": DEFAULT_CHOICES}, topic_message="")
    for name, source in found.sources.items():
        nearer = PLACES[: PLACES.index(source)]
        assert all(getattr(chosen[place], name) is None for place in nearer)
        if source != "default":
            assert getattr(found, name) == getattr(chosen[source], name)
