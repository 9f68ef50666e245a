"""Arguments that a model wrote: read if they fit, answered with a sentence if they do not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowpane.tools.arguments import BadArguments, arguments_from, problems
from windowpane.tools.base import Arguments, Schema

SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 2},
        "kind": {"enum": ["file", "folder"]},
        "depth": {"type": ["integer", "null"], "maximum": 9},
        "when": {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 10}]},
        "is_deep": {"type": "boolean"},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def read(text: str) -> Arguments:
    return arguments_from(text, name="list", schema=SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "/"}',
        '{"path": "/", "lines": [1, 2], "kind": "file", "depth": null, "is_deep": true}',
        '{"path": "/", "when": 3}',
        '{"path": "/", "when": "yesterday"}',
        '{"path": "/", "depth": 3.0}',
    ],
)
def test_arguments_that_fit_are_read(text: str) -> None:
    assert read(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The argument path is missing."),
        ("{}", "The argument path is missing."),
        ("[]", "The arguments must be an object, not []."),
        ('{"path": 1}', "The argument path must be a text, not 1."),
        ('{"path": ""}', "The argument path must have at least 1 characters, not 0."),
        ('{"path": "/", "pth": 1}', "There is no argument pth. Did you mean path?"),
        ('{"path": "/", "zzz": 1}', "There is no argument zzz. There are: path, lines,"),
        ('{"path": "/", "lines": [1, 2, 3]}', "The argument lines must have at most 2 items"),
        ('{"path": "/", "lines": [0]}', "Item 1 of the argument lines must be at least 1, not 0."),
        (
            '{"path": "/", "kind": "x"}',
            'The argument kind must be one of "file", "folder", not "x"',
        ),
        ('{"path": "/", "depth": 10}', "The argument depth must be at most 9, not 10."),
        ('{"path": "/", "depth": true}', "The argument depth must be a whole number or null, not"),
        ('{"path": "/", "is_deep": 1}', "The argument is_deep must be true or false, not 1."),
        ('{"path": "/", "when": []}', "The argument when must be a whole number, not []."),
    ],
)
def test_what_does_not_fit_is_said_so_that_the_model_can_correct_it(
    text: str, sentence: str
) -> None:
    with pytest.raises(BadArguments) as caught:
        read(text)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith("Correct that and call list again.")


@pytest.mark.parametrize("text", ['{"path": ', "list the files", "[" * 100_000])
def test_what_is_no_json_is_said_to_be_none(text: str) -> None:
    with pytest.raises(BadArguments, match="are not valid JSON"):
        read(text)


def test_a_long_value_is_not_repeated_whole() -> None:
    [problem] = problems("x" * 10_000, {"type": "integer"}, place="It")
    assert len(problem) < 200


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_value_is_judged_without_a_fault(value: object) -> None:
    for problem in problems(value, SCHEMA, place="It"):
        assert problem
