"""Arguments that a model wrote, held against a tool's schema.

Whatever does not fit becomes a sentence that the model can act on. The words of JSON schema that
tools use are read; others are left to the tool.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import cast

from windowpane.tools.base import Arguments, Schema

SHOWN_CHARACTERS = 60
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


class BadArguments(Exception):
    """The sentence for the model."""


def arguments_from(text: str, *, name: str, schema: Schema) -> Arguments:
    """The arguments of a call; none at all are an empty object."""
    try:
        value: object = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadArguments(
            f"The arguments of {name} are not valid JSON ({error}). Call it again with one JSON "
            "object."
        ) from error
    problem = next(problems(value, schema, place="The arguments"), None)
    if problem is not None:
        raise BadArguments(f"{problem} Correct that and call {name} again.")
    return cast("Arguments", value)


def problems(value: object, schema: Schema, *, place: str) -> Iterator[str]:
    """What is wrong with a value, sentence by sentence; ``place`` begins each."""
    kinds = _kinds(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{place} must be {' or '.join(_NAMES[kind] for kind in kinds)}, not {_shown(value)}."
        return
    if "enum" in schema and value not in cast("list[object]", schema["enum"]):
        allowed = ", ".join(_shown(one) for one in cast("list[object]", schema["enum"]))
        yield f"{place} must be one of {allowed}, not {_shown(value)}."
    yield from _alternatives(value, schema, place=place)
    if isinstance(value, dict):
        yield from _of_object(cast("Arguments", value), schema, place=place)
    elif isinstance(value, list):
        yield from _of_list(cast("list[object]", value), schema, place=place)
    elif isinstance(value, str):
        yield from _of_size(len(value), schema, place=place, unit="characters", kind="Length")
    elif isinstance(value, int | float):
        yield from _of_number(value, schema, place=place)


def _alternatives(value: object, schema: Schema, *, place: str) -> Iterator[str]:
    options = cast("list[Schema]", schema.get("anyOf", []))
    wrong = [next(problems(value, option, place=place), None) for option in options]
    if options and None not in wrong:
        yield next(problem for problem in wrong if problem is not None)


def _of_object(value: Arguments, schema: Schema, *, place: str) -> Iterator[str]:
    known = cast("dict[str, Schema]", schema.get("properties", {}))
    for name in cast("list[str]", schema.get("required", [])):
        if name not in value:
            yield f"The argument {name} is missing."
    for name, inner in value.items():
        if name in known:
            yield from problems(inner, known[name], place=f"The argument {name}")
        elif schema.get("additionalProperties") is False:
            yield f"There is no argument {name}. {_meant(name, list(known))}"


def _of_list(value: list[object], schema: Schema, *, place: str) -> Iterator[str]:
    yield from _of_size(len(value), schema, place=place, unit="items", kind="Items")
    items = schema.get("items")
    if isinstance(items, dict):
        for number, inner in enumerate(value, 1):
            where = f"Item {number} of {place[:1].lower()}{place[1:]}"
            yield from problems(inner, cast("Schema", items), place=where)


def _of_size(size: int, schema: Schema, *, place: str, unit: str, kind: str) -> Iterator[str]:
    least, most = schema.get(f"min{kind}"), schema.get(f"max{kind}")
    if isinstance(least, int) and size < least:
        yield f"{place} must have at least {least:,} {unit}, not {size:,}."
    if isinstance(most, int) and size > most:
        yield f"{place} must have at most {most:,} {unit}, not {size:,}."


def _of_number(value: float, schema: Schema, *, place: str) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int | float) and value < least:
        yield f"{place} must be at least {least}, not {value}."
    if isinstance(most, int | float) and value > most:
        yield f"{place} must be at most {most}, not {value}."


def _kinds(schema: Schema) -> list[str]:
    given = schema.get("type", [])
    listed = [given] if isinstance(given, str) else cast("list[str]", given)
    return [kind for kind in listed if kind in _TYPES]


def _is(value: object, kind: str) -> bool:
    """A truth value is no number, though Python says so; 3.0 is a whole number."""
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _meant(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known) or 'none'}."


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
